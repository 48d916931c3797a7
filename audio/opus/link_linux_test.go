package opus_test

import (
	"debug/elf"
	"strings"
	"testing"
)

// A shared library that is missing ends the program before main, which then
// cannot tell how to install it: libopus must be inside. (The package that binds it
// asks for the shared one; this proves that it does not win.)
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
		if strings.HasPrefix(name, "libopus") {
			t.Errorf("the program needs %s at its start, want it linked in: %v", name, needed)
		}
	}
}
