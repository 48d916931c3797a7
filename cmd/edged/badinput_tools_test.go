package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"edged/firmware-protocol/wire"
	"edged/internal/edgetest"
	"edged/realtime"
	"edged/transformers"
)

// caller is a generator that asks for tools first and then says what they returned.
type caller struct {
	scriptedGenerator
	calls []realtime.ToolCall
}

func (g caller) GenerateStream(ctx context.Context, _ string, mc transformers.ModelContext) (realtime.Stream, error) {
	var results []string
	for m := range mc.Messages() {
		switch p := m.Payload.(type) {
		case realtime.Contents:
			if m.Role == realtime.RoleUser {
				results = nil // of an earlier question
			}
		case *realtime.ToolResult:
			results = append(results, p.Content)
		}
	}
	return realtime.Produce(ctx, 0, func(ctx context.Context, out *realtime.StreamBuilder) error {
		if results != nil {
			return out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleModel, Part: realtime.Text("Got " + strings.Join(results, " and ") + ".")})
		}
		for _, call := range g.calls {
			if err := out.Add(ctx, &realtime.MessageChunk{Role: realtime.RoleModel, ToolCall: &call}); err != nil {
				return err
			}
		}
		return nil
	}), nil
}

// lampCall is what the model asks the device for.
var lampCall = realtime.ToolCall{ID: "m1", Name: "lamp", Arguments: `{"on":true}`}

// lamp is a tool of a device that answers with what a test says.
func lamp(schema string, call func(ctx context.Context, d *edgetest.Device) (string, error)) (tool edgetest.Tool, own func(*edgetest.Device)) {
	device := make(chan *edgetest.Device, 1)
	return edgetest.Tool{
		Tool: wire.Tool{Name: "lamp", Description: "Switches the lamp.", Parameters: json.RawMessage(schema)},
		Call: func(ctx context.Context, _ json.RawMessage) (string, error) {
			d := <-device
			device <- d
			return call(ctx, d)
		},
	}, func(d *edgetest.Device) { device <- d }
}

const lampSchema = `{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"]}`

// "Bad input" from a device whose tool was called: what the model is told of it, and
// that the turn and the session go on.
func TestOddToolResults(t *testing.T) {
	raw := func(texts ...string) func(context.Context, *edgetest.Device) (string, error) {
		return func(ctx context.Context, d *edgetest.Device) (string, error) {
			for _, text := range texts {
				if err := d.SendRaw(ctx, true, []byte(text)); err != nil {
					return "", err
				}
			}
			return "proper", nil
		}
	}
	never := func(texts ...string) func(context.Context, *edgetest.Device) (string, error) {
		return func(ctx context.Context, d *edgetest.Device) (string, error) {
			_, _ = raw(texts...)(ctx, d)
			<-ctx.Done() // the connection has ended
			return "", ctx.Err()
		}
	}
	tests := []struct {
		name  string
		call  func(context.Context, *edgetest.Device) (string, error)
		reply string // the model's
		told  []wire.ErrorCode
	}{
		{"of a call that is not known", raw(`{"type":"tool_result","id":"call-77","content":"forged"}`), "Got proper.", nil},
		{"twice: the first counts", raw(`{"type":"tool_result","id":"call-1","content":"first"}`, `{"type":"tool_result","id":"call-1","content":"second"}`), "Got first.", nil},
		{"content that is no JSON", raw(`{"type":"tool_result","id":"call-1","content":"{\"level\":"}`), `Got {"level":.`, nil},
		{"content and error at once", raw(`{"type":"tool_result","id":"call-1","content":"done","error":"failed"}`), `Got {"error":"ai: tool lamp: the device reports: failed"}.`, nil},
		{"neither content nor error", raw(`{"type":"tool_result","id":"call-1"}`), "Got .", nil},
		{"control characters", raw(`{"type":"tool_result","id":"call-1","content":"\u0000\u001b[2J"}`), "Got \x00\x1b[2J.", nil},
		{"above the limit, and never again", never(`{"type":"tool_result","id":"call-1","content":"` + strings.Repeat("x", wire.MaxToolData+1) + `"}`),
			`Got {"error":"no answer within 10s"}.`, []wire.ErrorCode{wire.CodeTooLarge}},
		{"broken JSON, and never again", never(`{"type":"tool_result","id":"call-1","content":`),
			`Got {"error":"no answer within 10s"}.`, []wire.ErrorCode{wire.CodeMalformed}},
		{"none", never(), `Got {"error":"no answer within 10s"}.`, nil},
	}
	question := recording(t, "what time is it")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			engines, err := scripted("what time is it", "", counted)
			if err != nil {
				t.Fatal(err)
			}
			engines.Generator = caller{calls: []realtime.ToolCall{lampCall}}
			converseWith(t, engines, func(t *testing.T, h *house) {
				tool, own := lamp(lampSchema, tt.call)
				d := h.dial(func(cfg *edgetest.Config) { cfg.Tools = []edgetest.Tool{tool} })
				own(d)
				if a := h.ask(d, question); a.Reply != tt.reply {
					t.Errorf("the model says %q, want %q", a.Reply, tt.reply)
				}
				var told []wire.ErrorCode
				for _, f := range d.Failures() {
					told = append(told, f.Code)
				}
				if len(told) != len(tt.told) || len(told) > 0 && told[0] != tt.told[0] {
					t.Errorf("the device is told %q, want %q", told, tt.told)
				}
				if err := d.Send(context.Background(), wire.ToolResult{ID: "call-1", Content: "much later"}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
				if turns := d.Turns(); len(turns) != 1 {
					t.Errorf("a late result began a turn: %v", turns)
				}
				h.hangUp(d)
			})
		})
	}
}

