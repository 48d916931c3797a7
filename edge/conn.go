package edge

import (
	"net"
	"time"
)

const (
	// audioBytes is what a second of audio may take on the network: mono PCM at
	// 48 kHz, and a third more for headers.
	audioBytes = 128 << 10
	// controlBytes is what a control message may take on average: most take less
	// than a hundred.
	controlBytes = 4 << 10
)

// Meter returns conn with its reads slowed down to as many bytes a second as the
// limits of control and audio can need: AudioRate times 128 KiB and
// ControlPerSecond times 4 KiB, a second's worth of them at once. A transport puts
// it below whatever parses bytes, since not everything that makes work is a
// message or a packet: WebSocket has empty fragments. Where one of the two sets no
// bound, neither does this. Read serves one goroutine at a time.
func (l Limits) Meter(conn net.Conn) net.Conn {
	if l.AudioRate < 0 || l.ControlPerSecond < 0 {
		return conn
	}
	perSecond := l.AudioRate*audioBytes + float64(l.ControlPerSecond)*controlBytes
	return &meteredConn{Conn: conn, perByte: float64(time.Second) / perSecond}
}

// meteredConn is a connection that is read no faster than its meter allows.
type meteredConn struct {
	net.Conn
	perByte float64 // nanoseconds
	meter   meter
}

// Read reads, and sleeps when that was too much.
func (c *meteredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	cost := time.Duration(float64(n) * c.perByte)
	for {
		wait := c.meter.spend(time.Now(), cost, time.Second)
		if wait == 0 {
			return n, err
		}
		time.Sleep(wait)
	}
}
