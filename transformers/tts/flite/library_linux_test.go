package flite

import (
	"debug/elf"
	"strings"
	"testing"
)

// A library that the program is linked with ends it before main when it is
// missing, so there would be nobody to tell how to install it.
func TestProgramStartsWithoutTheEngine(t *testing.T) {
	program, err := elf.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	needed, err := program.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range needed {
		if strings.HasPrefix(name, "libflite") || strings.HasPrefix(name, "libasound") {
			t.Errorf("the program is linked with %s, want only libraries of libc6: %v", name, needed)
		}
	}
}
