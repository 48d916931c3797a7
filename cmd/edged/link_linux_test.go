package main

import (
	"debug/elf"
	"slices"
	"strings"
	"testing"
)

// A shared library that the program is linked with ends it before main when it
// is missing, so there would be nobody to tell how to install it. The codecs are
// therefore inside, and the engines are opened when they are needed.
func TestStartsWithNoLibraryButThoseOfLibc(t *testing.T) {
	libc := []string{"libc", "libm", "libdl", "libpthread", "libresolv", "ld-linux-x86-64", "ld-linux-aarch64"}
	program, err := elf.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	needed, err := program.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	if len(needed) == 0 {
		t.Error("the program needs no library at all: this test sees nothing")
	}
	for _, name := range needed {
		if base, _, _ := strings.Cut(name, ".so"); !slices.Contains(libc, base) {
			t.Errorf("the program is linked with %s, want only libraries of libc6: %v", name, needed)
		}
	}
}
