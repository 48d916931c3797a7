package session

import (
	"context"
	"sort"
	"sync"
	"time"

	"edged/audio"
	"edged/realtime"
)

const (
	// voiceAhead bounds the voice of a reply that is synthesised ahead of its
	// playback: 30 s in chunks of 100 ms, more than the longest segment. The
	// voice waits here, not at the device, so that the ledger knows the length
	// of what is being played.
	voiceAhead = 300
	// voiceBehind is how much of what was handed to the device is kept for one
	// that comes back after it lost its connection. The edge sends at most its
	// lead ahead of playback; the rest is for what a stalled network swallows
	// before its loss is noticed.
	voiceBehind = 15 * time.Second
)

// voice is the sound of one reply between the synthesiser that makes it and the
// device that plays it. What was played stays for a while, so that playing can
// begin anew in the middle.
//
// One goroutine adds, one takes; the others may be called by anybody.
type voice struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced at every change
	items   []voiceItem
	next    int           // of items, the one to take
	length  time.Duration // of all audio that was added
	end     error         // set once nothing more will be added
}

// voiceItem is a piece of a reply: text with the audio that follows, or audio.
type voiceItem struct {
	chunk *realtime.MessageChunk
	at    time.Duration // where it begins
	audio time.Duration // how long it lasts; 0 for text
}

func newVoice() *voice { return &voice{changed: make(chan struct{})} }

// change wakes who waits. It needs mu.
func (v *voice) change() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// add appends a piece that lasts so long, waiting while enough is ahead.
func (v *voice) add(ctx context.Context, chunk *realtime.MessageChunk, lasts time.Duration) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for len(v.items)-v.next >= voiceAhead {
		if err := v.wait(ctx); err != nil {
			return err
		}
	}
	v.items = append(v.items, voiceItem{chunk, v.length, lasts})
	v.length += lasts
	v.change()
	return nil
}

// finish says that nothing more is added, and why.
func (v *voice) finish(end error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.end = end
	v.change()
}

// take returns the next piece, waiting for it. After the last one it returns
// what finish said.
func (v *voice) take(ctx context.Context) (voiceItem, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for v.next == len(v.items) {
		if v.end != nil {
			return voiceItem{}, v.end
		}
		if err := v.wait(ctx); err != nil {
			return voiceItem{}, err
		}
	}
	item := v.items[v.next]
	v.next++
	v.forget(item.at - voiceBehind)
	v.change()
	return item, nil
}

// forget drops what lies wholly before the position. It needs mu.
func (v *voice) forget(before time.Duration) {
	n := 0
	for n < v.next && v.items[n].at+v.items[n].audio < before {
		n++
	}
	if n < voiceAhead/4 { // not for each chunk
		return
	}
	v.items = append([]voiceItem(nil), v.items[n:]...)
	v.next -= n
}

// rewind makes the text that is spoken at the position, and the audio from
// there on, come next. It returns where that is: behind the position if what
// lies there was forgotten.
func (v *voice) rewind(to time.Duration) (from time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	defer v.change()
	first := sort.Search(len(v.items), func(i int) bool { return v.items[i].at+v.items[i].audio > to })
	for first > 0 && v.items[first-1].audio == 0 && v.items[first-1].at == to {
		first--
	}
	v.next = first
	if first == len(v.items) {
		return v.length
	}
	head := &v.items[first]
	if head.at >= to {
		return head.at
	}
	*head = head.from(to)
	return to
}

// from is the audio without what lies before the position.
func (i voiceItem) from(to time.Duration) voiceItem {
	blob, ok := i.chunk.Part.(*realtime.Blob)
	if !ok {
		return i
	}
	rate, channels, err := audio.ParsePCMMIMEType(blob.MIMEType)
	if err != nil {
		return i
	}
	skip := min(len(blob.Data), 2*channels*rate.Samples(to-i.at))
	chunk, rest := *i.chunk, *blob
	rest.Data = blob.Data[skip:]
	chunk.Part = &rest
	return voiceItem{&chunk, to, i.audio - (to - i.at)}
}

// wait needs mu and gives it up while it waits for a change.
func (v *voice) wait(ctx context.Context) error {
	changed := v.changed
	v.mu.Unlock()
	defer v.mu.Lock()
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
