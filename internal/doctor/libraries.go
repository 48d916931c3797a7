package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Library is a library that edged needs.
type Library struct {
	// Name is what it is called, Does what it does.
	Name, Does string
	// Linked: it is part of the program. Then Version is what it says of itself
	// ("" if it says nothing), and Works tries it.
	Linked  bool
	Version string
	Works   func() error
	// File is how the file name of one that is loaded at run time begins, Package
	// the Debian package that has it, Known how the version begins with which edged
	// was tested.
	File, Package, Known string
}

// Libraries tells what the program is made of. Those that are loaded at run time
// must have been: it comes behind Engines.
type Libraries struct {
	All []Library
	// Proc is where the process file system is mounted, Dpkg the status file of
	// Debian's package manager.
	Proc, Dpkg string
}

// Look has a finding for each library.
func (l Libraries) Look(context.Context) []Finding {
	mapped := l.mapped()
	versions := l.versions()
	var found []Finding
	for _, lib := range l.All {
		if lib.Linked {
			found = append(found, linked(lib))
		} else {
			found = append(found, loaded(lib, mapped, versions[lib.Package]))
		}
	}
	return found
}

func linked(lib Library) Finding {
	version := lib.Version
	if version == "" {
		version = lib.Name + " (which does not tell its version)"
	}
	if err := lib.Works(); err != nil {
		return problemf("%s, for %s, does not work: %v", version, lib.Does, err).
			because("it is part of this program, which was built wrongly or for another machine", Fix{Text: "build it again here, as root of the source", Command: "make build"})
	}
	return okf("%s, for %s: part of this program, works", version, lib.Does)
}

func loaded(lib Library, mapped []string, version string) Finding {
	at := slices.IndexFunc(mapped, func(path string) bool { return strings.HasPrefix(filepath.Base(path), lib.File) })
	if at < 0 {
		return skippedf("%s, for %s, was not loaded: see engines", lib.Name, lib.Does)
	}
	if version == "" {
		return okf("%s, for %s: %s", lib.Name, lib.Does, mapped[at])
	}
	text := fmt.Sprintf("%s %s, for %s: %s", lib.Package, version, lib.Does, mapped[at])
	if !strings.HasPrefix(version, lib.Known) {
		return warningf("%s", text).because("edged was tested with "+lib.Known+" of Debian 12: another one may understand or speak otherwise, or not load", Fix{
			Text: "run it on Debian 12, or see that the spoken question is answered",
		})
	}
	return okf("%s", text)
}

// mapped lists the files that this process has mapped, by the names that they have
// without links, which hold the version.
func (l Libraries) mapped() []string {
	text, err := os.ReadFile(filepath.Join(l.Proc, "self", "maps"))
	if err != nil {
		return nil
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		// address permissions offset device inode path
		if at := strings.IndexByte(line, '/'); at > 0 {
			if path := strings.TrimSpace(line[at:]); !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	return all
}

// versions returns those of the packages that are wanted, as far as the package
// manager knows.
func (l Libraries) versions() map[string]string {
	versions := make(map[string]string)
	text, err := os.ReadFile(l.Dpkg)
	if err != nil {
		return versions
	}
	for stanza := range strings.SplitSeq(string(text), "\n\n") {
		name, version, installed := "", "", false
		for line := range strings.SplitSeq(stanza, "\n") {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "Package":
				name = value
			case "Version":
				version = value
			case "Status":
				installed = strings.HasSuffix(value, " installed")
			}
		}
		if installed && slices.ContainsFunc(l.All, func(lib Library) bool { return lib.Package == name }) {
			versions[name] = version
		}
	}
	return versions
}
