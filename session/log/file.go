package log

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
)

// FileConfig is what a File is made of. Only Path must be set.
type FileConfig struct {
	// Path is the file that is written. Older ones are Path.1, Path.2 and so on.
	Path string
	// Bytes is the size at which a new file is begun. Default 16 MiB.
	Bytes int
	// Files is how many there are at most, the current one included. Default 5.
	Files int
}

// File is a sink that keeps the session log in files of bounded size and number,
// readable by their owner only. It is an io.Writer of whole lines, for one
// goroutine; use it with Copy. The file is opened by the first Write and, after a
// failure, by the next one; so it may be moved to another place, and a disk that
// was full may be emptied, while the server runs.
type File struct {
	cfg  FileConfig
	file *os.File
	size int
	torn bool // the file ends in the middle of a line
}

// NewFile returns a sink. It does not touch the disk.
func NewFile(cfg FileConfig) *File {
	if cfg.Bytes <= 0 {
		cfg.Bytes = 16 << 20
	}
	if cfg.Files <= 0 {
		cfg.Files = 5
	}
	return &File{cfg: cfg}
}

// Write appends p, in a new file if it does not fit into the current one. After
// an error nothing of p, or a part of it, is in the file.
func (f *File) Write(p []byte) (int, error) {
	if err := f.open(); err != nil {
		return 0, err
	}
	if f.size > 0 && f.size+len(p) > f.cfg.Bytes {
		if err := f.rotate(); err != nil {
			return 0, err
		}
	}
	if f.torn {
		p = append([]byte("\n"), p...)
	}
	n, err := f.file.Write(p)
	f.size += n
	if err != nil {
		err = fmt.Errorf("session log: %w", err)
		return n, errors.Join(err, f.Close())
	}
	f.torn = false
	return n, nil
}

// open opens the file unless it is open, and finds out where it ends.
func (f *File) open() error {
	if f.file != nil {
		return nil
	}
	file, err := os.OpenFile(f.cfg.Path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("session log: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(fmt.Errorf("session log: %w", err), file.Close())
	}
	f.file, f.size, f.torn = file, int(info.Size()), false
	last := make([]byte, 1)
	if info.Mode().IsRegular() && info.Size() > 0 {
		if _, err := file.ReadAt(last, info.Size()-1); err == nil {
			f.torn = last[0] != '\n'
		}
	}
	return nil
}

// rotate puts the current file aside, gives up the oldest, and begins a new one.
func (f *File) rotate() error {
	if err := f.Close(); err != nil {
		return err
	}
	if f.cfg.Files == 1 {
		if err := os.Remove(f.cfg.Path); err != nil {
			return fmt.Errorf("session log: %w", err)
		}
		return f.open()
	}
	for n := f.cfg.Files - 1; n >= 1; n-- {
		err := os.Rename(f.path(n-1), f.path(n))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("session log: %w", err)
		}
	}
	return f.open()
}

// path names the n-th file, from the current one, 0, to the oldest.
func (f *File) path(n int) string {
	if n == 0 {
		return f.cfg.Path
	}
	return f.cfg.Path + "." + strconv.Itoa(n)
}

// Close closes the file. A later Write opens it again.
func (f *File) Close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	if err != nil {
		return fmt.Errorf("session log: %w", err)
	}
	return nil
}
