package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"edged/internal/loader"
)

// Ports looks at where the server listens.
type Ports struct {
	// Listen and Operators are the configured addresses; Operators may be empty.
	Listen, Operators string
	// OperatorsToken: the operators have one.
	OperatorsToken bool
	// Credentials is how many devices and signing keys there are: somebody wants
	// to connect from elsewhere.
	Credentials int
	// MaxSessions is how many devices may be connected, FilesEach how many open
	// files each takes.
	MaxSessions, FilesEach int
	// MayListen reports why the server would refuse the address.
	MayListen func(address string) error
	// Open listens; nil means the network's own.
	Open func(ctx context.Context, network, address string) (net.Listener, error)
	// Answers reports whether an edged answers at the address.
	Answers func(ctx context.Context, address string) bool
	// FileLimit returns how many files this process may have open.
	FileLimit func() (uint64, error)
	// Proc is where the process file system is mounted, Program the path of edged.
	Proc, Program string

	// Running is set by Look: host:port of an edged that is up at Listen, "" if
	// there is none.
	Running string
}

// Look tries to listen on each address for a moment.
func (p *Ports) Look(ctx context.Context) []Finding {
	if p.Open == nil {
		p.Open = new(net.ListenConfig).Listen
	}
	found := p.server(ctx)
	if p.Operators != "" {
		found = append(found, p.operators(ctx))
	}
	return append(found, p.files())
}

func (p *Ports) server(ctx context.Context) []Finding {
	const key = "server.listen"
	if err := p.MayListen(p.Listen); err != nil {
		return []Finding{problemf("%s: %s would be open to other machines, and anybody may connect", key, p.Listen).
			because("edged serve refuses to listen there", Fix{
				Text: "give the devices tokens (devices, server.signing_keys), or say that it is meant",
				Key:  "server.listen: 127.0.0.1:8080, or server.public: true",
			})}
	}
	found, _ := p.listen(ctx, key, p.Listen, true)
	all := []Finding{found}
	switch _, port, _ := net.SplitHostPort(p.Listen); {
	case p.Credentials == 0:
	case !loader.BeyondLoopback(p.Listen):
		all = append(all, warningf("%s: %s is reached from this machine only", key, p.Listen).
			because("devices have credentials, and a device on the network cannot connect", Fix{
				Text: "listen on all interfaces, unless a proxy on this machine stands in front", Key: key + ": 0.0.0.0:" + orPort(port),
			}))
	case port == "0":
		all = append(all, warningf("%s: %s takes another port at each start", key, p.Listen).
			because("devices do not know where to connect", Fix{Key: key + ": 0.0.0.0:8080"}))
	}
	return all
}

func orPort(port string) string {
	if port == "0" {
		return "8080"
	}
	return port
}

func (p *Ports) operators(ctx context.Context) Finding {
	const key = "operators.listen"
	if overlap(p.Operators, p.Listen) {
		return problemf("%s: %s is where devices connect, too", key, p.Operators).
			because("edged serve cannot listen there twice", Fix{Text: "leave it empty to share the devices' address, or take another port", Key: key + `: ""`})
	}
	if loader.BeyondLoopback(p.Operators) && !p.OperatorsToken {
		return problemf("%s: %s is open to other machines, and operators have no token", key, p.Operators).
			because("edged serve refuses to start", Fix{Key: "operators.token: $EDGED_OPERATOR_TOKEN", Command: export("EDGED_OPERATOR_TOKEN")})
	}
	found, holder := p.listen(ctx, key, p.Operators, false)
	if p.Running != "" && found.Level == Problem && holder == p.holder(p.Listen) {
		return okf("%s: %s is held by the edged that is up", key, p.Operators)
	}
	return found
}

