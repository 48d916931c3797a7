package edgetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"edged/firmware-protocol/wire"
)

// maxCalls bounds the tools that run at once.
const maxCalls = 8

// call runs a tool on a goroutine of its own and answers with its result.
func (d *Device) call(m wire.ToolCall) {
	d.mu.Lock()
	busy := d.callsOpen >= maxCalls
	if !busy {
		d.callsOpen++
	}
	d.mu.Unlock()
	if busy {
		d.reply(wire.ToolResult{ID: m.ID, Error: fmt.Sprintf("busy: %d tools are running", maxCalls)})
		return
	}
	d.tools.Go(func() {
		ctx, cancel := context.WithCancel(context.Background())
		var watch sync.WaitGroup
		watch.Go(func() {
			select {
			case <-d.gone:
				cancel()
			case <-ctx.Done():
			}
		})
		defer watch.Wait()
		defer cancel()
		result := wire.ToolResult{ID: m.ID}
		content, err := d.runTool(ctx, m)
		if err != nil {
			result.Error = cut(err.Error(), wire.MaxErrorText)
		} else {
			result.Content = cut(content, wire.MaxToolData)
		}
		d.reply(result)
		d.mu.Lock()
		d.callsOpen--
		d.change()
		d.mu.Unlock()
	})
}

func cut(s string, most int) string {
	if len(s) > most {
		s = s[:most]
	}
	return strings.ToValidUTF8(s, "")
}

func (d *Device) runTool(ctx context.Context, m wire.ToolCall) (string, error) {
	switch m.Name {
	case "set_volume":
		return d.setVolume(m.Arguments)
	case "get_volume":
		return fmt.Sprintf(`{"level":%d}`, d.Volume()), nil
	}
	for _, t := range d.cfg.Tools {
		if t.Name == m.Name {
			return t.Call(ctx, m.Arguments)
		}
	}
	return "", fmt.Errorf("this device has no tool %q", m.Name)
}

func (d *Device) setVolume(arguments json.RawMessage) (string, error) {
	var args struct {
		Level *int `json:"level"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil || args.Level == nil {
		return "", errors.New(`want {"level": 0 to 100}`)
	}
	if *args.Level < 0 || *args.Level > 100 {
		return "", fmt.Errorf("level %d is not between 0 and 100", *args.Level)
	}
	d.mu.Lock()
	d.volume = *args.Level
	d.mu.Unlock()
	return fmt.Sprintf(`{"level":%d}`, *args.Level), nil
}

// Volume returns the state that set_volume changes, 0 to 100.
func (d *Device) Volume() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.volume
}

// builtinTools are the functions that every simulated device has.
func builtinTools() []wire.Tool {
	return []wire.Tool{
		{Name: "set_volume", Description: "Sets the volume of the speaker in percent.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"level":{"type":"integer","minimum":0,"maximum":100}},"required":["level"],"additionalProperties":false}`)},
		{Name: "get_volume", Description: "Tells the volume of the speaker in percent."},
	}
}
