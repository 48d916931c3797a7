package impair

import (
	"fmt"
	"time"
)

// Network says what happens to the packets of one connection. The zero value is a
// perfect network.
//
// edged.v1 runs over TCP, which loses and reorders nothing: what is lost here
// stands for what a device drops before it sends or after it receives, and for
// later transports. Control messages are only delayed. Neither are frames with BOS
// or EOS lost or reordered: a transport that loses packets has other ways to tell
// where a stream begins and ends.
type Network struct {
	// Loss is the share of the audio packets that are lost, 0 to below 1.
	Loss float64
	// Burst is how many packets are lost in a row on average. Up to 1 the losses
	// are independent; above it they follow the model of Gilbert and Elliott: a
	// good state that loses nothing, a bad one that loses everything.
	Burst float64
	// Jitter delays each message by a random time, most of them by less than
	// this. A delayed message delays what is behind it, as TCP does.
	Jitter time.Duration
	// Shape is the distribution of the delays.
	Shape Shape
	// Reorder is the share of the audio packets that are overtaken by the next
	// one, 0 to 1.
	Reorder float64
	// Duplicate is the share of the audio packets that come twice, 0 to 1.
	Duplicate float64
	// Seed of all that is random.
	Seed uint64
}

// Perfect reports whether nothing happens to any packet.
func (n Network) Perfect() bool {
	return n.Loss <= 0 && n.Jitter <= 0 && n.Reorder <= 0 && n.Duplicate <= 0
}

// maxJitter bounds how much waits in a Line.
const maxJitter = 5 * time.Second

// Check returns what is wrong with n, with what is allowed.
func (n Network) Check() error {
	switch {
	case !(n.Loss >= 0 && n.Loss < 1):
		return fmt.Errorf("impair: loss %v: want a share from 0 to below 1", n.Loss)
	case !(n.Burst >= 0):
		return fmt.Errorf("impair: burst %v: want packets, 1 or more", n.Burst)
	case n.Burst > 1 && n.Loss > n.Burst/(n.Burst+1):
		return fmt.Errorf("impair: loss %v: bursts of %v packets with one good packet between them lose at most %.2f", n.Loss, n.Burst, n.Burst/(n.Burst+1))
	case n.Jitter < 0 || n.Jitter > maxJitter:
		return fmt.Errorf("impair: jitter %v: want 0 to %v", n.Jitter, maxJitter)
	case !(n.Reorder >= 0 && n.Reorder <= 1):
		return fmt.Errorf("impair: reorder %v: want a share from 0 to 1", n.Reorder)
	case !(n.Duplicate >= 0 && n.Duplicate <= 1):
		return fmt.Errorf("impair: duplicate %v: want a share from 0 to 1", n.Duplicate)
	}
	return nil
}
