package dialog_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"edged/dialog"
)

func TestTurnOfRoute(t *testing.T) {
	for _, turn := range []dialog.Turn{1, 7, math.MaxUint32} {
		if got, ok := dialog.TurnOfRoute(turn.Route()); !ok || got != turn {
			t.Errorf("TurnOfRoute(%q) = %d, %v; want %d", turn.Route(), got, ok, turn)
		}
	}
	for _, route := range []string{"", "reply", "reply/", "reply/x", "reply/-1", "reply/4294967296", "mic/1"} {
		if got, ok := dialog.TurnOfRoute(route); ok {
			t.Errorf("TurnOfRoute(%q) = %d, which is no reply route", route, got)
		}
	}
}

func TestModeOfLabel(t *testing.T) {
	for _, mode := range []dialog.Mode{dialog.ModeAuto, dialog.ModeManual, dialog.ModeRealtime} {
		if got, ok := dialog.ModeOfLabel(mode.Label()); !ok || got != mode {
			t.Errorf("ModeOfLabel(%q) = %q, %v; want %q", mode.Label(), got, ok, mode)
		}
	}
	if mode, ok := dialog.ModeOfLabel("listen.sometimes"); ok {
		t.Errorf("an unknown label is mode %q", mode)
	}
}

func ExampleTurn_Route() {
	turn := dialog.Turn(12)
	back, ok := dialog.TurnOfRoute(turn.Route())
	fmt.Println(turn.Route(), back, ok)
	// Output: reply/12 12 true
}

func ExamplePosition() {
	fmt.Println(dialog.Position{Turn: 3, Offset: 1250 * time.Millisecond})
	// Output: 3@1.25s
}
