package doctor_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"edged/internal/doctor"
)

func finds(name string, findings ...doctor.Finding) doctor.Check {
	return doctor.Check{Name: name, Look: func(context.Context) []doctor.Finding { return findings }}
}

// A check that panics is a finding with its place, and the others run.
func TestRunGoesOn(t *testing.T) {
	ok := doctor.Finding{Level: doctor.OK, Found: "fine"}
	var told []string
	report := doctor.Run(t.Context(), []doctor.Check{
		finds("first", ok),
		{Name: "broken", Look: func(context.Context) []doctor.Finding {
			none := []doctor.Finding{}
			return none[len(told):]
		}},
		finds("last", doctor.Finding{Level: doctor.Warning, Found: "hm", Why: "y"}, doctor.Finding{Level: doctor.Skipped, Found: "later"}),
	}, func(f doctor.Finding) { told = append(told, f.Check) })
	if report.Healthy || report.Problems != 1 || report.Warnings != 1 || report.Skipped != 1 || len(report.Findings) != 4 {
		t.Errorf("report %+v, want 1 problem, 1 warning, 1 skipped of 4", report)
	}
	if got := strings.Join(told, " "); got != "first broken last last" {
		t.Errorf("told of %q", got)
	}
	f := want(t, report.Findings, doctor.Problem, "out of range", "run_test.go:")
	wantFix(t, f, "report")
}

// After an interruption the rest is skipped, and says so.
func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	report := doctor.Run(ctx, []doctor.Check{
		{Name: "long", Look: func(context.Context) []doctor.Finding { cancel(); return nil }},
		finds("next", doctor.Finding{Level: doctor.Problem, Found: "not to be seen"}),
	}, nil)
	if !report.Healthy || report.Skipped != 1 {
		t.Errorf("report %+v, want one that was skipped", report)
	}
}

// Scripts read the object by these names.
func TestReportShape(t *testing.T) {
	report := doctor.Run(t.Context(), []doctor.Check{finds("ports",
		doctor.Finding{Level: doctor.OK, Found: "a", Measure: &doctor.Measure{Name: "endpoint", MS: 420, GoodMS: 600, SlowMS: 1500}},
		doctor.Finding{Level: doctor.Problem, Found: "b", Why: "c", Fix: doctor.Fix{Text: "d", Command: "e", Key: "f"}},
	)}, nil)
	got, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"healthy":false,"problems":1,"warnings":0,"skipped":0,"findings":[` +
		`{"check":"ports","level":"ok","found":"a","measure":{"name":"endpoint","ms":420,"good_ms":600,"slow_ms":1500}},` +
		`{"check":"ports","level":"problem","found":"b","why":"c","fix":{"text":"d","command":"e","key":"f"}}]}`
	if string(got) != want {
		t.Errorf("report %s\nwant   %s", got, want)
	}
	if empty, _ := json.Marshal(doctor.Run(t.Context(), nil, nil)); !strings.Contains(string(empty), `"healthy":true`) || !strings.Contains(string(empty), `"findings":[]`) {
		t.Errorf("without checks: %s", empty)
	}
}

// What a person sees: a section for each check, the level in front, the reason and
// what to do below, within the width of the terminal but for commands; nothing in it
// that a terminal would obey.
func TestPrinter(t *testing.T) {
	findings := []doctor.Finding{
		{Check: "ports", Level: doctor.OK, Found: "127.0.0.1:8080 is free"},
		{Check: "ports", Level: doctor.Problem, Found: "taken by \x1b[31mevil\u009b of a long name", Why: "it cannot listen there",
			Fix: doctor.Fix{Text: "take another port", Key: "server.listen: 127.0.0.1:8090", Command: "ps -p 1 -o pid,user,args and more that is long"}},
		{Check: "clock", Level: doctor.Skipped, Found: "not looked at"},
	}
	const plain = `
ports
  ok       127.0.0.1:8080 is free
  problem  taken by [31mevil of a
           long name
           why  it cannot listen
                there
           fix  take another port
           key  server.listen:
                127.0.0.1:8090
           run  ps -p 1 -o pid,user,args and more that is long

clock
  skipped  not looked at

1 problem, 0 warnings, 1 skipped
`
	report := doctor.Report{Problems: 1, Skipped: 1}
	var b strings.Builder
	p := doctor.NewPrinter(&b, doctor.Style{Columns: 34})
	for _, f := range findings {
		p.Finding(f)
	}
	if err := p.End(report); err != nil || b.String() != plain {
		t.Errorf("printed (%v)\n%s\nwant\n%s", err, b.String(), plain)
	}

	b.Reset()
	p = doctor.NewPrinter(&b, doctor.Style{Color: true})
	p.Finding(findings[1])
	if !strings.Contains(b.String(), "\x1b[31mproblem  \x1b[0mtaken by [31mevil") {
		t.Errorf("in colour: %q", b.String())
	}

	broken := errors.New("the terminal is gone")
	p = doctor.NewPrinter(failing{broken}, doctor.Style{})
	p.Finding(findings[0])
	if err := p.End(report); !errors.Is(err, broken) {
		t.Errorf("End: %v, want %v", err, broken)
	}
}

// The sum: whether edged works is said only where nothing was left out.
func TestPrinterEnds(t *testing.T) {
	for _, tt := range []struct {
		report doctor.Report
		want   string
	}{
		{doctor.Report{}, "\n\x1b[32m0 problems, 0 warnings: edged works\x1b[0m\n"},
		{doctor.Report{Warnings: 2}, "\n\x1b[33m0 problems, 2 warnings: edged works\x1b[0m\n"},
		{doctor.Report{Skipped: 1}, "\n\x1b[32m0 problems, 0 warnings, 1 skipped\x1b[0m\n"},
		{doctor.Report{Problems: 1, Warnings: 1}, "\n\x1b[31m1 problem, 1 warning\x1b[0m\n"},
	} {
		var b strings.Builder
		if err := doctor.NewPrinter(&b, doctor.Style{Color: true}).End(tt.report); err != nil || b.String() != tt.want {
			t.Errorf("%+v: %q, %v; want %q", tt.report, b.String(), err, tt.want)
		}
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