// "Bad input" in a hello that shows only once its tools are offered to a model: a tool
// whose schema makes no sense is left out, its device is told which and why, and the
// others are offered.
func TestOddTools(t *testing.T) {
	tests := []struct {
		name, schema string
		says         string // empty: it is offered
	}{
		{"no schema", ``, ""},
		{"an empty schema", `{}`, ""},
		{"a schema of a list", `{"type":"array"}`, "object"},
		{"a type that there is not", `{"type":"object","properties":{"on":{"type":"colour"}}}`, "schema"},
		{"a keyword of a wrong type", `{"type":"object","required":7}`, "schema"},
		{"a schema that reads a file", `{"type":"object","properties":{"on":{"$ref":"file:///etc/passwd"}}}`, "reference"},
		{"a schema that calls itself", `{"type":"object","properties":{"on":{"$ref":"#"}}}`, ""},
		{"a schema of 500 levels", strings.Repeat(`{"not":`, 500) + `{}` + strings.Repeat(`}`, 500), ""},
	}
	question := recording(t, "what time is it")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			engines, err := scripted("what time is it", "", counted)
			if err != nil {
				t.Fatal(err)
			}
			engines.Generator = caller{calls: []realtime.ToolCall{lampCall}}
			converseWith(t, engines, func(t *testing.T, h *house) {
				tool, own := lamp(tt.schema, func(context.Context, *edgetest.Device) (string, error) { return "on", nil })
				if tt.schema == "" {
					tool.Parameters = nil
				}
				d := h.dial(func(cfg *edgetest.Config) { cfg.Tools = []edgetest.Tool{tool} })
				own(d)
				a := h.ask(d, question)
				time.Sleep(time.Second)
				failures := d.Failures()
				if tt.says == "" {
					if len(failures) > 0 {
						t.Errorf("told %v of a tool that is in order", failures)
					}
				} else if len(failures) != 1 || failures[0].Code != wire.CodeProtocol || failures[0].Fatal || !strings.Contains(failures[0].Message, tt.says) || !strings.Contains(failures[0].Message, "lamp") {
					t.Errorf("told %v, want one protocol error that says %q", failures, tt.says)
				} else if !strings.Contains(a.Reply, "error") {
					t.Errorf("the model called a tool that is not offered: %q", a.Reply)
				}
				h.hangUp(d)
			})
		})
	}
}

// "Bad input" from a model that calls tools: it is told what is wrong, no device is
// asked, and the turn goes on.
func TestOddToolCalls(t *testing.T) {
	call := func(name, arguments string) realtime.ToolCall {
		return realtime.ToolCall{ID: "m1", Name: name, Arguments: arguments}
	}
	tests := []struct {
		name  string
		calls []realtime.ToolCall
		says  string // the model, of what it was told
		asked bool   // the device
	}{
		{"a tool that there is not", []realtime.ToolCall{call("rocket", `{}`)}, "rocket", false},
		{"a name of 1 MB", []realtime.ToolCall{call(strings.Repeat("n", 1<<20), `{}`)}, "error", false},
		{"arguments that are no JSON", []realtime.ToolCall{call("lamp", `{"on":`)}, "error", false},
		{"arguments of a wrong type", []realtime.ToolCall{call("lamp", `{"on":"perhaps"}`)}, "error", false},
		{"arguments that are missing", []realtime.ToolCall{call("lamp", `{}`)}, "error", false},
		{"arguments that are a list", []realtime.ToolCall{call("lamp", `[true]`)}, "error", false},
		{"no arguments at all", []realtime.ToolCall{call("lamp", ``)}, "error", false},
		{"arguments above what a device takes", []realtime.ToolCall{call("lamp", `{"on":true,"x":"`+strings.Repeat("x", 10_000)+`"}`)}, "could not be sent", false},
		{"two calls of one id", []realtime.ToolCall{lampCall, lampCall}, "Got on and on.", true},
	}
	question := recording(t, "what time is it")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			engines, err := scripted("what time is it", "", counted)
			if err != nil {
				t.Fatal(err)
			}
			engines.Generator = caller{calls: tt.calls}
			converseWith(t, engines, func(t *testing.T, h *house) {
				tool, own := lamp(lampSchema, func(context.Context, *edgetest.Device) (string, error) { return "on", nil })
				d := h.dial(func(cfg *edgetest.Config) { cfg.Tools, cfg.Forget = []edgetest.Tool{tool}, true })
				own(d)
				a, err := d.Ask(context.Background(), edgetest.Question{PCM: question, AbortAfter: time.Second}) // an error may be long
				if err != nil || a.Failure != nil || !strings.Contains(a.Reply, tt.says) {
					t.Errorf("the model says %.200q (%v, %v), want %q in it", a.Reply, a.Failure, err, tt.says)
				}
				if asked := happenedTo[wire.ToolCall](d, 1); asked != tt.asked {
					t.Errorf("the device was asked: %v, want %v", asked, tt.asked)
				}
				h.hangUp(d)
				outcome := "edged_tool_results_total outcome=error"
				if tt.asked {
					outcome = "edged_tool_results_total outcome=ok"
				}
				h.scrape().want(t, map[string]float64{outcome: float64(len(tt.calls)), "edged_tool_calls_total": float64(len(tt.calls))})
			})
		})
	}
}
