package realtime

// CompositeSeq is Merge with a boundary between each two inputs: when an input
// has ended and another follows, an end-of-stream chunk ends the MIME channel
// that the input used last. It carries StreamID, label, role and name of the
// last chunk of that channel and a Part of its type without data, so that it
// ends this channel of this route and nothing else.
//
// There is no such marker after the last input, after an input that had no
// content, and after one that has itself ended that channel or its route. It
// comes as soon as the input has ended, before the next one has anything to
// say. What else an input leaves open stays open.
func CompositeSeq(streams ...Stream) Stream { return inSequence(streams, &channelMarker{}) }

// channelMarker remembers the last chunk with a Part of the current input,
// until the channel of that chunk ends.
type channelMarker struct{ last *MessageChunk }

func (b *channelMarker) observe(chunk *MessageChunk) {
	switch {
	case chunk.ControlOnly():
		if b.last != nil && chunk.IsEndOfStream() && chunk.Route() == b.last.Route() {
			b.last = nil
		}
	case emptyPart(chunk.Part) == nil: // a tool call alone has no MIME type
	case chunk.IsEndOfStream():
		b.last = nil
	default:
		b.last = chunk
	}
}

func (b *channelMarker) next() *MessageChunk {
	last := b.last
	b.last = nil
	if last == nil {
		return nil
	}
	ctrl := &StreamCtrl{EndOfStream: true}
	if last.Ctrl != nil {
		ctrl.StreamID, ctrl.Label = last.Ctrl.StreamID, last.Ctrl.Label
	}
	return &MessageChunk{Role: last.Role, Name: last.Name, Part: emptyPart(last.Part), Ctrl: ctrl}
}

// emptyPart returns a Part without data on the channel of part, nil if it has
// none.
func emptyPart(part Part) Part {
	if _, isText := part.(Text); isText {
		return Text("")
	}
	if mimeType, ok := mimeTypeOf(part); ok {
		return &Blob{MIMEType: mimeType}
	}
	return nil
}
