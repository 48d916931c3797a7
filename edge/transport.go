package edge

// Packet is one packet of audio in either direction.
type Packet struct {
	// Seq counts the packets of a direction, modulo 2^32.
	Seq uint32
	// Timestamp is the media time of the first sample since the beginning of
	// the route (a listening period, a reply), in samples per channel at the
	// negotiated rate, modulo 2^32.
	Timestamp uint32
	// Begin and End mark the first and the last packet of a route.
	Begin, End bool
	// Gap is how many samples per channel the sender left out in place of this
	// packet; 0 for a packet that carries audio.
	Gap uint32
	// Void: the packet is of a kind that is not known here. It takes its number
	// and means nothing else.
	Void bool
	// Payload is one Opus packet or s16le PCM. Empty means silence, or nothing
	// at all in a packet that only marks an end. It is valid during the call
	// that it is passed to.
	Payload []byte
}

// Transport is one connection to a device, as a Leg needs it.
//
// Receive is called once and reads until the connection ends, handing what
// arrives to in. The Write methods and Close are called by one other goroutine,
// one at a time. Kill may be called by any goroutine at any time.
type Transport interface {
	// Receive reads the connection until it ends and returns why: nil after a
	// bye of the device, an *Error that the device deserves to be told, or any
	// other error when the connection broke.
	Receive(in *Inlet) error
	// WriteControl writes one control message and returns once the network
	// stack has it.
	WriteControl(Control) error
	// WriteAudio writes one packet of the reply and returns once the network
	// stack has it. The payload is not retained.
	WriteAudio(Packet) error
	// Close tells the device why, as far as it still listens, and closes. It
	// unblocks Receive.
	Close(Farewell) error
	// Kill closes at once and unblocks all other methods.
	Kill()
}
