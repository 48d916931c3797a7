package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"edged/ai"
	"edged/dialog"
	"edged/realtime"
	"edged/session/log"
)

// offeredTools returns what the model may use in this session: the session's
// timers and the device's own tools. A device tool that cannot be offered is
// reported to the device and the log and left out.
func (s *session) offeredTools() ([]ai.Tool, error) {
	tools, err := s.timers.tools()
	if err != nil {
		return nil, fmt.Errorf("session: timers: %w", err)
	}
	taken := make(map[string]bool)
	for _, t := range tools {
		taken[t.Info().Name] = true
	}
	for _, d := range s.device.Hello().Tools {
		t, err := s.calls.tool(d)
		if err == nil && taken[d.Name] {
			err = fmt.Errorf("session: device tool %q: the name is taken", d.Name)
		}
		if err != nil {
			s.tell(dialog.Failure{Code: dialog.ErrorProtocol, Message: err.Error()})
			continue
		}
		taken[d.Name] = true
		tools = append(tools, t)
	}
	return tools, nil
}

// maxCallsAtOnce bounds the tools that a model may ask for in one round. It is far
// above what Profile.ToolCalls lets run: a model that asks for more fails.
const maxCallsAtOnce = 128

// errTooManyCalls is told to a model that wants more tools than a turn has.
var errTooManyCalls = errors.New("not called: too many tool calls in this turn")

// callTools runs the calls of one round side by side and returns their results
// in the order of the calls. A failure is a result too: the model is told. So is
// a call that is one too many for the turn.
func (s *session) callTools(ctx context.Context, r *reply, calls []realtime.ToolCall) []toolUse {
	uses := make([]toolUse, len(calls))
	left := max(0, s.Profile.ToolCalls-len(r.toolsUsed()))
	var running sync.WaitGroup
	for i, call := range calls {
		if i >= left {
			uses[i] = toolUse{call, s.refuseTool(r.turn, call)}
			continue
		}
		running.Go(func() { uses[i] = toolUse{call, s.callTool(ctx, r.turn, call)} })
	}
	running.Wait()
	return uses
}

// refuseTool answers a call that is one too many.
func (s *session) refuseTool(turn dialog.Turn, call realtime.ToolCall) string {
	err := fmt.Errorf("%w: %d at most; answer with what you have", errTooManyCalls, max(0, s.Profile.ToolCalls))
	content := errorResult(err)
	s.log(turn, log.ToolCall{Call: call.ID, Tool: call.Name, Arguments: log.Text(call.Arguments)})
	s.log(turn, log.ToolResult{Call: call.ID, Tool: call.Name, Content: log.Text(content), Error: err.Error()})
	return content
}

func (s *session) callTool(ctx context.Context, turn dialog.Turn, call realtime.ToolCall) string {
	begin := time.Now()
	s.log(turn, log.ToolCall{Call: call.ID, Tool: call.Name, Arguments: log.Text(call.Arguments)})
	limited, cancel := context.WithTimeout(ctx, s.Profile.ToolTimeout)
	defer cancel()

	content, err := s.invoke(limited, call)
	done := log.ToolResult{Call: call.ID, Tool: call.Name, MS: log.MS(time.Since(begin))}
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = fmt.Errorf("no answer within %v", s.Profile.ToolTimeout)
		}
		done.Error = err.Error()
		content = errorResult(err)
	}
	done.Content = log.Text(content)
	s.log(turn, done)
	return content
}

// invoke runs one tool and turns its panic into an error.
func (s *session) invoke(ctx context.Context, call realtime.ToolCall) (content string, err error) {
	defer recoverTo(&err)
	return ai.Invoke(ctx, s.tools, ai.ToolCall{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
}

// errorResult is how a model is told that a tool failed.
func errorResult(err error) string {
	b, _ := json.Marshal(map[string]string{"error": err.Error()})
	return string(b)
}

// deviceCalls pairs the calls of device tools with the results that the device
// sends. Its methods may be called concurrently.
type deviceCalls struct {
	device sender

	mu      sync.Mutex
	issued  int
	waiting map[string]chan dialog.ToolResult
}

// sender is the part of a device that calls go to.
type sender interface{ Send(dialog.Downlink) error }

func newDeviceCalls(device sender) *deviceCalls {
	return &deviceCalls{device: device, waiting: make(map[string]chan dialog.ToolResult)}
}

// errDeviceTool is wrapped by what a device says about a failed tool.
var errDeviceTool = errors.New("the device reports")

// tool wraps a tool of the device.
func (c *deviceCalls) tool(d dialog.Tool) (ai.Tool, error) {
	return ai.NewRawTool(d.Name, d.Description, d.Parameters, func(ctx context.Context, arguments json.RawMessage) (string, error) {
		return c.invoke(ctx, d.Name, arguments)
	})
}

// invoke sends the call and waits for its result.
func (c *deviceCalls) invoke(ctx context.Context, name string, arguments json.RawMessage) (string, error) {
	answer := make(chan dialog.ToolResult, 1)
	c.mu.Lock()
	c.issued++
	id := "call-" + strconv.Itoa(c.issued)
	c.waiting[id] = answer
	c.mu.Unlock()
	defer c.forget(id)

	if err := c.device.Send(dialog.ToolCall{Call: id, Name: name, Arguments: arguments}); err != nil {
		return "", fmt.Errorf("device tool %s: %w", name, err)
	}
	select {
	case r := <-answer:
		if r.Error != "" {
			return "", fmt.Errorf("%w: %s", errDeviceTool, r.Error)
		}
		return r.Content, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// resolve delivers a result. One that nobody waits for any more, or that comes
// twice, is dropped: a late result never speaks.
func (c *deviceCalls) resolve(r dialog.ToolResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer, ok := c.waiting[r.Call]; ok {
		delete(c.waiting, r.Call)
		answer <- r
	}
}

func (c *deviceCalls) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}
