package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A short journal, as a session writes it.
const shortJournal = `{"v":2,"seq":1,"at_us":0,"event":"Begun","data":{},"phase":"idle"}
{"v":2,"seq":2,"at_us":1000,"event":"ListenStarted","data":{"Route":"mic/1","Mode":"auto"},"phase":"listening"}
{"v":2,"seq":3,"at_us":250000,"event":"Aborted","data":{"Turn":0,"Reason":""},"phase":"listening","asked":[{"action":"Flush","data":{"Turn":0,"Cause":"abort"}}]}
`

func TestReplay(t *testing.T) {
	for _, tt := range []struct {
		name, from, to string
		json           bool
		fails          bool
		want           []string
	}{
		{name: "identical", want: []string{"identical (3 events, 1 actions)", "idle -> listening", "0.250s", "Flush"}},
		{name: "as JSON", json: true, want: []string{`"event":"Aborted"`, `"identical":true`, `"events":3`}},
		{name: "an action differs", from: `"Cause":"abort"`, to: `"Cause":"wake"`, fails: true,
			want: []string{"entry 3 differs", `recorded Flush {"Turn":0,"Cause":"wake"}`, `now Flush {"Turn":0,"Cause":"abort"}`}},
		{name: "the phase differs", from: `"phase":"listening"`, to: `"phase":"thinking"`, fails: true, want: []string{"entry 2 differs", "recorded phase thinking, now listening"}},
		{name: "a difference as JSON", json: true, from: `"Cause":"abort"`, to: `"Cause":"wake"`, fails: true, want: []string{`"first_difference":3`}},
		{name: "an old version", from: `"v":2,"seq":2`, to: `"v":1,"seq":2`, fails: true, want: []string{"line 2", "version 1 does not hold the actions"}},
		{name: "no JSON", from: `{"v":2,"seq":3`, to: `{"v":2,,`, fails: true, want: []string{"line 3"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			if err := os.WriteFile(path, []byte(strings.Replace(shortJournal, tt.from, tt.to, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err := (&replayCmd{Files: []string{path}, JSON: tt.json}).Run(streams{&out, &out})
			if (err != nil) != tt.fails {
				t.Errorf("err = %v, want a failure: %v", err, tt.fails)
			}
			text := out.String()
			if err != nil && !errors.Is(err, errTold) {
				text += err.Error()
			}
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s\nwant %q in it", text, want)
				}
			}
		})
	}
}
