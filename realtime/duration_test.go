package realtime

import (
	"testing"
	"time"
)

func TestMediaDuration(t *testing.T) {
	for _, test := range []struct {
		name string
		part Part
		want time.Duration
	}{
		{"20 ms of 16 kHz mono", &Blob{MIMEType: "audio/pcm;rate=16000", Data: make([]byte, 640)}, 20 * time.Millisecond},
		{"any spelling", &Blob{MIMEType: "Audio/PCM; Rate=16000", Data: make([]byte, 640)}, 20 * time.Millisecond},
		{"stereo halves it", &Blob{MIMEType: "audio/pcm;channels=2;rate=16000", Data: make([]byte, 640)}, 10 * time.Millisecond},
		{"no rate, no duration", &Blob{MIMEType: "audio/pcm", Data: make([]byte, 640)}, 0},
		{"an absurd rate", &Blob{MIMEType: "audio/pcm;rate=99999999999", Data: make([]byte, 640)}, 0},
		{"a negative rate", &Blob{MIMEType: "audio/pcm;rate=-1", Data: make([]byte, 640)}, 0},
		// TOC bytes by RFC 6716: config<<3 | code.
		{"Opus SILK wideband 60 ms", &Blob{MIMEType: "audio/opus", Data: []byte{11 << 3}}, 60 * time.Millisecond},
		{"Opus SILK narrowband 10 ms", &Blob{MIMEType: "audio/opus", Data: []byte{0 << 3}}, 10 * time.Millisecond},
		{"Opus hybrid 20 ms", &Blob{MIMEType: "audio/opus", Data: []byte{15 << 3}}, 20 * time.Millisecond},
		{"Opus CELT 2.5 ms, two frames", &Blob{MIMEType: "audio/opus", Data: []byte{16<<3 | 1}}, 5 * time.Millisecond},
		{"Opus CELT 20 ms, three frames", &Blob{MIMEType: "audio/opus", Data: []byte{31<<3 | 3, 3}}, 60 * time.Millisecond},
		{"Opus of an illegal length", &Blob{MIMEType: "audio/opus", Data: []byte{31<<3 | 3, 63}}, 0},
		{"Opus cut short", &Blob{MIMEType: "audio/opus", Data: []byte{31<<3 | 3}}, 0},
		{"empty Opus", &Blob{MIMEType: "audio/opus"}, 0},
		{"another type", &Blob{MIMEType: "image/jpeg", Data: make([]byte, 640)}, 0},
		{"a gap", &Gap{MIMEType: "audio/opus", Duration: time.Second}, time.Second},
		{"a negative gap", &Gap{Duration: -time.Second}, 0},
		{"text", Text("hello"), 0},
		{"nil", nil, 0},
		{"nil Blob", (*Blob)(nil), 0},
		{"nil Gap", (*Gap)(nil), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := MediaDuration(test.part); got != test.want {
				t.Errorf("MediaDuration = %v, want %v", got, test.want)
			}
		})
	}
}
