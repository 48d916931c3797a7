package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// "Bad input" from files that a person names: the command says what is wrong with
// which file, and where, and exits with 1; nothing is sent to a server.
func TestBadFiles(t *testing.T) {
	riff := func(format, channels uint16, rate uint32, bits uint16, data string) string {
		var b bytes.Buffer
		for _, v := range []any{[]byte("RIFF"), uint32(36 + len(data)), []byte("WAVEfmt "), uint32(16), format, channels, rate,
			rate * uint32(channels) * uint32(bits) / 8, channels * bits / 8, bits, []byte("data"), uint32(len(data)), []byte(data)} {
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	second := strings.Repeat("\x00\x10", 16000)
	entry := func(seq, event, data string) string {
		return `{"v":2,"seq":` + seq + `,"at_us":0,"event":"` + event + `","data":` + data + `,"phase":"idle"}` + "\n"
	}
	begun := entry("1", "Begun", "{}")
	tests := []struct {
		name, file, content string
		says                string
	}{
		{"a WAV file that is empty", "q.wav", "", "truncated"},
		{"a WAV file cut in its header", "q.wav", riff(1, 1, 16000, 16, second)[:30], "truncated"},
		{"a WAV file cut in its sound", "q.wav", riff(1, 1, 16000, 16, second)[:10_000], "truncated"},
		{"a WAV file that claims 4 GB", "q.wav", strings.Replace(riff(1, 1, 16000, 16, second), "data\x00\x7d\x00\x00", "data\xf0\xff\xff\xff", 1), "truncated"},
		{"a WAV file of 24 bits", "q.wav", riff(1, 1, 16000, 24, second), "24-bit PCM"},
		{"a WAV file of floating point", "q.wav", riff(3, 1, 16000, 32, second), "floating point"},
		{"a WAV file of six channels", "q.wav", riff(1, 6, 16000, 16, second), "6 channels"},
		{"a WAV file at 1 Hz", "q.wav", riff(1, 1, 1, 16, second), "sample rate 1"},
		{"an MP3 for a WAV file", "q.wav", "ID3\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00", "not a WAV file"},
		{"a WAV file without a sample", "q.wav", riff(1, 1, 16000, 16, ""), "q.wav"},
		{"a journal of bytes", "j.journal", "\x00\xff\xfe{", "line 1"},
		{"a journal cut in a line", "j.journal", begun + entry("2", "NoticeDue", `{"Text":"Tea."}`)[:40], "line 2"},
		{"a journal with a line of 2 MB", "j.journal", begun + entry("2", "NoticeDue", `{"Text":"`+strings.Repeat("x", 2<<20)+`"}`), "line 2"},
		{"a journal with a line missing", "j.journal", begun + entry("3", "NoticeDue", `{"Text":"Tea."}`), "entry 3, want entry 2"},
		{"a journal of another version", "j.journal", strings.Replace(begun, `"v":2`, `"v":9`, 1), "version 9"},
		{"a journal with an unknown event", "j.journal", begun + entry("2", "MoonRose", `{}`), "MoonRose"},
		{"a journal with a number for a text", "j.journal", begun + entry("2", "NoticeDue", `{"Text":5}`), "NoticeDue"},
		{"a journal of wild numbers", "j.journal", begun + entry("2", "Played", `{"Turn":4294967295,"Offset":-9223372036854775808}`) +
			entry("3", "Delivered", `{"Turn":4294967295,"Offset":9223372036854775807,"Remaining":-1}`) +
			entry("4", "SpeechLasted", `{"Utterance":"never","Spoken":9223372036854775807}`) +
			entry("5", "Aborted", `{"Turn":4294967295,"Reason":"`+strings.Repeat("x", 1000)+`"}`), "entry 5 differs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"device", "--url", "ws://127.0.0.1:1/v1/ws", "--in", path} // where nobody listens
			if tt.file == "j.journal" {
				args = []string{"replay", path}
			}
			var stdout, stderr bytes.Buffer
			code := run(context.Background(), args, &stdout, &stderr)
			said := stderr.String() + stdout.String()
			if code != 1 || !strings.Contains(said, tt.says) || !strings.Contains(said, tt.file) {
				t.Errorf("exited with %d and said %.500q, want 1 and %q of %s", code, said, tt.says, tt.file)
			}
			if strings.Contains(said, "127.0.0.1:1:") {
				t.Errorf("the server was called first: %q", said)
			}
		})
	}
}
