package session

import (
	"errors"
	"fmt"

	"edged/dialog"
)

// stageError says which stage of a reply failed.
type stageError struct {
	code dialog.ErrorCode
	err  error
}

func (e *stageError) Error() string { return fmt.Sprintf("session: %s: %v", stageOf(e.code), e.err) }

func (e *stageError) Unwrap() error { return e.err }

// asStage gives an error that no stage claims to the synthesiser, the last one
// on the way of a reply.
func asStage(err error) error {
	var stage *stageError
	if errors.As(err, &stage) {
		return err
	}
	return &stageError{dialog.ErrorTTS, err}
}

// codeOf returns the code of a failed reply. What no stage claims happened on
// the way through the synthesiser to the device.
func codeOf(err error) dialog.ErrorCode {
	var stage *stageError
	if errors.As(err, &stage) {
		return stage.code
	}
	return dialog.ErrorTTS
}

// stageOf names the stage of an error code for the log.
func stageOf(code dialog.ErrorCode) string {
	switch code {
	case dialog.ErrorASR:
		return "asr"
	case dialog.ErrorGenerate:
		return "generate"
	case dialog.ErrorTTS:
		return "tts"
	case dialog.ErrorInternal:
		return "session"
	default:
		return "device"
	}
}
