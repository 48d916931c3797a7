package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"edged/internal/loader"
)

// Resources compares processors and memory with what the models take.
type Resources struct {
	Models loader.Models
	// Threads is how many threads run Go code at once (GOMAXPROCS).
	Threads int
	// Proc is where the process file system is mounted, Cgroup where control groups
	// are.
	Proc, Cgroup string
}

// Costs of the offline recogniser, from the documentation of its package: memory
// for each utterance that can be open, and the part of a processor that it takes
// while somebody speaks. The rest of the server takes some 60 MB.
const (
	decoderMemory = 110 << 20
	decoderLoad   = 0.27
	serverMemory  = 60 << 20
)

// Look reads what the kernel says.
func (r Resources) Look(context.Context) []Finding {
	return []Finding{r.processors(), r.memory()}
}

// decoders is how many utterances can be recognised at once.
func (r Resources) decoders() int {
	n := 0
	for _, m := range r.Models.ASR {
		if settings, ok := loader.SettingsOf[loader.Pocketsphinx](m); ok {
			n += max(settings.Decoders, 1)
		}
	}
	return n
}

func (r Resources) processors() Finding {
	decoders := r.decoders()
	have := float64(r.Threads)
	what := plural(r.Threads, "processor")
	if quota, ok := r.quota(); ok && quota < have {
		have, what = quota, fmt.Sprintf("%.1f of %s, by the limit of the control group", quota, what)
	}
	// One thread is left for the pacers; with one in all, engines share it.
	free := max(have-1, have/2)
	if fit := int(free / decoderLoad); decoders > max(fit, 1) {
		return warningf("%s: enough for about %s at a time, and models.asr has %d decoders", what, plural(max(fit, 1), "speaker"), decoders).
			because("when more people speak, all of them are understood late", Fix{
				Text: "have fewer, so that further speakers are told that the server is busy, or more processors", Key: r.decodersKey(max(fit, 1)),
			})
	}
	return okf("%s, %s", what, plural(decoders, "decoder"))
}

// decodersKey is the key of the recogniser with the most decoders, with a value.
func (r Resources) decodersKey(value int) string {
	most, of := -1, "NAME"
	for name, m := range inOrder(r.Models.ASR) {
		if settings, ok := loader.SettingsOf[loader.Pocketsphinx](m); ok && settings.Decoders > most {
			most, of = settings.Decoders, name
		}
	}
	return fmt.Sprintf("models.asr.%s.decoders: %d", of, value)
}

func (r Resources) memory() Finding {
	decoders := r.decoders()
	need := uint64(decoders)*decoderMemory + serverMemory
	have, ok := r.available()
	what := bytesText(have) + " of memory are free"
	if limit, limited := r.memoryLimit(); limited && (!ok || limit < have) {
		have, ok, what = limit, true, bytesText(limit)+" of memory are left, by the limit of the control group"
	}
	switch {
	case !ok:
		return skippedf("how much memory is free is not known; %s need %s", plural(decoders, "decoder"), bytesText(need))
	case have < need:
		fit := 0
		if have > serverMemory {
			fit = int((have - serverMemory) / decoderMemory)
		}
		f := problemf("%s, and edged with %s needs %s", what, plural(decoders, "decoder"), bytesText(need))
		if fit == 0 {
			return f.because("the kernel ends the process when memory runs out", Fix{Text: "give it more memory", Command: "ps -e --sort=-rss -o rss,args | head"})
		}
		return f.because("the kernel ends the process when memory runs out", Fix{Text: "have fewer decoders, or give it more memory", Key: r.decodersKey(fit)})
	case have < need+need/2:
		return warningf("%s, and edged with %s needs %s", what, plural(decoders, "decoder"), bytesText(need)).
			because("sessions and other programs need some, too", Fix{Text: "have fewer decoders, or give it more memory", Key: r.decodersKey(max(1, decoders-1))})
	}
	return okf("%s, edged with %s needs %s", what, plural(decoders, "decoder"), bytesText(need))
}

// available is MemAvailable.
func (r Resources) available() (uint64, bool) {
	text, err := os.ReadFile(filepath.Join(r.Proc, "meminfo"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kb, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kb << 10, err == nil
		}
	}
	return 0, false
}

// groups returns the directories of this process's control group and of those above
// it, for a controller: version 2, or version 1 with that controller.
func (r Resources) groups(controller string) []string {
	text, err := os.ReadFile(filepath.Join(r.Proc, "self", "cgroup"))
	if err != nil {
		return nil
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		// 0::/path of version 2, 4:memory:/path of version 1
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		root := ""
		switch {
		case fields[0] == "0" && fields[1] == "":
			root = r.Cgroup
		case containsField(fields[1], controller):
			root = filepath.Join(r.Cgroup, controller)
		default:
			continue
		}
		// In a container the path may be that of another view of the tree; what is
		// not there is not read.
		for path := filepath.Clean(fields[2]); ; path = filepath.Dir(path) {
			all = append(all, filepath.Join(root, path))
			if path == "/" || path == "." {
				break
			}
		}
	}
	return all
}

func containsField(list, name string) bool {
	for field := range strings.SplitSeq(list, ",") {
		if field == name {
			return true
		}
	}
	return false
}

// memoryLimit is what the tightest control group leaves.
func (r Resources) memoryLimit() (uint64, bool) {
	least, limited := uint64(0), false
	for _, dir := range r.groups("memory") {
		for _, names := range [][2]string{{"memory.max", "memory.current"}, {"memory.limit_in_bytes", "memory.usage_in_bytes"}} {
			limit, err := strconv.ParseUint(readLine(filepath.Join(dir, names[0])), 10, 64)
			if err != nil || limit > 1<<50 { // "max", or version 1's word for it
				continue
			}
			used, _ := strconv.ParseUint(readLine(filepath.Join(dir, names[1])), 10, 64) // 0 where it is not told
			left := limit - min(used, limit)
			if !limited || left < least {
				least, limited = left, true
			}
		}
	}
	return least, limited
}

// quota is how many processors the tightest control group allows.
func (r Resources) quota() (float64, bool) {
	least, limited := 0.0, false
	for _, dir := range r.groups("cpu") {
		fields := strings.Fields(readLine(filepath.Join(dir, "cpu.max")))
		if len(fields) != 2 {
			fields = []string{readLine(filepath.Join(dir, "cpu.cfs_quota_us")), readLine(filepath.Join(dir, "cpu.cfs_period_us"))}
		}
		quota, err := strconv.ParseFloat(fields[0], 64)
		period, periodErr := strconv.ParseFloat(fields[1], 64)
		if err != nil || periodErr != nil || quota <= 0 || period <= 0 {
			continue // "max" or -1
		}
		if cpus := quota / period; !limited || cpus < least {
			least, limited = cpus, true
		}
	}
	return least, limited
}
