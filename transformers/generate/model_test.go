package generate

import (
	"context"
	"io"
	"slices"

	"edged/ai"
)

// scripted is a chat model that says what it is told to and remembers what it
// was asked. Bound tools are kept per instance.
type scripted struct {
	log    *asked
	pieces []*ai.MessageChunk
	result ai.Result
	// fail ends the stream after the pieces; nil is io.EOF.
	fail error
	// refuse is the error of Stream and Generate.
	refuse error
	// stuck makes Recv wait, deaf to its context, until Close.
	stuck  bool
	answer *ai.Message
	tools  []ai.Tool
}

type asked struct {
	messages []*ai.Message
	options  *ai.Options
	tools    []ai.Tool
	closed   int
}

func (m *scripted) WithTools(tools ...ai.Tool) ai.ToolableChatModel {
	bound := *m
	bound.tools = slices.Clone(tools)
	return &bound
}

func (m *scripted) take(messages []*ai.Message, opts []ai.Option) {
	m.log.messages, m.log.options, m.log.tools = messages, ai.NewOptions().Apply(opts...), m.tools
}

func (m *scripted) Generate(_ context.Context, messages []*ai.Message, opts ...ai.Option) (*ai.Message, error) {
	m.take(messages, opts)
	return m.answer, m.refuse
}

func (m *scripted) Stream(_ context.Context, messages []*ai.Message, opts ...ai.Option) (ai.MessageStream, error) {
	m.take(messages, opts)
	if m.refuse != nil {
		return nil, m.refuse
	}
	pieces, closed := m.pieces, make(chan struct{})
	next := func() (*ai.MessageChunk, error) {
		if len(pieces) > 0 {
			piece := pieces[0]
			pieces = pieces[1:]
			return piece, nil
		}
		if m.stuck {
			<-closed
			return nil, ai.ErrStreamClosed
		}
		if m.fail != nil {
			return nil, m.fail
		}
		return nil, io.EOF
	}
	stop := func() error { m.log.closed++; close(closed); return nil }
	return ai.NewMessageStream(next, func() ai.Result { return m.result }, stop), nil
}

// talkOnly is a model that cannot be told of tools.
type talkOnly struct{ ai.ChatModel }
