package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"edged/firmware-protocol/wire"
	"edged/internal/loader"
)

// The limits of the configuration are those of the server: what it says in its
// hello, and whom it turns away.
func TestLimitsOfTheConfiguration(t *testing.T) {
	config := filepath.Join(t.TempDir(), "edged.yaml")
	write(t, config, "server:\n  anonymous: true\n  limits: {sessions_per_address: 1, connects_per_minute: 3, control_per_second: 20, audio_rate: 2.5}\n")
	url, _ := served(t, "--config", config)
	greet := func(device string) wire.Message {
		t.Helper()
		conn, response, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{Subprotocols: []string{wire.Protocol}})
		if err != nil {
			if response == nil {
				t.Fatal(err)
			}
			var body struct {
				Error struct{ Code, Message string }
			}
			if err := json.NewDecoder(response.Body).Decode(&body); err != nil || response.Header.Get("Retry-After") == "" {
				t.Errorf("refused with %d without a word or a time (%v)", response.StatusCode, err)
			}
			return wire.Failure{Code: wire.ErrorCode(body.Error.Code), Message: body.Error.Message}
		}
		t.Cleanup(func() { _ = conn.CloseNow() })
		p := &stranger{t, conn}
		format := wire.Format{Codec: wire.CodecPCM, SampleRate: 16000, Channels: 1, FrameMS: 60}
		hello, err := wire.AppendMessage(nil, wire.DeviceHello{Protocol: wire.Protocol, Device: device, Audio: wire.Audio{Up: format, Down: format}})
		if err != nil {
			t.Fatal(err)
		}
		p.say(string(hello))
		return p.hear()
	}
	hello, ok := greet("lamp").(wire.ServerHello)
	if !ok || hello.Limits.ControlPerSecond != 20 || hello.Limits.AudioPercent != 250 {
		t.Errorf("the hello states %+v", hello.Limits)
	}
	for _, says := range []string{"1 sessions of this address", "1 sessions of this address", "more than 3 connections a minute"} {
		f, ok := greet("toy").(wire.Failure)
		if !ok || f.Code != wire.CodeBusy || !strings.Contains(f.Message, says) {
			t.Errorf("told %+v, want busy and %q", f, says)
		}
	}
}

// The bound of tool calls is the profile's, and 0 is none at all.
func TestToolCallsOfTheConfiguration(t *testing.T) {
	for set, want := range map[string]int{"": 16, "5": 5, "0": -1} {
		flags := map[string]string{}
		if set != "" {
			flags["profiles.default.tool_calls_per_turn"] = set
		}
		cfg, err := loader.Load(loader.Sources{Flags: flags})
		if err != nil {
			t.Fatal(err)
		}
		if got := profile(cfg, loader.DefaultProfile).ToolCalls; got != want {
			t.Errorf("tool_calls_per_turn %q becomes %d, want %d", set, got, want)
		}
	}
}
