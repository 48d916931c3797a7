package realtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The steps of the tables below: each observes one chunk and says what must
// then be true.
type trackerStep struct {
	chunk  *MessageChunk
	breach Breach
	// want is "route state" or "route channel open|ended", comma separated.
	want string
}

func TestTracker(t *testing.T) {
	const opus = "audio/opus"
	spoken := func(route string) *MessageChunk { return blob(route, opus, 1) }
	failed := eos(text("r", ""))
	failed.Ctrl.Error = "synthesis failed"
	informed := text("r", "x")
	informed.Ctrl.Error = "quality is low"
	labelled := func(route, label string) *MessageChunk {
		c := text(route, "x")
		c.Ctrl.Label = label
		return c
	}
	tool := &MessageChunk{Role: RoleModel, ToolCall: &ToolCall{Name: "clock"}, Ctrl: &StreamCtrl{StreamID: "r"}}
	toolEnd := &MessageChunk{Role: RoleModel, ToolCall: &ToolCall{Name: "clock"}, Ctrl: &StreamCtrl{StreamID: "r", EndOfStream: true}}
	for _, test := range []struct {
		name  string
		steps []trackerStep
	}{
		{"G03 a beginning with a Part begins that channel only", []trackerStep{
			{bos(blob("r", opus)), "", "r open, r audio/opus open, r text/plain ended"}}},
		{"G04 a beginning without a Part begins the route", []trackerStep{
			{bos(control("r")), "", "r open, r text/plain ended"}}},
		{"G05 the end of text does not end the audio", []trackerStep{
			{text("r", "x"), "", "r open"}, {spoken("r"), "", "r open"},
			{eos(text("r", "")), "", "r open, r text/plain ended, r audio/opus open"},
			{spoken("r"), "", "r audio/opus open"}}},
		{"G06 an end without a Part ends all channels", []trackerStep{
			{text("r", "x"), "", ""}, {spoken("r"), "", ""},
			{eos(control("r")), "", "r complete, r text/plain ended, r audio/opus ended"}}},
		{"G07 later routes are new", []trackerStep{
			{text("r", "x"), "", ""}, {eos(control("r")), "", "r complete"}, {text("s", "x"), "", "s open, r complete"}}},
		{"G08 other routes stay as they were", []trackerStep{
			{text("r", "x"), "", ""}, {text("s", "x"), "", ""}, {eos(control("r")), "", "r complete, s open, s text/plain open"}}},
		{"G09 an end with data is no data after the end", []trackerStep{
			{text("r", "x"), "", ""}, {eos(text("r", "last")), "", "r complete"}}},
		{"G10 an end with an error ends its channel", []trackerStep{
			{text("r", "x"), "", ""}, {failed, "", "r complete"}}},
		{"G11 an error without an end ends nothing", []trackerStep{
			{informed, "", "r open, r text/plain open"}}},
		{"G12 beginning and end on one chunk are a whole channel", []trackerStep{
			{bos(eos(text("r", "x"))), "", "r complete, r text/plain ended"}}},
		{"G13 text, audio and tool calls live apart", []trackerStep{
			{text("r", "x"), "", ""}, {tool, "", "r tool/call open"}, {spoken("r"), "", ""},
			{eos(text("r", "")), "", "r open, r tool/call open"}, {toolEnd, "", "r open, r tool/call ended, r audio/opus open"},
			{eos(blob("r", opus)), "", "r complete"}}},
		{"G14 labels do not route", []trackerStep{
			{labelled("r", LabelTranscript), "", ""}, {labelled("r", LabelAssistant), "", "r open"},
			{eos(labelled("r", "")), "", "r complete"}}},
		{"G14 one label on two routes is two routes", []trackerStep{
			{labelled("r", LabelTranscript), "", ""}, {labelled("s", LabelTranscript), "", ""},
			{eos(labelled("r", LabelTranscript)), "", "r complete, s open"}}},
		{"G27 an end spelled differently ends the channel", []trackerStep{
			{blob("r", "audio/ogg;codecs=opus", 1), "", ""}, {eos(blob("r", "AUDIO/OGG ; Codecs=opus")), "", "r complete"}}},
		{"G29 G30 an announced late channel keeps the route open", []trackerStep{
			{text("r", "x"), "", ""}, {bos(blob("r", opus)), "", ""}, {eos(text("r", "")), "", "r open"},
			{spoken("r"), "", "r open"}, {eos(blob("r", opus)), "", "r complete"}}},
		{"G29 G30 an unannounced late channel is a breach", []trackerStep{
			{text("r", "x"), "", ""}, {eos(text("r", "")), "", "r complete"},
			{spoken("r"), BreachLateChannel, "r open, r audio/opus open"}, {eos(blob("r", opus)), "", "r complete"}}},
		{"G30 so is one that begins properly, but late", []trackerStep{
			{eos(text("r", "x")), "", "r complete"}, {bos(blob("r", opus)), BreachLateChannel, "r open"}}},
		{"G30 a control-only end completes whatever is open", []trackerStep{
			{bos(control("r")), "", "r open"}, {eos(control("r")), "", "r complete"}}},
		{"G30 a route that has only begun is not complete", []trackerStep{
			{bos(control("r")), "", "r open"}, {text("r", "x"), "", "r open"}}},
		{"G31 a second end of a channel is ignored", []trackerStep{
			{eos(text("r", "x")), "", "r complete"}, {eos(text("r", "")), "", "r complete"}}},
		{"G31 a second end of a route is ignored", []trackerStep{
			{text("r", "x"), "", ""}, {eos(control("r")), "", ""}, {eos(control("r")), "", "r complete"}, {eos(control("unheard")), "", "unheard unknown"}}},
		{"G31 data after the end is a breach", []trackerStep{
			{eos(text("r", "x")), "", ""}, {text("r", "y"), BreachDataAfterEnd, "r complete, r text/plain ended"}}},
		{"G31 also while the route is open", []trackerStep{
			{spoken("r"), "", ""}, {eos(text("r", "x")), "", ""}, {text("r", "y"), BreachDataAfterEnd, "r open, r text/plain ended"}}},
		{"G31 also when it claims to be the end", []trackerStep{
			{eos(text("r", "x")), "", ""}, {eos(text("r", "more")), BreachDataAfterEnd, "r complete"}}},
		{"G31 unless it begins anew", []trackerStep{
			{eos(text("r", "x")), "", ""}, {bos(text("r", "y")), "", "r open, r text/plain open"}, {eos(control("r")), "", "r complete"}}},
		{"a route that begins anew has no channels yet", []trackerStep{
			{eos(text("r", "x")), "", ""}, {bos(control("r")), "", "r open, r text/plain ended"}, {spoken("r"), "", "r open"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var tracker Tracker
			for i, step := range test.steps {
				err := tracker.Observe(step.chunk)
				var breach *BreachError
				if errors.As(err, &breach) != (step.breach != "") || (breach != nil && breach.Breach != step.breach) {
					t.Errorf("step %d: %v, want breach %q", i, err, step.breach)
				}
				if breach != nil && (breach.StreamID != "r" || breach.Channel == "") {
					t.Errorf("step %d: breach %+v does not say where", i, breach)
				}
				for claim := range strings.SplitSeq(step.want, ", ") {
					words := strings.Fields(claim)
					switch {
					case len(words) == 2 && tracker.Route(words[0]).String() != words[1]:
						t.Errorf("step %d: route %s is %v, want %s", i, words[0], tracker.Route(words[0]), words[1])
					case len(words) == 3 && tracker.ChannelOpen(words[0], words[1]) != (words[2] == "open"):
						t.Errorf("step %d: want %s", i, claim)
					}
				}
			}
		})
	}
}

func TestG36TheEndOfTheStreamEndsAllRoutes(t *testing.T) {
	var tracker Tracker
	for _, c := range []*MessageChunk{text("b", "x"), bos(control("a")), eos(text("done", "x"))} {
		if err := tracker.Observe(c); err != nil {
			t.Fatal(err)
		}
	}
	if got := tracker.Open(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("Open = %v, want [a b]", got)
	}
	if got := tracker.Finish(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("Finish = %v, want the routes left open", got)
	}
	if got := tracker.Open(); len(got) != 0 || tracker.Route("a") != RouteComplete {
		t.Errorf("still open after the end: %v", got)
	}
}

func TestTrackerIsBounded(t *testing.T) {
	var tracker Tracker
	for i := range 10_000 {
		if err := tracker.Observe(eos(text(fmt.Sprint(i), "x"))); err != nil {
			t.Fatal(err)
		}
	}
	if len(tracker.routes) > keptRoutes || len(tracker.complete) > keptRoutes {
		t.Errorf("%d routes are remembered, want at most %d", len(tracker.routes), keptRoutes)
	}
	if tracker.Route("9999") != RouteComplete || tracker.Route("0") != RouteUnknown {
		t.Error("want the newest remembered and the oldest forgotten")
	}
}
