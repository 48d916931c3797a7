package echo_test

import (
	"debug/elf"
	"strings"
	"testing"
)

// A shared library that is missing ends the program before main, which then
// cannot tell how to install it: libspeexdsp must be inside.
func TestLibraryIsLinkedIn(t *testing.T) {
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
		if strings.HasPrefix(name, "libspeexdsp") {
			t.Errorf("the program needs %s at its start, want it linked in: %v", name, needed)
		}
	}
}
