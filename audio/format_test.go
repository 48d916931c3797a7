package audio

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

const ms = time.Millisecond

func TestFormatValidate(t *testing.T) {
	tests := []struct {
		name   string
		format Format
		field  string // of the error; empty: valid
	}{
		{"opus as devices send it", Format{CodecOpus, Rate16k, 1, 60 * ms}, ""},
		{"opus, longest packet", Format{CodecOpus, Rate48k, 2, 120 * ms}, ""},
		{"opus at a rate it has not", Format{CodecOpus, 44100, 1, 20 * ms}, "sample rate"},
		{"opus packet that cannot be", Format{CodecOpus, Rate16k, 1, 30 * ms}, "packet duration"},
		{"pcm", Format{CodecPCM, Rate24k, 1, 20 * ms}, ""},
		{"pcm at a rate of discs", Format{CodecPCM, 44100, 2, 20 * ms}, ""},
		{"pcm packet with half a sample", Format{CodecPCM, 22050, 1, 25 * ms}, "packet duration"},
		{"pcm packet too short", Format{CodecPCM, Rate16k, 1, 5 * ms}, "packet duration"},
		{"pcm packet too long", Format{CodecPCM, Rate16k, 1, 125 * ms}, "packet duration"},
		{"pcm too slow", Format{CodecPCM, 4000, 1, 20 * ms}, "sample rate"},
		{"pcm too fast", Format{CodecPCM, 96000, 1, 20 * ms}, "sample rate"},
		{"no channel", Format{CodecPCM, Rate16k, 0, 20 * ms}, "channels"},
		{"three channels", Format{CodecOpus, Rate16k, 3, 20 * ms}, "channels"},
		{"unknown codec", Format{"mp3", Rate16k, 1, 20 * ms}, "codec"},
		{"zero value", Format{}, "codec"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.format.Validate()
			if tt.field == "" {
				if err != nil {
					t.Errorf("%v: %v, want no error", tt.format, err)
				}
				return
			}
			fault, ok := errors.AsType[*FormatError](err)
			if !ok || fault.Field != tt.field || fault.Value == "" || fault.Allowed == "" {
				t.Errorf("%v: %v, want a *FormatError for the %s with value and remedy", tt.format, err, tt.field)
			}
		})
	}
}

func TestFrameSamples(t *testing.T) {
	tests := []struct {
		format Format
		want   int
	}{
		{Format{CodecOpus, Rate16k, 1, 60 * ms}, 960},
		{Format{CodecPCM, 22050, 2, 20 * ms}, 441},
		{Format{CodecOpus, Rate48k, 1, 20 * ms}, 960},
	}
	for _, tt := range tests {
		if got := tt.format.FrameSamples(); got != tt.want {
			t.Errorf("%v: %d samples per channel in a packet, want %d", tt.format, got, tt.want)
		}
	}
}

func TestPCMMIMEType(t *testing.T) {
	for _, rate := range []SampleRate{Rate8k, 11025, Rate16k, 22050, Rate24k, Rate48k} {
		text := PCMMIMEType(rate)
		if want := fmt.Sprintf("audio/pcm;rate=%d", int(rate)); text != want {
			t.Errorf("PCMMIMEType(%d) = %q, want %q", rate, text, want)
		}
		if got, channels, err := ParsePCMMIMEType(text); got != rate || channels != 1 || err != nil {
			t.Errorf("ParsePCMMIMEType(%q) = %v, %d, %v, want it back", text, got, channels, err)
		}
	}
}

func TestParsePCMMIMEType(t *testing.T) {
	tests := []struct {
		text     string
		rate     SampleRate // 0: refused
		channels int
	}{
		{"audio/pcm; rate=16000", 16000, 1},
		{`Audio/PCM;Rate="24000"`, 24000, 1},
		{"audio/pcm;channels=2;rate=48000", 48000, 2},
		{"audio/pcm;rate=16000;channels=1;codec=pcm", 16000, 1},
		{"audio/pcm", 0, 0},
		{"audio/opus", 0, 0},
		{"", 0, 0},
		{"audio/pcm;rate=fast", 0, 0},
		{"audio/pcm;rate=-16000", 0, 0},
		{"audio/pcm;rate=1", 0, 0},
		{"audio/pcm;rate=99999999999999999999", 0, 0},
		{"audio/pcm;rate=16000;channels=0", 0, 0},
		{"audio/pcm;rate=16000;channels=9", 0, 0},
		{"audio/pcm;rate=16000;rate=8000", 0, 0},
	}
	for _, tt := range tests {
		rate, channels, err := ParsePCMMIMEType(tt.text)
		if rate != tt.rate || channels != tt.channels {
			t.Errorf("ParsePCMMIMEType(%q) = %v, %d, want %v, %d", tt.text, rate, channels, tt.rate, tt.channels)
		}
		if fault, ok := errors.AsType[*FormatError](err); (tt.rate == 0) != ok || ok && fault.Field != "MIME type" {
			t.Errorf("ParsePCMMIMEType(%q): error %v, want a *FormatError exactly when it is refused", tt.text, err)
		}
	}
}

// Chunks name their MIME type each time: that must be free.
func TestMIMETypeDoesNotAllocate(t *testing.T) {
	allocs := testing.AllocsPerRun(1000, func() {
		for _, rate := range [...]SampleRate{Rate8k, Rate16k, Rate24k, Rate48k} {
			if got, _, _ := ParsePCMMIMEType(PCMMIMEType(rate)); got != rate {
				t.Errorf("got %v, want %v", got, rate)
			}
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}

func ExampleFormat() {
	format := Format{Codec: CodecOpus, Rate: Rate16k, Channels: 1, Ptime: 60 * time.Millisecond}
	fmt.Println(format, "has", format.FrameSamples(), "samples in a packet")
	format.Rate = 44100
	fmt.Println(format.Validate())
	// Output:
	// opus 16000 Hz mono 60ms has 960 samples in a packet
	// audio: sample rate 44100 Hz is not supported: use 8000, 12000, 16000, 24000 or 48000 Hz for opus
}
