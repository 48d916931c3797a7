package doctor_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"edged/internal/doctor"
	"edged/transformers/tts/flite"
)

// The real libraries: those that are part of the program are tried, those that an
// engine has loaded are found where they lie, in the version that is installed.
func TestLibraries(t *testing.T) {
	if _, err := flite.New(flite.Config{}); err != nil {
		t.Fatal(err)
	}
	check := doctor.Libraries{All: doctor.Needed(builtIn(t, nil).Models), Proc: "/proc", Dpkg: "/var/lib/dpkg/status"}
	found := look(t, check.Look)
	want(t, found, doctor.OK, "libopus 1.", "works")
	want(t, found, doctor.OK, "speexdsp", "works")
	f := want(t, found, doctor.OK, "libflite")
	if path := regexp.MustCompile(`/\S*libflite\S*`).FindString(f.Found); path == "" {
		t.Errorf("%q does not say where", f.Found)
	} else if _, err := os.Stat(path); err != nil {
		t.Errorf("%q: %v", f.Found, err)
	}
	if version, err := exec.Command("dpkg-query", "-W", "-f", "${Version}", "libflite1").Output(); err == nil && !strings.Contains(f.Found, "libflite1 "+string(version)) {
		t.Errorf("%q, and the package manager says %s", f.Found, version)
	}
}

// A codec that makes silence, or half of the sound (6 dB), does not work.
func TestSoundIsCompared(t *testing.T) {
	in := loud(100 * time.Millisecond)
	half := make([]int16, len(in))
	for i, s := range in {
		half[i] = s / 2
	}
	if err := doctor.Similar(in, in); err != nil {
		t.Error(err)
	}
	for _, out := range [][]int16{half, make([]int16, len(in)), nil} {
		if doctor.Similar(in, out) == nil {
			t.Errorf("%d samples count as the same sound", len(out))
		}
	}
}

func TestLibrariesAreOdd(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "self"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "self", "maps"), "7f00-7f01 r-xp 00000000 08:01 4711       /usr/lib/libsound.so.1.2\n7f02-7f03 rw-p 00000000 00:00 0 [heap]\n")
	write(t, filepath.Join(root, "status"), "Package: other\nStatus: install ok installed\nVersion: 9\n\nPackage: libsound1\nStatus: install ok installed\nVersion: 3.0-1\n")
	sound := doctor.Library{Name: "libsound", Does: "sound", File: "libsound.so", Package: "libsound1", Known: "1.2"}
	check := doctor.Libraries{Proc: root, Dpkg: filepath.Join(root, "status"), All: []doctor.Library{sound}}
	wantFix(t, want(t, look(t, check.Look), doctor.Warning, "libsound1 3.0-1", "/usr/lib/libsound.so.1.2", "tested with 1.2"), "Debian 12")
	check.Dpkg = "/nowhere" // not Debian
	want(t, look(t, check.Look), doctor.OK, "/usr/lib/libsound.so.1.2")
	check.Proc = "/nowhere"
	want(t, look(t, check.Look), doctor.Skipped, "libsound", "was not loaded")
	check.All = []doctor.Library{{Name: "libcode", Does: "coding", Linked: true, Version: "libcode 1", Works: func() error { return errors.New("it makes noise") }}}
	wantFix(t, want(t, look(t, check.Look), doctor.Problem, "libcode 1", "it makes noise"), "make build")
}

// setUp reads the packages of scripts/packages, with their versions.
func setUp(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open("../../scripts/packages")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all := make(map[string]string)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) == 3 && fields[0] != "#" {
			all[fields[0]] = fields[1]
		}
	}
	return all
}

// The libraries at run time are those that edged is built with: their packages are
// what the -dev packages of the set-up depend on, in the version that it asks for.
func TestLibraryPackages(t *testing.T) {
	development := map[string]string{"libpocketsphinx3": "libpocketsphinx-dev", "libflite1": "flite1-dev"}
	wanted := setUp(t)
	for _, lib := range doctor.Needed(builtIn(t, nil).Models) {
		if lib.Linked {
			continue
		}
		dev := development[lib.Package]
		if version := strings.TrimSuffix(wanted[dev], "*"); version == "" || version != lib.Known {
			t.Errorf("%s: tested with %q, and scripts/packages asks for %s %q", lib.Package, lib.Known, dev, version)
		}
		depends, err := exec.Command("dpkg-query", "-W", "-f", "${Depends}", dev).Output()
		if err != nil {
			t.Logf("no package manager that knows %s: %v", dev, err)
		} else if !strings.Contains(string(depends), lib.Package+" (") {
			t.Errorf("%s depends on %s, not on %s", dev, depends, lib.Package)
		}
	}
}

// What is to be installed can be: every package that a fix names is one of the
// set-up, the run time of one, installed here, or known to the package manager.
func TestPackagesExist(t *testing.T) {
	fine := setUp(t)
	for _, lib := range doctor.Needed(builtIn(t, nil).Models) {
		fine[lib.Package] = ""
	}
	var unknown []string
	for _, command := range doctor.Installs() {
		name, ok := strings.CutPrefix(command, "apt-get install ")
		if !ok {
			t.Errorf("%q installs nothing", command)
		}
		if _, ok := fine[name]; !ok && exec.Command("dpkg-query", "-W", name).Run() != nil {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return
	}
	all, err := exec.Command("apt-cache", "pkgnames").Output() // slow: once
	if err != nil || len(all) == 0 {
		t.Skipf("no package manager that knows any packages: %v", err)
	}
	for _, name := range unknown {
		if !slices.Contains(strings.Fields(string(all)), name) {
			t.Errorf("there is no package %s", name)
		}
	}
}
