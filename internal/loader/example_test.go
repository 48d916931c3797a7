package loader_test

import (
	"fmt"

	"edged/internal/loader"
)

func ExampleLoad() {
	cfg, err := loader.Load(loader.Sources{Environ: []string{"EDGED_SERVER_MAX_SESSIONS=50"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cfg.Server.Listen, cfg.Server.MaxSessions)

	_, err = loader.Load(loader.Sources{Environ: []string{"EDGED_SERVER_MAX_SESSIONS=none"}})
	fmt.Println(err)
	// Output:
	// 127.0.0.1:8080 50
	// configuration:
	//   EDGED_SERVER_MAX_SESSIONS: server.max_sessions: "none" does not fit; allowed: a whole number
}
