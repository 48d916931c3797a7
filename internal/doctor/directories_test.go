package doctor_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"edged/internal/doctor"
	"edged/internal/loader"
)

// plenty is a disk that is almost empty.
func plenty(string) (uint64, error) { return 100 << 30, nil }

func directories(journals, log string) doctor.Directories {
	return doctor.Directories{Free: plenty, Config: &loader.Config{
		Server: loader.Server{JournalDir: journals},
		Log:    loader.Log{File: log, FileBytes: 16 << 20, Files: 5},
	}}
}

func TestDirectoriesAreGood(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	check := directories(dir, filepath.Join(dir, "sessions.jsonl"))
	found := look(t, check.Look)
	healthy(t, found)
	want(t, found, doctor.OK, "server.journal_dir", dir+" can be written")
	want(t, found, doctor.OK, "log.file", "100 GB are left")
	// It leaves nothing behind, and makes no log before there is a server.
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	write(t, check.Config.Log.File, "{}\n")
	healthy(t, look(t, check.Look))
	if content, err := os.ReadFile(check.Config.Log.File); err != nil || string(content) != "{}\n" {
		t.Errorf("the log became %q, %v", content, err)
	}
	want(t, look(t, directories("", "").Look), doctor.OK, "nothing is written")
	// The kernel is asked for the space where nobody else is.
	check.Free = nil
	for _, f := range look(t, check.Look) {
		if f.Level == doctor.Skipped {
			t.Errorf("%s", f.Found)
		}
	}
}

func TestDirectoriesAreBad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, "")
	open := filepath.Join(dir, "open")
	if err := errors.Join(os.Mkdir(open, 0o755), os.WriteFile(filepath.Join(open, "log"), nil, 0o600), os.Chmod(filepath.Join(open, "log"), 0o644)); err != nil {
		t.Fatal(err)
	}
	left := func(n uint64) func(string) (uint64, error) { return func(string) (uint64, error) { return n, nil } }
	for _, tt := range []struct {
		name          string
		journals, log string
		free          func(string) (uint64, error)
		level         doctor.Level
		says          []string
		fix           string
	}{
		{"no journals", filepath.Join(dir, "new dir"), "", plenty, doctor.Problem, []string{"server.journal_dir", "is not there", "refused"}, "mkdir -p '" + filepath.Join(dir, "new dir") + "'"},
		{"journals in a file", file, "", plenty, doctor.Problem, []string{"is no directory"}, "server.journal_dir"},
		{"journals below a file", filepath.Join(file, "x"), "", plenty, doctor.Problem, []string{"server.journal_dir", "not a directory"}, "ls -ld"},
		{"journals that cannot be written", "/proc", "", plenty, doctor.Problem, []string{"/proc cannot be written"}, "ls -ld /proc"},
		{"journals that all can list", open, "", plenty, doctor.Warning, []string{"can be listed by everybody"}, "chmod 700 " + open},
		{"little space", dir, "", left(900 << 20), doctor.Warning, []string{"900 MB are left", "1.0 GB"}, "df -h " + dir},
		{"no space", dir, "", left(3 << 20), doctor.Problem, []string{"only 3 MB are left"}, "df -h"},
		{"space not known", dir, "", func(string) (uint64, error) { return 0, errors.New("no such call") }, doctor.Skipped, []string{"no such call"}, ""},
		{"no directory for the log", "", filepath.Join(dir, "var", "log"), plenty, doctor.Problem, []string{"log.file", "does not start"}, "mkdir -p " + filepath.Join(dir, "var")},
		{"log that is a directory", "", open, plenty, doctor.Problem, []string{"log.file", "is no file"}, "log.file: " + filepath.Join(open, "sessions.jsonl")},
		{"log that all can read", "", filepath.Join(open, "log"), plenty, doctor.Warning, []string{"can be read by everybody"}, "chmod 600 " + filepath.Join(open, "log")},
		// 5 files of 16 MB.
		{"less space than the log may take", "", filepath.Join(dir, "log"), left(70 << 20), doctor.Warning, []string{"70 MB are left", "80 MB may be needed"}, "log.file_bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check := directories(tt.journals, tt.log)
			check.Free = tt.free
			wantFix(t, want(t, look(t, check.Look), tt.level, tt.says...), tt.fix)
		})
	}
}

// Directories and files of somebody else, seen by a user without privileges.
func TestDirectoriesOfAnother(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sessions.jsonl")
	write(t, file, "")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		found := look(t, directories(dir, file).Look)
		wantFix(t, want(t, found, doctor.Problem, "server.journal_dir", "permission denied"), "ls -ld "+dir)
		wantFix(t, want(t, found, doctor.Problem, "log.file", "permission denied"), "ls -ld "+dir)
	})
}