// listen tries one address. holder is who has it, if it is taken.
func (p *Ports) listen(ctx context.Context, key, address string, devices bool) (found Finding, holder owner) {
	listener, err := p.Open(ctx, "tcp", address)
	if err == nil {
		_ = listener.Close() // it was opened to see that it can be
		if _, port, _ := net.SplitHostPort(address); port == "0" {
			return okf("%s: a free port of %s is taken at each start", key, address), owner{}
		}
		return okf("%s: %s is free", key, address), owner{}
	}
	host, port, _ := net.SplitHostPort(address)
	switch {
	case errors.Is(err, unix.EADDRINUSE):
		holder = p.holder(address)
		if devices && p.Answers != nil && p.Answers(ctx, reachable(address)) {
			p.Running = reachable(address)
			return okf("%s: an edged is up at %s (%s); the spoken question goes to it", key, address, holder), holder
		}
		fix := Fix{Text: "end that program, or take another port", Key: key + ": " + net.JoinHostPort(host, "8090")}
		if port == "8090" {
			fix.Key = key + ": " + net.JoinHostPort(host, "8091")
		}
		if holder.pid > 0 {
			fix.Command = fmt.Sprintf("ps -p %d -o pid,user,args", holder.pid)
			fix.Text = "look who that is and end it, or take another port"
		}
		return problemf("%s: %s is taken by %s", key, address, holder).because("edged serve cannot listen there", fix), holder
	case errors.Is(err, unix.EACCES):
		return problemf("%s: %s is a privileged port: this user may listen on %d and above", key, address, p.firstPort()).
			because("edged serve cannot listen there", Fix{
				Text:    "take a higher port, or allow it to edged (as root; from the package " + packageCapabilities + ")",
				Key:     key + ": " + net.JoinHostPort(host, "8080"),
				Command: "setcap cap_net_bind_service=+ep " + quoted(p.Program),
			}), holder
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return problemf("%s: %s is not an address of this machine, which has %s", key, host, addresses()).
			because("edged serve cannot listen there", Fix{Text: "take one of those, or all of them", Key: key + ": 0.0.0.0:" + port}), holder
	}
	return problemf("%s: cannot listen on %s: %v", key, address, err).
		because("edged serve cannot listen there", Fix{Text: "take another address", Key: key + ": 127.0.0.1:8080"}), holder
}

// spareFiles are those that a server has open besides its devices': standard
// streams, listeners, log, libraries and operators.
const spareFiles = 64

func (p *Ports) files() Finding {
	limit, err := p.FileLimit()
	if err != nil {
		return skippedf("how many files may be open is not known: %v", err)
	}
	need := uint64(p.MaxSessions*p.FilesEach + spareFiles)
	if limit >= need {
		return okf("%d files may be open, %s take %d", limit, plural(p.MaxSessions, "device"), need)
	}
	fits := max(1, (int64(limit)-spareFiles)/int64(p.FilesEach))
	return warningf("%d files may be open, and %s take %d", limit, plural(p.MaxSessions, "device"), need).
		because(fmt.Sprintf("from about %d connected devices on, further ones fail", fits), Fix{
			Text:    "raise the limit where edged is started (LimitNOFILE= in a systemd unit), or admit fewer devices",
			Key:     fmt.Sprintf("server.max_sessions: %d", fits),
			Command: fmt.Sprintf("ulimit -n %d", need),
		})
}

// reachable is the address with which a client on this machine reaches a server
// that listens on address.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	switch ip, err := netip.ParseAddr(host); {
	case host == "" || err == nil && ip == netip.IPv4Unspecified():
		host = "127.0.0.1"
	case err == nil && ip == netip.IPv6Unspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}

// overlap reports whether two addresses cannot both be listened on.
func overlap(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB || portA == "0" {
		return false
	}
	return hostA == hostB || unspecified(hostA) || unspecified(hostB) || !loader.BeyondLoopback(a) && !loader.BeyondLoopback(b)
}

func unspecified(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.IsUnspecified()
}

// addresses lists those of this machine.
func addresses() string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return "others"
	}
	var names []string
	for _, a := range all {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			names = append(names, prefix.Addr().String())
		}
	}
	return strings.Join(names, ", ")
}

// firstPort is the first one that everybody may listen on.
func (p *Ports) firstPort() int {
	text := readLine(p.Proc + "/sys/net/ipv4/ip_unprivileged_port_start")
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return 1024 // the kernel's default
}
