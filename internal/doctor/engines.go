package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// Model is one configured model.
type Model struct {
	// Key is its key in the configuration, such as "models.asr.local"; Engine what
	// it runs on.
	Key, Engine string
	// Dir is where its files lie, "" where it has none; DirKey is the key that says
	// so.
	Dir, DirKey string
	// Load loads it as the server would. What it returns is closed.
	Load func() (io.Closer, error)
}

// Engines loads each model.
type Engines struct {
	Models []Model
	// Proc is where the process file system is mounted.
	Proc string
}

// slowLoad is when loading is worth a word; the offline recogniser takes about a
// second.
const slowLoad = 10 * time.Second

// Look loads one model after another.
func (e Engines) Look(ctx context.Context) []Finding {
	var found []Finding
	for _, m := range e.Models {
		if ctx.Err() != nil {
			return append(found, skippedf("%s: not loaded: interrupted", m.Key))
		}
		found = append(found, e.load(m))
	}
	if len(found) == 0 {
		return []Finding{problemf("there are no models").because("nothing can be understood or said", Fix{Key: "models.asr, models.generator, models.tts"})}
	}
	return found
}

func (e Engines) load(m Model) Finding {
	before, begin := e.resident(), time.Now()
	model, err := m.Load()
	took, after := time.Since(begin), e.resident()
	if err != nil {
		return e.failed(m, err)
	}
	if err := model.Close(); err != nil {
		return warningf("%s: %s was loaded, and cannot be freed: %v", m.Key, m.Engine, err).
			because("a server that ends may hang", Fix{Text: "report it with this line"})
	}
	memory := "no memory to speak of"
	if grown := after - min(before, after); grown >= 1<<20 {
		memory = bytesText(grown)
	}
	if took > slowLoad {
		return warningf("%s: %s took %.1f s to load", m.Key, m.Engine, took.Seconds()).
			because("a server that is started again is away as long", Fix{Text: "put its files on a faster disk", Key: m.DirKey})
	}
	return okf("%s: %s loads in %.0f ms and takes %s", m.Key, m.Engine, float64(took)/float64(time.Millisecond), memory)
}

// failed says what to do about a model that does not load.
func (e Engines) failed(m Model, err error) Finding {
	const why = "edged serve does not start"
	said := err.Error()
	fix := Fix{Text: "correct what it says", Key: m.Key}
	var installable interface {
		error
		Install() string
	}
	if errors.As(err, &installable) && installable.Install() != "" {
		command := installable.Install()
		said = strings.TrimSuffix(said, "; to install it, run: "+command)
		fix = Fix{Command: command}
		if m.Dir != "" {
			fix.Text, fix.Key = "install it where "+m.DirKey+" is not set, or say where it is", m.DirKey
		}
	}
	if m.Dir != "" {
		if dirErr := canList(m.Dir); errors.Is(dirErr, fs.ErrPermission) {
			fix = Fix{Text: "let the user that edged runs as read it", Command: "chmod -R a+rX " + quoted(m.Dir)}
			said = fmt.Sprintf("the directory %s cannot be read: %v", m.Dir, cause(dirErr))
		} else if errors.Is(dirErr, fs.ErrNotExist) {
			said = fmt.Sprintf("the directory %s is not there", m.Dir)
		}
	}
	return problemf("%s: %s does not load: %s", m.Key, m.Engine, strings.TrimPrefix(said, m.Key+": ")).because(why, fix)
}

// canList opens a directory and reads its first entry.
func canList(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if _, err := d.ReadDir(1); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// resident is how much memory this process takes, 0 if that is not known.
func (e Engines) resident() uint64 {
	fields := strings.Fields(readLine(e.Proc + "/self/statm"))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}
