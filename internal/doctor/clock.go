package doctor

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Clock looks at the wall clock and the time zone.
type Clock struct {
	Now func() time.Time
	// Elapsed is how much time has passed by the wall clock and by the monotonic one.
	Elapsed func() (wall, monotonic time.Duration)
	// Files are files whose modification cannot lie in the future, this program
	// first: it was not built after now.
	Files []string
	// Sync returns what the kernel knows of synchronisation; see KernelSync.
	Sync func() (Sync, error)
	// Tokens: devices connect with tokens that expire.
	Tokens bool
	// Zones are the configured time zones by their key, "" being the machine's.
	Zones map[string]string
	// Local is the machine's zone; TZ the environment variable of that name.
	Local *time.Location
	TZ    string
	// Zone finds a zone; nil means time.LoadLocation.
	Zone func(name string) (*time.Location, error)
}

// Sync is what the kernel knows of the clock.
type Sync struct {
	// Synchronised: something keeps it right.
	Synchronised bool
	// MaxError is how far off it is at most.
	MaxError time.Duration
}

// KernelSync asks the kernel.
func KernelSync() (Sync, error) {
	var t unix.Timex // all zero: only asks
	state, err := unix.Adjtimex(&t)
	if err != nil {
		return Sync{}, fmt.Errorf("adjtimex: %w", err)
	}
	return Sync{
		Synchronised: state != unix.TIME_ERROR && t.Status&unix.STA_UNSYNC == 0,
		MaxError:     time.Duration(t.Maxerror) * time.Microsecond,
	}, nil
}

const (
	// fileTolerance is how far a file may lie in the future: file systems round,
	// and those of other machines have clocks of their own.
	fileTolerance = time.Minute
	// jumpTolerance is how far wall and monotonic clock may part while the doctor
	// looks. A kernel that corrects the clock does so by half a thousandth.
	jumpTolerance = 100 * time.Millisecond
)

// setClock is what to do about a clock that is wrong.
func setClock() Fix {
	return Fix{Text: "let the machine keep its clock right, or set it by hand (date --set)", Command: install(packageTime)}
}

// Look compares the clock with what it can be compared with.
func (c Clock) Look(context.Context) []Finding {
	found := []Finding{c.plausible()}
	if jump, ok := c.jump(); ok {
		found = append(found, jump)
	}
	found = append(found, c.synchronised())
	return append(found, c.zones()...)
}

func (c Clock) plausible() Finding {
	now := c.Now()
	for i, path := range c.Files {
		info, err := os.Stat(path)
		if err != nil || !info.ModTime().After(now.Add(fileTolerance)) {
			continue
		}
		what := path + " was last changed at"
		if i == 0 {
			what = "this program was made at"
		}
		return problemf("the clock says %s, but %s %s: it is wrong", stamp(now), what, stamp(info.ModTime())).
			because("tokens seem not valid yet or never expire, the time is told wrongly, and the session log is in disorder", setClock())
	}
	return okf("the clock says %s, which can be", stamp(now))
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// jump compares wall and monotonic clock.
func (c Clock) jump() (Finding, bool) {
	wall, monotonic := c.Elapsed()
	apart := wall - monotonic
	if apart.Abs() <= jumpTolerance {
		return Finding{}, false
	}
	return warningf("the clock was set by %v while this ran", apart.Round(time.Millisecond)).
		because("replies are paced by another clock and do not suffer; tokens and the session log do", Fix{
			Text: "find out what sets it; a machine that keeps its clock right adjusts it slowly", Command: install(packageTime),
		}), true
}

func (c Clock) synchronised() Finding {
	sync, err := c.Sync()
	switch {
	case err != nil:
		return skippedf("whether the clock is kept right is not known: %v", err)
	case sync.Synchronised:
		return okf("the clock is kept right, within %v", sync.MaxError.Round(time.Millisecond))
	case c.Tokens:
		return warningf("nothing keeps the clock right, as far as the kernel knows").
			because("signed tokens expire: a clock that has drifted by more than 30 s refuses good ones and accepts old ones. Replies do not suffer", setClock())
	}
	return okf("nothing keeps the clock right, as far as the kernel knows; without signed tokens it only tells the time")
}

// zones looks for the zones in which the time is told.
func (c Clock) zones() []Finding {
	find := c.Zone
	if find == nil {
		find = time.LoadLocation
	}
	if _, err := find("Europe/Berlin"); err != nil {
		return []Finding{warningf("this machine has no time zones: %v", err).
			because("the time can be told in UTC only, and models.generator.NAME.timezone cannot be set", Fix{Command: install(packageZones)})}
	}
	var found []Finding
	for key, name := range inOrder(c.Zones) {
		if name == "" {
			found = append(found, c.local(key, find))
			continue
		}
		zone, err := find(name)
		if err != nil {
			found = append(found, problemf("%s: there is no time zone %q", key, name).
				because("edged serve does not start", Fix{Text: "an IANA name", Key: key + ": Europe/Berlin"}))
			continue
		}
		found = append(found, okf("%s: %s, where it is %s now", key, name, c.Now().In(zone).Format("15:04")))
	}
	return found
}

// local looks at the machine's own zone, for the key that names none.
func (c Clock) local(key string, find func(string) (*time.Location, error)) Finding {
	const why = "a user who asks for the time is told another one than that of his wall"
	now := c.Now()
	if c.TZ != "" && c.TZ[0] != '/' && c.TZ[0] != ':' {
		if _, err := find(c.TZ); err != nil {
			return warningf("TZ is %q, which is not a time zone, so the time is told in UTC", c.TZ).
				because(why, Fix{Key: key + ": Europe/Berlin", Command: "unset TZ"})
		}
	}
	if _, offset := now.In(c.Local).Zone(); offset == 0 && isUTC(c.Local, now) {
		return warningf("%s is not set and this machine's time zone is UTC: it is %s there", key, now.UTC().Format("15:04")).
			because(why, Fix{Text: "say where the devices are, UTC if that is meant", Key: key + ": Europe/Berlin"})
	}
	return okf("%s: this machine's time zone, where it is %s now", key, now.In(c.Local).Format("15:04"))
}

// isUTC tells UTC from zones that only have its time in winter.
func isUTC(zone *time.Location, now time.Time) bool {
	for month := range 12 {
		if _, offset := now.AddDate(0, month, 0).In(zone).Zone(); offset != 0 {
			return false
		}
	}
	return true
}
