package ai_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"edged/ai"
)

func TestV38SentinelsAreDistinct(t *testing.T) {
	all := []error{
		ai.ErrProviderNotFound, ai.ErrModelNotSupported, ai.ErrAgentNotFound, ai.ErrToolNotFound,
		ai.ErrInvalidArguments, ai.ErrMaxIterationsReached, ai.ErrNoContent, ai.ErrStreamClosed,
	}
	for i, a := range all {
		for j, b := range all {
			if errors.Is(a, b) != (i == j) {
				t.Errorf("errors.Is(%v, %v) is %v", a, b, i != j)
			}
		}
	}
}

func TestV40ToolError(t *testing.T) {
	err := fmt.Errorf("turn 3: %w", ai.NewToolError("lamp", fmt.Errorf("read: %w", io.ErrUnexpectedEOF)))
	var te *ai.ToolError
	if !errors.As(err, &te) {
		t.Fatal("errors.As does not find the ToolError")
	}
	if got, want := te.Error(), "ai: tool lamp: read: unexpected EOF"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if te.Unwrap() != te.Err || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is hidden")
	}
}

func TestV41ModelError(t *testing.T) {
	err := ai.NewModelError("acme", 529, "overloaded")
	if got, want := err.Error(), "ai: acme: overloaded"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if err.StatusCode != 529 || strings.Contains(err.Error(), "529") {
		t.Error("the status code belongs in its field and not in the text")
	}
}
