package asr_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain also checks that nothing is left running.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
