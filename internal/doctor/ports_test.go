package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"edged/internal/doctor"
)

// ports are those of a healthy server on a free port.
func ports() *doctor.Ports {
	return &doctor.Ports{
		Listen: "127.0.0.1:0", MaxSessions: 200, FilesEach: 1, Proc: "/proc", Program: "/opt/edged",
		MayListen: func(string) error { return nil },
		FileLimit: func() (uint64, error) { return 1024, nil },
	}
}

// taken returns an address that this process listens on.
func taken(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// look runs the check and sees that everything it found can be acted on.
func look(t *testing.T, look func(context.Context) []doctor.Finding) []doctor.Finding {
	t.Helper()
	found := look(t.Context())
	actionable(t, found)
	return found
}

func TestPortsFree(t *testing.T) {
	p := ports()
	p.Operators = "127.0.0.1:0"
	found := look(t, p.Look)
	healthy(t, found)
	want(t, found, doctor.OK, "server.listen", "a free port")
	want(t, found, doctor.OK, "operators.listen")
	want(t, found, doctor.OK, "1024 files", "200 devices")
}

// A port that is taken: by whom, as the kernel tells.
func TestPortTaken(t *testing.T) {
	p := ports()
	p.Listen = taken(t)
	_, port, _ := net.SplitHostPort(p.Listen)
	f := want(t, look(t, p.Look), doctor.Problem, "server.listen", p.Listen+" is taken by process "+fmt.Sprint(os.Getpid())+", ")
	wantFix(t, f, "server.listen: 127.0.0.1:8090")
	wantFix(t, f, fmt.Sprintf("ps -p %d", os.Getpid()))

	// The same for all interfaces, of which it holds one.
	p = ports()
	p.Listen = ":" + port
	want(t, look(t, p.Look), doctor.Problem, "is taken by process "+fmt.Sprint(os.Getpid()))
	if p.Running != "" {
		t.Errorf("Running = %q, and nothing says that it is an edged", p.Running)
	}
}

// An edged that is up is no problem: the question goes to it. Neither is its
// operators' port.
func TestPortOfRunningEdged(t *testing.T) {
	p := ports()
	p.Listen, p.Operators = taken(t), taken(t)
	p.Answers = func(_ context.Context, address string) bool { return address == p.Listen }
	found := look(t, p.Look)
	healthy(t, found)
	want(t, found, doctor.OK, "an edged is up at "+p.Listen)
	want(t, found, doctor.OK, "operators.listen", "held by the edged that is up")
	if p.Running != p.Listen {
		t.Errorf("Running = %q, want %q", p.Running, p.Listen)
	}
}

// One that listens everywhere is asked on this machine's own address.
func TestPortOfEdgedEverywhere(t *testing.T) {
	for listen, reach := range map[string]string{"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "localhost"} {
		p := ports()
		p.Listen = net.JoinHostPort(listen, "8080")
		p.Open = func(context.Context, string, string) (net.Listener, error) { return nil, unix.EADDRINUSE }
		var asked string
		p.Answers = func(_ context.Context, address string) bool { asked = address; return true }
		healthy(t, look(t, p.Look))
		if want := net.JoinHostPort(reach, "8080"); asked != want || p.Running != want {
			t.Errorf("%q: asked at %q, running at %q, want %q", p.Listen, asked, p.Running, want)
		}
	}
}

// Whose socket it is, where its process cannot be seen.
func TestPortOfAnotherUser(t *testing.T) {
	p := ports()
	p.Listen = taken(t)
	_, port, _ := net.SplitHostPort(p.Listen)
	var number int
	fmt.Sscan(port, &number)
	p.Proc = t.TempDir()
	if err := os.Mkdir(filepath.Join(p.Proc, "net"), 0o700); err != nil {
		t.Fatal(err)
	}
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	line := func(address, state string, uid int) string {
		return fmt.Sprintf("   0: %s:%04X 00000000:0000 %s 00000000:00000000 00:00000000 00000000 %5d        0 4711 1\n", address, number, state, uid)
	}
	// A connection from that port, and one on another address, come before it.
	write(t, filepath.Join(p.Proc, "net", "tcp"), head+line("0100007F", "01", nobody)+line("0200007F", "0A", nobody)+line("nonsense", "0A", nobody))
	write(t, filepath.Join(p.Proc, "net", "tcp6"), head+line("0000000000000000FFFF00000100007F", "0A", 0))
	want(t, look(t, p.Look), doctor.Problem, "a process of the user root")

	p.Proc = t.TempDir() // no process file system at all
	want(t, look(t, p.Look), doctor.Problem, "a process that cannot be seen from here")
}

// Addresses that cannot be had, and what to do.
func TestPortImpossible(t *testing.T) {
	refuses := func(errno error) func(context.Context, string, string) (net.Listener, error) {
		return func(context.Context, string, string) (net.Listener, error) {
			return nil, &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", errno)}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*doctor.Ports)
		says   []string
		fix    string
	}{
		{"privileged", func(p *doctor.Ports) { p.Listen, p.Open = "0.0.0.0:80", refuses(unix.EACCES) },
			[]string{"0.0.0.0:80 is a privileged port", "and above"}, "setcap cap_net_bind_service=+ep /opt/edged"},
		{"privileged, another port", func(p *doctor.Ports) { p.Listen, p.Open = "0.0.0.0:80", refuses(syscall.EACCES) },
			[]string{"0.0.0.0:80"}, "server.listen: 0.0.0.0:8080"},
		// 192.0.2.0/24 is for documentation (RFC 5737): no machine has it.
		{"not here", func(p *doctor.Ports) { p.Listen = "192.0.2.1:8080" },
			[]string{"192.0.2.1 is not an address of this machine", "127.0.0.1"}, "server.listen: 0.0.0.0:8080"},
		{"something else", func(p *doctor.Ports) { p.Open = refuses(unix.ENFILE) }, []string{"too many open files"}, "server.listen"},
		{"open to all", func(p *doctor.Ports) {
			p.Listen, p.MayListen = "0.0.0.0:8080", func(string) error { return errors.New("no") }
		}, []string{"open to other machines", "refuses"}, "server.public: true"},
		{"operators open to all", func(p *doctor.Ports) { p.Operators = "0.0.0.0:9090" },
			[]string{"operators.listen", "no token"}, "operators.token: $EDGED_OPERATOR_TOKEN"},
		{"operators where devices are", func(p *doctor.Ports) {
			p.Listen, p.Operators, p.Open = "0.0.0.0:8080", "127.0.0.1:8080", refuses(unix.ENFILE)
		},
			[]string{"operators.listen", "where devices connect"}, `operators.listen: ""`},
		{"operators' port taken", func(p *doctor.Ports) { p.Operators = taken(t) }, []string{"operators.listen", "is taken by process"}, "operators.listen: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := ports()
			tt.change(p)
			wantFix(t, want(t, look(t, p.Look), doctor.Problem, tt.says...), tt.fix)
		})
	}
}

// Works here, and not for the devices that there are.
func TestPortUnreachable(t *testing.T) {
	p := ports()
	p.Credentials = 3
	f := want(t, look(t, p.Look), doctor.Warning, "reached from this machine only", "a device on the network cannot connect")
	wantFix(t, f, "server.listen: 0.0.0.0:8080")
	p.Listen = "127.0.0.1:0"
	p.Credentials = 0
	healthy(t, look(t, p.Look))
	p.Listen, p.Credentials = ":0", 3
	wantFix(t, want(t, look(t, p.Look), doctor.Warning, "another port at each start"), "server.listen: 0.0.0.0:8080")
}

func TestFileLimit(t *testing.T) {
	p := ports()
	p.FilesEach = 2
	p.FileLimit = func() (uint64, error) { return 264, nil }
	f := want(t, look(t, p.Look), doctor.Warning, "264 files may be open", "about 100 connected devices") // (264-64)/2
	wantFix(t, f, "ulimit -n 464")                                                                        // 200*2+64
	wantFix(t, f, "server.max_sessions: 100")
	p.FileLimit = func() (uint64, error) { return 0, unix.ENOSYS }
	if f := want(t, look(t, p.Look), doctor.Skipped, "not known"); !strings.Contains(f.Found, unix.ENOSYS.Error()) {
		t.Errorf("%q does not say why", f.Found)
	}
}
