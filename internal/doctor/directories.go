package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"edged/internal/loader"
)

// Directories looks at what the server writes.
type Directories struct {
	Config *loader.Config
	// Free returns how many bytes a user may still write to the file system of a
	// directory; nil asks the kernel.
	Free func(dir string) (uint64, error)
}

// Bars for the space that is left. Journals have no bound, so that what is little for
// them is a matter of how often somebody looks.
const (
	littleSpace = 1 << 30
	noSpace     = 50 << 20
)

// Look writes a file to each directory for a moment.
func (d Directories) Look(context.Context) []Finding {
	if d.Free == nil {
		d.Free = freeSpace
	}
	var found []Finding
	if dir := d.Config.Server.JournalDir; dir != "" {
		found = append(found, d.journals(dir)...)
	}
	if file := d.Config.Log.File; file != "" {
		found = append(found, d.log(file)...)
	}
	if len(found) == 0 {
		return []Finding{okf("nothing is written: server.journal_dir and log.file are not set")}
	}
	return found
}

func (d Directories) journals(dir string) []Finding {
	const key = "server.journal_dir"
	if f, ok := writable(key, dir, "a session whose journal cannot be written does not begin: every device is refused"); !ok {
		return []Finding{f}
	}
	found := []Finding{okf("%s: %s can be written", key, dir)}
	if info, err := os.Stat(dir); err == nil && readableBy(info.Mode()) != "" {
		found = append(found, warningf("%s: %s can be listed by %s", key, dir, readableBy(info.Mode())).
			because("journals hold what people say; they themselves are readable by their owner only, but their names tell when somebody spoke", Fix{Command: "chmod 700 " + quoted(dir)}))
	}
	return append(found, d.space(key, dir, littleSpace, "journals are never removed: take old ones away, or keep none"))
}

func (d Directories) log(file string) []Finding {
	const key = "log.file"
	dir := filepath.Dir(file)
	if f, ok := writable(key, dir, "edged serve does not start"); !ok {
		return []Finding{f}
	}
	info, err := os.Stat(file)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return []Finding{problemf("%s: %s is no file", key, file).because("the session log cannot be written to it", Fix{Text: "name a file", Key: key + ": " + filepath.Join(file, "sessions.jsonl")})}
	case err == nil:
		// Opened as the server does, without writing to it.
		opened, err := os.OpenFile(file, os.O_RDWR|os.O_APPEND, 0)
		if err != nil {
			return []Finding{problemf("%s: %s cannot be written: %v", key, file, cause(err)).because("edged serve does not start", ownership(file))}
		}
		_ = opened.Close() // nothing was written
	}
	found := []Finding{okf("%s: %s can be written", key, file)}
	if err == nil && readableBy(info.Mode()) != "" {
		found = append(found, warningf("%s: %s can be read by %s", key, file, readableBy(info.Mode())).
			because("it names devices and addresses, and with server.transcripts holds what people say", Fix{Command: "chmod 600 " + quoted(file)}))
	}
	need := uint64(d.Config.Log.FileBytes) * uint64(d.Config.Log.Files)
	return append(found, d.space(key, dir, need, "keep less (log.file_bytes, log.files), or make room"))
}

// space compares what is free with what is needed.
func (d Directories) space(key, dir string, need uint64, fix string) Finding {
	free, err := d.Free(dir)
	switch {
	case err != nil:
		return skippedf("how much space is left in %s is not known: %v", dir, err)
	case free < noSpace:
		return problemf("%s: only %s are left in %s", key, bytesText(free), dir).
			because("soon nothing more can be written, and lines are lost", Fix{Text: fix, Command: "df -h " + quoted(dir)})
	case free < need:
		return warningf("%s: %s are left in %s, and %s may be needed", key, bytesText(free), dir, bytesText(need)).
			because("when the disk is full, lines are lost", Fix{Text: fix, Command: "df -h " + quoted(dir)})
	}
	return okf("%s: %s are left in %s", key, bytesText(free), dir)
}

// writable reports what is wrong with a directory; ok means nothing is.
func writable(key, dir, why string) (f Finding, ok bool) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return problemf("%s: the directory %s is not there", key, dir).because(why, Fix{Command: "mkdir -p " + quoted(dir)}), false
	case err != nil:
		return problemf("%s: %s cannot be looked at: %v", key, dir, cause(err)).because(why, ownership(dir)), false
	case !info.IsDir():
		return problemf("%s: %s is no directory", key, dir).because(why, Fix{Text: "name a directory", Key: key}), false
	}
	if err := canCreate(dir); err != nil {
		return problemf("%s: %s cannot be written: %v", key, dir, cause(err)).because(why, ownership(dir)), false
	}
	return Finding{}, true
}

// canCreate makes a file in the directory and removes it. Of a directory that is
// not there it looks at the nearest one above it, in which it would be made.
func canCreate(dir string) error {
	for {
		_, err := os.Stat(dir)
		if above := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && above != dir {
			dir = above
			continue
		}
		break
	}
	file, err := os.CreateTemp(dir, ".edged-doctor-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// ownership is what to do about a file or directory that this user may not write.
func ownership(path string) Fix {
	return Fix{
		Text:    "give it to the user that edged runs as; this is " + fmt.Sprintf("user %d", os.Geteuid()) + ", and its owner and mode are shown by",
		Command: "ls -ld " + quoted(path),
	}
}

// cause is an error without the operation and the path, which the finding names.
func cause(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// readableBy is whom a file's mode admits besides its owner, "" if nobody.
func readableBy(mode fs.FileMode) string {
	switch {
	case mode&0o004 != 0:
		return "everybody on this machine"
	case mode&0o040 != 0:
		return "its group"
	}
	return ""
}

func freeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, fmt.Errorf("statfs: %w", err)
	}
	return s.Bavail * uint64(s.Bsize), nil
}

// bytesText writes a size for people.
func bytesText(n uint64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GB", n>>30)
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MB", n>>20)
}

// quoted writes a path as one word of a shell.
func quoted(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:=@%", r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
