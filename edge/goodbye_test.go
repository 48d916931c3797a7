package edge

import (
	"testing"
	"testing/synctest"
	"time"

	"edged/dialog"
)

// A device that says goodbye as soon as it has the end of a reply has got all of
// it: the session hears so, before it hears that the device is gone.
func TestGoodbyeAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, offerOf(pcm16k20, pcm16k60), Limits{})
		r.transport.mu.Lock()
		r.transport.onWrite = func(w record) {
			if _, ok := w.control.(ReplyEnd); ok {
				go func() { r.transport.input <- func(*Inlet) error { return errByeBye } }()
				time.Sleep(time.Millisecond) // the goodbye overtakes what the writer does next
			}
		}
		r.transport.mu.Unlock()
		r.play(1, begin())
		r.play(1, speech(16000, 120*ms)...)
		r.play(1, end())
		time.Sleep(time.Second)
		delivered := false
		for e := range r.leg.Events() {
			_, is := e.(dialog.Delivered)
			delivered = delivered || is
		}
		if !delivered {
			t.Error("the session is not told that the reply was delivered")
		}
		if err := <-r.over; err != nil {
			t.Errorf("the connection ended with %v, want an ordinary end", err)
		}
	})
}
