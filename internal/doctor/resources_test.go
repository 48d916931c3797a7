package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"edged/internal/doctor"
	"edged/internal/loader"
)

// machine is a root with a process and a control group file system; files are given
// by their paths in it.
func machine(t *testing.T, files map[string]string) doctor.Resources {
	t.Helper()
	root := t.TempDir()
	for path, content := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, content)
	}
	return doctor.Resources{
		Models:  loader.Models{ASR: map[string]loader.Model{}},
		Threads: 4, Proc: filepath.Join(root, "proc"), Cgroup: filepath.Join(root, "cgroup"),
	}
}

// meminfo begins as that of a machine does; 8 GB are free.
const meminfo = "MemTotal:       16384000 kB\nMemFree:          123456 kB\nMemAvailable:    8388608 kB\n"

func TestResources(t *testing.T) {
	// 2 decoders of 110 MB and 60 MB for the rest are 280 MB.
	for _, tt := range []struct {
		name     string
		files    map[string]string
		threads  int
		decoders int
		level    doctor.Level
		says     []string
		fix      string
	}{
		{"enough memory", nil, 4, 2, doctor.OK, []string{"8.0 GB of memory are free", "2 decoders needs 280 MB"}, ""},
		{"enough processors", nil, 4, 2, doctor.OK, []string{"4 processors, 2 decoders"}, ""},
		{"a limit of version 2", map[string]string{
			"proc/self/cgroup": "0::/edged.service\n", "cgroup/edged.service/memory.max": "268435456\n", "cgroup/edged.service/memory.current": "67108864\n",
		}, 4, 2, doctor.Problem, []string{"192 MB of memory are left, by the limit of the control group", "280 MB", "ends the process"}, "models.asr.local.decoders: 1"},
		{"a limit above the own group", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "cgroup/a/memory.max": "67108864\n", "cgroup/a/b/memory.max": "max\n",
		}, 4, 2, doctor.Problem, []string{"64 MB of memory are left"}, "ps -e --sort=-rss"},
		{"the tightest of two limits", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "cgroup/a/memory.max": "67108864\n", "cgroup/a/b/memory.max": "134217728\n",
		}, 4, 2, doctor.Problem, []string{"64 MB of memory are left"}, "memory"},
		{"a limit of version 1", map[string]string{
			"proc/self/cgroup": "4:memory:/edged\n0::/\n", "cgroup/memory/edged/memory.limit_in_bytes": "314572800\n", "cgroup/memory/edged/memory.usage_in_bytes": "0\n",
		}, 4, 2, doctor.Warning, []string{"300 MB of memory are left", "280 MB"}, "models.asr.local.decoders: 1"},
		{"no limit of version 1", map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 4, 2, doctor.OK, []string{"8.0 GB of memory are free"}, ""},
		{"memory not known", map[string]string{"proc/meminfo": "nothing\n"}, 4, 2, doctor.Skipped, []string{"not known"}, ""},
		// 7 decoders at 0.27 each are 1.9 processors; one of two is left for engines.
		{"many decoders", nil, 2, 7, doctor.Warning, []string{"2 processors: enough for about 3 speakers", "7 decoders"}, "models.asr.local.decoders: 3"},
		{"a quota of version 2", map[string]string{"proc/self/cgroup": "0::/x\n", "cgroup/x/cpu.max": "50000 100000\n"},
			4, 2, doctor.Warning, []string{"0.5 of 4 processors, by the limit", "about 1 speaker"}, "models.asr.local.decoders: 1"},
		{"a quota of version 1", map[string]string{
			"proc/self/cgroup": "3:cpu,cpuacct:/\n", "cgroup/cpu/cpu.cfs_quota_us": "50000\n", "cgroup/cpu/cpu.cfs_period_us": "100000\n",
		}, 4, 2, doctor.Warning, []string{"0.5 of 4 processors"}, "decoders"},
		{"no quota", map[string]string{"proc/self/cgroup": "0::/x\n", "cgroup/x/cpu.max": "max 100000\n"}, 4, 2, doctor.OK, []string{"4 processors, 2 decoders"}, ""},
		{"one processor", nil, 1, 2, doctor.Warning, []string{"1 processor: enough for about 1 speaker"}, "models.asr.local.decoders: 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"proc/meminfo": meminfo}
			for path, content := range tt.files {
				files[path] = content
			}
			r := machine(t, files)
			r.Threads, r.Models.ASR["local"] = tt.threads, loader.Model{Engine: "pocketsphinx", Settings: loader.Pocketsphinx{Decoders: tt.decoders}}
			wantFix(t, want(t, look(t, r.Look), tt.level, tt.says...), tt.fix)
		})
	}
}

// On this machine something is known of memory.
func TestResourcesHere(t *testing.T) {
	r := doctor.Resources{Threads: 2, Proc: "/proc", Cgroup: "/sys/fs/cgroup"}
	for _, f := range look(t, r.Look) {
		if f.Level == doctor.Skipped {
			t.Errorf("%s", f.Found)
		}
	}
}
