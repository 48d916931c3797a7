package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"

	"edged/internal/operator"
)

// styleOf is how to write for a person to out: within the width of a terminal,
// and in colour unless the environment says no (no-color.org), or that the
// terminal cannot.
func styleOf(out io.Writer, environ func(string) string) operator.Style {
	file, ok := out.(*os.File)
	if !ok {
		return operator.Style{}
	}
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return operator.Style{} // no terminal
	}
	return operator.Style{
		Color:   environ("NO_COLOR") == "" && environ("TERM") != "dumb",
		Columns: int(size.Col),
	}
}
