package session

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
	"edged/session/log"
)

// A device that is no longer let in is not waited for: its session ends at once, in
// the middle of a reply as well, and the log says why.
func TestRevokedDeviceIsNotAwaited(t *testing.T) {
	for _, after := range []time.Duration{0, 4 * time.Second} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			inhabit(t, &script{heard: []string{"story"}, answer: story}, Profile{ResumeFor: resumable}, nil, func(h *house) {
				if after > 0 {
					h.ask()
					time.Sleep(after)
				}
				h.leave(fmt.Errorf("test device: %w", dialog.ErrRevoked))
				synctest.Wait()
				select {
				case err := <-h.served:
					if err != nil {
						h.t.Errorf("the session ended with %v", err)
					}
				default:
					h.t.Error("the session waits")
				}
				ends, causes := logged[log.SessionEnd](h.t, h.log), logged[log.Error](h.t, h.log)
				if len(ends) != 1 || len(causes) != 1 || causes[0].Code != dialog.ErrorUnauthorized || causes[0].Stage != "device" {
					h.t.Errorf("logged the ends %+v and the errors %+v, want one end, and that the device is unauthorized", ends, causes)
				}
				if n := len(logged[log.SessionDetach](h.t, h.log)); n != 0 {
					h.t.Errorf("it was detached %d times", n)
				}
				if _, ok := h.back(1, 0); ok {
					h.t.Error("the device comes back to it")
				}
			})
		})
	}
}
