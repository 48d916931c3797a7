package ws_test

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"edged/edge"
	"edged/edge/ws"
	"edged/firmware-protocol/wire"
)

func Example() {
	server, err := edge.New(edge.Config{
		Handler: func(ctx context.Context, leg *edge.Leg) error { <-ctx.Done(); return nil },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	server.Handle(wire.Path, ws.Handler(server, ws.Config{LoopbackOrigins: true}))

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()

	response, err := http.Get("http://" + listener.Addr().String() + "/healthz")
	if err != nil {
		fmt.Println(err)
		return
	}
	response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	fmt.Println(response.Status)
	stop()
	fmt.Println(<-served)
	// Output:
	// 200 OK
	// <nil>
}
