package turn

// preRoll remembers the latest audio, with the gaps in it, in a fixed amount of
// memory. Places are media positions in samples.
type preRoll struct {
	ring  []byte // audio
	head  int    // where the next byte goes
	held  int    // bytes that are there
	spans []span // what they are, oldest first
	end   int64  // media position behind the last span
}

// span is a stretch of audio or a gap.
type span struct {
	start, samples int64
	gap            bool
}

// newPreRoll returns a preRoll that holds the given amount of audio.
func newPreRoll(samples int) *preRoll {
	return &preRoll{ring: make([]byte, samples*sampleBytes)}
}

// reset forgets everything and goes on at the media position at.
func (r *preRoll) reset(at int64) {
	r.held, r.end = 0, at
	r.spans = r.spans[:0]
}

// addAudio appends whole samples.
func (r *preRoll) addAudio(pcm []byte) {
	if len(pcm) == 0 {
		return
	}
	r.extend(int64(len(pcm)/sampleBytes), false)
	r.held += len(pcm)
	if surplus := len(pcm) - len(r.ring); surplus > 0 {
		pcm = pcm[surplus:]
	}
	n := copy(r.ring[r.head:], pcm)
	copy(r.ring, pcm[n:])
	r.head = (r.head + len(pcm)) % len(r.ring)
	r.trim()
}

// addGap appends a gap.
func (r *preRoll) addGap(samples int64) {
	if len(r.spans) == 0 {
		r.end += samples // there is no audio in front of it
		return
	}
	r.extend(samples, true)
}

func (r *preRoll) extend(samples int64, gap bool) {
	if n := len(r.spans); n > 0 && r.spans[n-1].gap == gap {
		r.spans[n-1].samples += samples
	} else {
		r.spans = append(r.spans, span{start: r.end, samples: samples, gap: gap})
	}
	r.end += samples
}

// trim drops the oldest audio until the rest fits the ring, and gaps that no
// audio is in front of any more.
func (r *preRoll) trim() {
	gone := 0
	for gone < len(r.spans) {
		s := &r.spans[gone]
		if !s.gap {
			surplus := min(max(int64(r.held-len(r.ring))/sampleBytes, 0), s.samples)
			s.start, s.samples = s.start+surplus, s.samples-surplus
			r.held -= int(surplus) * sampleBytes
			if s.samples > 0 {
				break
			}
		}
		gone++
	}
	r.spans = append(r.spans[:0], r.spans[gone:]...)
}

// replay gives what there is from the media position from on, in order, beginning
// with audio: audio in fresh bytes, a gap as nil.
func (r *preRoll) replay(from int64, give func(start, samples int64, pcm []byte)) {
	at := r.head - r.held // of the next span of audio; one lap behind if negative
	given := false
	for _, s := range r.spans {
		skip := min(max(from-s.start, 0), s.samples)
		start, samples := s.start+skip, s.samples-skip
		switch {
		case samples == 0:
		case !s.gap:
			give(start, samples, r.bytes(at+int(skip)*sampleBytes, int(samples)*sampleBytes))
			given = true
		case given:
			give(start, samples, nil)
		}
		if !s.gap {
			at += int(s.samples) * sampleBytes
		}
	}
}

// bytes copies n bytes of the ring from at on, which may be one lap behind.
func (r *preRoll) bytes(at, n int) []byte {
	at = (at + len(r.ring)) % len(r.ring)
	out := make([]byte, n)
	copied := copy(out, r.ring[at:])
	copy(out[copied:], r.ring)
	return out
}
