package ws

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"edged/audio"
	"edged/dialog"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// closeTimeout is how long a peer that is turned away may take to let itself be
// told.
const closeTimeout = 3 * time.Second

// visit is one connection between its HTTP request and its session.
type visit struct {
	handler       *handler
	creds         edge.Credentials
	identity      edge.Identity
	authenticated bool
	admission     *edge.Admission
	admitted      bool // it has its place
}

// serve exchanges hellos and runs the session.
func (v *visit) serve(ctx context.Context, t *transport) {
	hello, err := v.receiveHello(ctx, t)
	if err != nil {
		v.turnAway(t, err)
		return
	}
	if !v.authenticated {
		v.creds.Token, v.creds.Device = hello.Token, hello.Device
		if v.identity, err = v.handler.server.Authenticate(ctx, v.creds); err != nil {
			v.turnAway(t, err)
			return
		}
	}
	if !v.admitted {
		if err := v.admission.Admit(v.identity); err != nil {
			v.turnAway(t, err)
			return
		}
	}
	t.up, t.down = hello.Audio.Up, hello.Audio.Down
	leg, err := v.admission.Open(offer(hello, v.creds.Remote), t)
	if err != nil {
		v.turnAway(t, err)
		return
	}
	if err := t.write(v.answer(hello, leg)); err != nil {
		v.handler.server.Log().Debug().Err(err).Str("remote", v.creds.Remote).Msg("connection lost at its hello")
		return
	}
	_ = v.admission.Serve(ctx, leg) // the server logs why it ended
}

// receiveHello waits for the first message. When it does not come in time, or the
// server shuts down, the error is the *edge.Error to tell.
func (v *visit) receiveHello(ctx context.Context, t *transport) (wire.DeviceHello, error) {
	limit := v.handler.server.Limits().HelloTimeout
	waiting, cancel := context.WithTimeoutCause(ctx, limit, &edge.Error{
		Code: dialog.ErrorTimeout, Message: fmt.Sprintf("no hello within %s", limit),
	})
	defer cancel()
	// The WebSocket's own deadline would cut the connection without a word.
	told := make(chan struct{})
	stop := context.AfterFunc(waiting, func() {
		defer close(told)
		v.turnAway(t, hangUp(context.Cause(waiting)))
	})
	typ, message, err := t.read()
	if !stop() {
		<-told
		return wire.DeviceHello{}, errTold
	}
	if err != nil {
		return wire.DeviceHello{}, err
	}
	if typ != websocket.MessageText {
		return wire.DeviceHello{}, &edge.Error{Code: dialog.ErrorProtocol, Message: "the first message must be the hello, as text"}
	}
	decoded, err := wire.DecodeMessage(wire.FromDevice, message)
	if err != nil {
		return wire.DeviceHello{}, faultOf(err)
	}
	hello, ok := decoded.(wire.DeviceHello)
	switch {
	case !ok:
		return wire.DeviceHello{}, &edge.Error{Code: dialog.ErrorProtocol, Message: fmt.Sprintf("the first message must be the hello, not %q", decoded.Kind())}
	case hello.Protocol != wire.Protocol:
		return wire.DeviceHello{}, &edge.Error{Code: dialog.ErrorVersion, Message: fmt.Sprintf("the hello speaks %q, this server %q", hello.Protocol, wire.Protocol)}
	}
	return hello, nil
}

// errTold: the peer was turned away already.
var errTold = errors.New("ws: turned away")

// hangUp translates why a hello is not waited for any longer.
func hangUp(cause error) error {
	var told *edge.Error
	if errors.As(cause, &told) {
		return told
	}
	return &edge.Error{Code: dialog.ErrorShutdown, Message: "the server is shutting down", Err: cause}
}

// turnAway tells the peer why it is not served and closes. An error that is not
// for the peer means that it has gone.
func (v *visit) turnAway(t *transport, err error) {
	if err == errTold {
		return
	}
	var told *edge.Error
	if !errors.As(err, &told) {
		v.handler.server.Log().Debug().Err(err).Str("remote", v.creds.Remote).Msg("connection lost before its hello")
		return
	}
	v.handler.server.CountRefusal(told.Code)
	v.handler.refusals.Info().Err(told).Str("remote", v.creds.Remote).Msg("connection turned away")
	cut := time.AfterFunc(closeTimeout, t.Kill)
	defer cut.Stop()
	_ = t.Close(edge.Farewell{Code: told.Code, Message: told.Message, RetryAfter: told.RetryAfter})
}

// offer translates a hello.
func offer(hello wire.DeviceHello, remote string) edge.Offer {
	o := edge.Offer{
		Hello: dialog.Hello{
			Device: hello.Device, Model: hello.Model, Version: hello.Firmware, Remote: remote,
			Capabilities: dialog.Capabilities{
				FullDuplex: hello.Capabilities.FullDuplex, AEC: hello.Capabilities.AEC,
				Flush: hello.Capabilities.Flush, Ack: hello.Capabilities.Ack, Hold: hello.Capabilities.Hold,
				QueueCap: time.Duration(hello.BufferMS) * time.Millisecond,
			},
		},
		Up: format(hello.Audio.Up), Down: format(hello.Audio.Down),
	}
	if r := hello.Resume; r != nil {
		o.Hello.Resume = &dialog.Resume{Session: r.Session, Turn: dialog.Turn(r.Turn), Samples: r.Samples}
	}
	for _, tool := range hello.Tools {
		o.Hello.Tools = append(o.Hello.Tools, dialog.Tool{Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters})
	}
	return o
}

func format(f wire.Format) audio.Format {
	return audio.Format{
		Codec: audio.Codec(f.Codec), Rate: audio.SampleRate(f.SampleRate), Channels: int(f.Channels),
		Ptime: time.Duration(f.FrameMS) * time.Millisecond,
	}
}

// answer is the server's hello.
func (v *visit) answer(hello wire.DeviceHello, leg *edge.Leg) wire.ServerHello {
	limits := v.handler.server.Limits()
	answer := wire.ServerHello{
		Protocol: wire.Protocol,
		Session:  leg.Hello().Session,
		Device:   leg.Hello().Device,
		Audio:    hello.Audio,
		LeadMS:   millis(leg.Hello().Capabilities.Lead),
		PingMS:   millis(limits.PingInterval),
		Limits: wire.Limits{
			ControlBytes: wire.MaxControl, PayloadBytes: wire.MaxPayload, IdleMS: millis(limits.IdleTimeout),
			ControlPerSecond: uint32(max(0, limits.ControlPerSecond)), AudioPercent: uint32(max(0, 100*limits.AudioRate)),
		},
	}
	if leg.Hello().Resume != nil {
		answer.Resumed = &wire.Resumed{Turn: uint32(leg.Resumed().Turn), Answering: leg.Resumed().Answering}
	}
	return answer
}
