package doctor

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// owner is who listens on a port, as far as the process file system tells.
type owner struct {
	// pid is 0 where the process belongs to somebody else.
	pid     int
	program string
	user    string
}

// String names the process, or whatever is known.
func (o owner) String() string {
	switch {
	case o.pid > 0:
		return fmt.Sprintf("process %d, %s", o.pid, o.program)
	case o.user != "":
		return "a process of the user " + o.user
	}
	return "a process that cannot be seen from here"
}

// socket is a listening socket.
type socket struct {
	address netip.AddrPort
	uid     string
	inode   string
}

// holder finds who listens on the address.
func (p *Ports) holder(address string) owner {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return owner{}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		for _, s := range listening(filepath.Join(p.Proc, "net", table)) {
			ip := s.address.Addr().Unmap()
			if fmt.Sprint(s.address.Port()) != port || !unspecified(host) && !ip.IsUnspecified() && ip.String() != host && host != "localhost" {
				continue
			}
			return p.owner(s)
		}
	}
	return owner{}
}

// listening reads a table of sockets. What cannot be read has none.
func listening(path string) []socket {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	var all []socket
	const listen = "0A"
	for lines := bufio.NewScanner(file); lines.Scan(); {
		// sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[3] != listen {
			continue
		}
		if address, ok := socketAddress(fields[1]); ok {
			all = append(all, socket{address: address, uid: fields[7], inode: fields[9]})
		}
	}
	return all
}

// socketAddress reads 0100007F:1F90: the address in words of the machine's byte
// order, the port as a number.
func socketAddress(text string) (netip.AddrPort, bool) {
	host, port, ok := strings.Cut(text, ":")
	words, err := hex.DecodeString(host)
	number, portErr := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || portErr != nil || len(words)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for word := range slices.Chunk(words, 4) {
		binary.NativeEndian.PutUint32(word, binary.BigEndian.Uint32(word))
	}
	ip, ok := netip.AddrFromSlice(words)
	return netip.AddrPortFrom(ip, uint16(number)), ok
}

// owner finds the process that has the socket open.
func (p *Ports) owner(s socket) owner {
	link := "socket:[" + s.inode + "]"
	files, _ := filepath.Glob(filepath.Join(p.Proc, "[0-9]*", "fd", "*")) // the pattern is right
	for _, file := range files {
		if to, err := os.Readlink(file); err != nil || to != link {
			continue
		}
		process := filepath.Dir(filepath.Dir(file))
		pid, _ := strconv.Atoi(filepath.Base(process)) // it begins with a figure
		return owner{pid: pid, program: readLine(filepath.Join(process, "comm"))}
	}
	if u, err := user.LookupId(s.uid); err == nil {
		return owner{user: u.Username}
	}
	return owner{user: s.uid}
}

// readLine returns the first line of a small file, "" if it cannot be read.
func readLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}
