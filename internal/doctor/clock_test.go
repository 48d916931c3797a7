package doctor_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"edged/internal/doctor"
)

// noon is a moment in summer, when no European zone has the time of UTC.
var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// clock is a healthy one at noon in Berlin, with a program that was made before.
func clock(t *testing.T) doctor.Clock {
	t.Helper()
	program := filepath.Join(t.TempDir(), "edged")
	write(t, program, "")
	if err := os.Chtimes(program, noon, noon.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return doctor.Clock{
		Now:     func() time.Time { return noon },
		Elapsed: func() (wall, monotonic time.Duration) { return time.Second, time.Second },
		Files:   []string{program, "/nowhere/to/be/found"},
		Sync: func() (doctor.Sync, error) {
			return doctor.Sync{Synchronised: true, MaxError: 3 * time.Millisecond}, nil
		},
		Tokens: true,
		Zones:  map[string]string{"models.generator.rules.timezone": ""},
		Local:  berlin,
	}
}

func TestClockIsRight(t *testing.T) {
	found := look(t, clock(t).Look)
	healthy(t, found)
	want(t, found, doctor.OK, "2026-07-01 12:00:00 UTC")
	want(t, found, doctor.OK, "within 3ms")
	want(t, found, doctor.OK, "models.generator.rules.timezone", "14:00") // UTC+2 in summer
}

func TestClockIsWrong(t *testing.T) {
	zone := func(name string) *time.Location {
		l, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	const key = "models.generator.rules.timezone"
	for _, tt := range []struct {
		name   string
		change func(*doctor.Clock)
		level  doctor.Level
		says   []string
		fix    string
	}{
		{"never set", func(c *doctor.Clock) { c.Now = func() time.Time { return time.Unix(100, 0) } },
			doctor.Problem, []string{"1970-01-01", "this program was made at 2026-07-01 11:00:00 UTC"}, "apt-get install systemd-timesyncd"},
		{"behind a file", func(c *doctor.Clock) {
			c.Files = []string{"/nowhere", c.Files[0]}
			c.Now = func() time.Time { return noon.Add(-2 * time.Hour) }
		}, doctor.Problem, []string{"edged was last changed at"}, "date --set"},
		{"set meanwhile", func(c *doctor.Clock) {
			c.Elapsed = func() (wall, monotonic time.Duration) { return -time.Hour, time.Second }
		}, doctor.Warning, []string{"set by -1h0m1s"}, "find out what sets it"},
		{"not kept", func(c *doctor.Clock) { c.Sync = func() (doctor.Sync, error) { return doctor.Sync{}, nil } },
			doctor.Warning, []string{"nothing keeps the clock right", "Replies do not suffer"}, "apt-get install systemd-timesyncd"},
		{"not known", func(c *doctor.Clock) {
			c.Sync = func() (doctor.Sync, error) { return doctor.Sync{}, errors.New("no such call") }
		},
			doctor.Skipped, []string{"no such call"}, ""},
		{"no zones", func(c *doctor.Clock) {
			c.Zone = func(string) (*time.Location, error) { return nil, errors.New("unknown time zone") }
		}, doctor.Warning, []string{"no time zones"}, "apt-get install tzdata"},
		{"no such zone", func(c *doctor.Clock) { c.Zones[key] = "Europe/Atlantis" },
			doctor.Problem, []string{key, "Europe/Atlantis"}, key + ": Europe/Berlin"},
		{"nowhere", func(c *doctor.Clock) { c.Local = time.UTC },
			doctor.Warning, []string{"time zone is UTC", "12:00"}, key + ": Europe/Berlin"},
		{"TZ is wrong", func(c *doctor.Clock) { c.TZ, c.Local = "Europe/Atlantis", time.UTC },
			doctor.Warning, []string{`TZ is "Europe/Atlantis"`}, "unset TZ"},
		// What London has in winter is no sign of a machine that knows no zone.
		{"London in winter", func(c *doctor.Clock) {
			c.Local, c.Now = zone("Europe/London"), func() time.Time { return noon.AddDate(0, 6, 0) }
		}, doctor.OK, []string{key, "12:00"}, ""},
		{"another zone", func(c *doctor.Clock) { c.Zones[key] = "Asia/Tokyo" }, doctor.OK, []string{"Asia/Tokyo", "21:00"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := clock(t)
			tt.change(&c)
			wantFix(t, want(t, look(t, c.Look), tt.level, tt.says...), tt.fix)
		})
	}
}

// Without signed tokens a clock that nobody keeps is no reason to worry.
func TestClockWithoutTokens(t *testing.T) {
	c := clock(t)
	c.Tokens, c.Sync = false, func() (doctor.Sync, error) { return doctor.Sync{}, nil }
	healthy(t, look(t, c.Look))
}

// The kernel answers, or says why not.
func TestKernelSync(t *testing.T) {
	sync, err := doctor.KernelSync()
	if err != nil {
		t.Skipf("this kernel does not tell: %v", err)
	}
	if sync.MaxError < 0 {
		t.Errorf("off by at most %v", sync.MaxError)
	}
}
