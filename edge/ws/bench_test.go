package ws

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"edged/audio/opus"
	"edged/edge"
	"edged/firmware-protocol/wire"
)

// loadEnv makes the test binary the devices of a benchmark, so that their time is
// not the server's: "URL DEVICES FRAMES PTIME CODEC".
const loadEnv = "EDGE_WS_BENCH_LOAD"

// runLoad plays the devices; it is the other side of BenchmarkFramePath.
func runLoad(spec string) error {
	var url, codec string
	var devices, frames int
	var ptime uint32
	if _, err := fmt.Sscan(spec, &url, &devices, &frames, &ptime, &codec); err != nil {
		return err
	}
	f := wireFormat(wire.Codec(codec), 16000, ptime)
	ls, err := loaders(url, devices, f, tone(&testing.T{}, f))
	defer closeAll(ls)
	if err != nil {
		return err
	}
	if err := load(ls, 20); err != nil {
		return err
	}
	fmt.Println("warm")
	var ready string
	if _, err := fmt.Scanln(&ready); err != nil {
		return err
	}
	if err := load(ls, frames); err != nil {
		return err
	}
	fmt.Println("done")
	_, _ = fmt.Scanln(&ready)
	return nil
}

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFramePath is a frame on its whole way: socket, leg, chunk, null pipeline
// that echoes it, encoder, socket, by 50 devices in real time in another process.
// Its processor time stands beside that of the bare decode and encode of the same
// audio in the same run. One operation is one frame in and one frame out.
func BenchmarkFramePath(b *testing.B) {
	for _, f := range []wire.Format{opus20, opus60, pcm20} {
		b.Run(fmt.Sprintf("%s/%dms", f.Codec, f.FrameMS), func(b *testing.B) {
			const devices = 50
			frames := (b.N + devices - 1) / devices
			bare := bareCodec(b, f, 300)
			r := newRig(b, edge.Config{Handler: echo}, Config{}, false)
			defer r.stop()
			client := exec.Command(os.Args[0], "-test.run=^$")
			client.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d %d %s", loadEnv, r.url, devices, frames, f.FrameMS, f.Codec))
			client.Stderr = os.Stderr
			in, err := client.StdinPipe()
			if err != nil {
				b.Fatal(err)
			}
			out, err := client.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := client.Start(); err != nil {
				b.Fatal(err)
			}
			expect := func(word string) {
				var got string
				if _, err := fmt.Fscanln(out, &got); err != nil || got != word {
					b.Fatalf("the devices say %q, %v; want %q", got, err, word)
				}
			}
			expect("warm")
			b.ReportAllocs()
			b.ResetTimer()
			used := cpu()
			fmt.Fprintln(in, "go")
			expect("done")
			used = cpu() - used
			b.StopTimer()
			fmt.Fprintln(in, "bye")
			if err := client.Wait(); err != nil {
				b.Error(err)
			}
			each := float64(used.Microseconds()) / float64(devices*frames)
			b.ReportMetric(each, "cpu-us/frame")
			b.ReportMetric(bare, "bare-us/frame")
			b.ReportMetric((each-bare)*1000/float64(f.FrameMS)/1000, "overhead-ms/s")
		})
	}
}

// bareCodec is the processor time of decoding and encoding one frame, in
// microseconds.
func bareCodec(b *testing.B, f wire.Format, n int) float64 {
	if f.Codec != wire.CodecOpus {
		return 0
	}
	payload := tone(b, f)
	decoder, err := opus.NewDecoder(16000, 1)
	if err != nil {
		b.Fatal(err)
	}
	encoder, err := opus.NewEncoder(opus.EncoderConfig{Rate: 16000})
	if err != nil {
		b.Fatal(err)
	}
	samples, packet := make([]int16, 16*120), make([]byte, opus.MaxPacket)
	used := cpu()
	for range n {
		k, err := decoder.Decode(samples, payload)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := encoder.Encode(packet, samples[:k]); err != nil {
			b.Fatal(err)
		}
	}
	return float64((cpu() - used).Microseconds()) / float64(n)
}

// BenchmarkIdleConnection reports what a connection costs that has said hello and
// nothing since: memory of the server's side, and goroutines (of which the handler
// is one, and has none of its own).
func BenchmarkIdleConnection(b *testing.B) {
	const devices = 200
	for b.Loop() {
		r := newRig(b, edge.Config{Handler: waits}, Config{}, false)
		debug.FreeOSMemory()
		rss, goroutines := residentSet(b), runtime.NumGoroutine()
		ls := make([]*loader, 0, devices)
		for i := range devices {
			l, err := newLoader(r.url, strconv.Itoa(i), opus60, []byte{0x18})
			if err != nil {
				b.Fatal(err)
			}
			l.in = nil // the device's buffer is not the server's
			ls = append(ls, l)
		}
		debug.FreeOSMemory()
		b.ReportMetric(float64(residentSet(b)-rss)/devices/1024, "KiB-RSS/conn")
		b.ReportMetric(float64(runtime.NumGoroutine()-goroutines)/devices, "goroutines/conn")
		closeAll(ls)
		r.stop()
	}
}

// residentSet is the resident memory of this process, in bytes.
func residentSet(b *testing.B) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("no /proc on this system")
	}
	for line := range strings.Lines(string(status)) {
		var kib int64
		if _, err := fmt.Sscanf(line, "VmRSS: %d kB", &kib); err == nil {
			return kib << 10
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
