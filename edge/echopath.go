package edge

import (
	"time"

	"edged/dialog"
)

// echoGuard keeps the device's own voice out of its microphone. It is told what
// goes to the speaker and when, and gets the microphone to clean. Its methods are
// called by different goroutines and do not block.
type echoGuard interface {
	// sent: a packet of the reply of turn was written at the time at. pcm is what
	// is in it, at the device's rate and valid during the call; from is the
	// position of its first sample on the device's side, as in its
	// acknowledgements. The writer calls it, without a lock.
	sent(turn dialog.Turn, from int, pcm []int16, at time.Time)
	// played: at the time at the device said that so many samples of the reply of
	// turn have left its speaker; never more than was sent, and growing. The
	// reader calls it, without a lock.
	played(turn dialog.Turn, samples int, at time.Time)
	// stopped: at the time at the device was told to drop the replies up to turn.
	// The writer calls it, without a lock.
	stopped(turn dialog.Turn, at time.Time)
	// hear gets microphone audio at micRate on its way to the session, in order,
	// and may change it in place. A hole comes as missing samples without audio.
	// captured is when its first sample was captured at the latest. It is called
	// with uplink.mu held and takes no lock of the leg.
	hear(samples []int16, missing int, captured time.Time)
}
