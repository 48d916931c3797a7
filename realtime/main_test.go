package realtime

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// chunk constructors that keep the tables of this package readable.

func text(route, s string) *MessageChunk {
	return &MessageChunk{Role: RoleModel, Part: Text(s), Ctrl: &StreamCtrl{StreamID: route}}
}

func at(c *MessageChunk, ms int64) *MessageChunk { c.Ctrl.Timestamp = ms; return c }

func bos(c *MessageChunk) *MessageChunk { c.Ctrl.BeginOfStream = true; return c }

func eos(c *MessageChunk) *MessageChunk { c.Ctrl.EndOfStream = true; return c }

func control(route string) *MessageChunk {
	return &MessageChunk{Role: RoleUser, Ctrl: &StreamCtrl{StreamID: route}}
}

func blob(route, mimeType string, data ...byte) *MessageChunk {
	return &MessageChunk{Role: RoleUser, Part: &Blob{MIMEType: mimeType, Data: data}, Ctrl: &StreamCtrl{StreamID: route}}
}
