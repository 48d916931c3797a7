package wire

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestSpecIsComplete: SPEC.md names every message, every member of one, every cause
// and every code that the codec knows, and every limit as it is.
func TestSpecIsComplete(t *testing.T) {
	spec := string(read(t, "../SPEC.md"))
	named := func(what, name string) {
		t.Helper()
		if !strings.Contains(spec, "`"+name+"`") && !strings.Contains(spec, "."+name+"`") {
			t.Errorf("SPEC.md does not name the %s `%s`", what, name)
		}
	}
	var members func(reflect.Type)
	members = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			named("member of "+typ.Name(), name)
			members(typ.Field(i).Type)
		}
	}
	for _, c := range messageCases {
		named("message", string(c.want.Kind()))
		members(reflect.TypeOf(c.want))
	}
	for _, cause := range []Cause{CauseAbort, CauseListen, CauseSpeech, CauseWake, CauseError, CauseShutdown} {
		named("cause", string(cause))
	}
	for _, mode := range []ListenMode{ModeAuto, ModeManual, ModeRealtime} {
		named("mode", string(mode))
	}
	for _, code := range []ErrorCode{CodeMalformed, CodeProtocol, CodeVersion, CodeTooLarge, CodeTooFast, CodeAudio, CodeUnauthorized,
		CodeTimeout, CodeBusy, CodeReplaced, CodeShutdown, CodeASR, CodeGenerate, CodeTTS, CodeInternal} {
		named("code", string(code))
	}
	limits := spec[strings.Index(spec, "\n## 7. "):strings.Index(spec, "\n## 8. ")]
	for _, limit := range []int{MaxControl, MaxFrame, MaxOpusPayload, MaxGap, MaxName, MaxLabel, MaxToken, MaxText, MaxErrorText,
		MaxTools, MaxToolText, MaxToolSchema, MaxToolData, MaxWakeAudio, MaxBuffer} {
		if !strings.Contains(limits, fmt.Sprint(limit)) {
			t.Errorf("section 7 does not state the limit %d", limit)
		}
	}
}

// TestSpecExamples: the JSON messages that SPEC.md shows whole are valid.
func TestSpecExamples(t *testing.T) {
	_, rest, found := strings.Cut(string(read(t, "../SPEC.md")), "```json\n")
	n := 0
	for ; found; n++ {
		example, after, _ := strings.Cut(rest, "```")
		_, rest, found = strings.Cut(after, "```json\n")
		from := FromDevice
		if strings.Contains(example, `"session"`) {
			from = FromServer
		}
		if _, err := DecodeMessage(from, []byte(example)); err != nil {
			t.Errorf("%v in\n%s", err, example)
		}
	}
	if n < 2 {
		t.Errorf("%d examples, want at least the two hellos", n)
	}
}
