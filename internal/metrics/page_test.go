package metrics_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the table in docs/operating.md")

const (
	page      = "../../docs/operating.md"
	pageBegin = "<!-- Made by go test ./internal/metrics -run TestPage -update; do not edit. -->\n"
	pageEnd   = "<!-- End of what is made. -->\n"
)

// The table of metrics in docs/operating.md is what the registry holds.
func TestPage(t *testing.T) {
	registry, _ := everything(t)
	var table strings.Builder
	table.WriteString("\n| metric | type | labels | what |\n|---|---|---|---|\n")
	for _, f := range ours(gather(t, registry)) {
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, "`"+l.GetName()+"`")
		}
		slices.Sort(labels)
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", f.GetName(), strings.ToLower(f.GetType().String()), strings.Join(labels, " "), f.GetHelp())
	}
	table.WriteString("\n")

	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), pageBegin)
	got, after, closed := strings.Cut(rest, pageEnd)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table of metrics: want %q and %q", page, pageBegin, pageEnd)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+pageBegin+table.String()+pageEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != table.String() {
		t.Errorf("the table in %s is not what the registry holds; write it with: go test ./internal/metrics -run TestPage -update", page)
	}
}

// What the page says beside the table is of metrics, and of values of labels,
// that there are.
func TestPageNamesMetrics(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	registry, _ := everything(t)
	families := gather(t, registry)
	labels := make(map[string]bool)
	for _, f := range ours(families) {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				labels[l.GetName()+" "+l.GetValue()] = true
			}
		}
	}
	named := 0
	for _, name := range regexp.MustCompile(`\bedged_[a-z_]+`).FindAllString(string(text), -1) {
		named++
		family := strings.TrimSuffix(name, "_bucket")
		if families[family] == nil && !strings.HasSuffix(name, "_") {
			t.Errorf("%s speaks of %s, which there is not", page, name)
		}
	}
	for _, m := range regexp.MustCompile(`([a-z_]+)=~?"([a-z_|]+)"`).FindAllStringSubmatch(string(text), -1) {
		for value := range strings.SplitSeq(m[2], "|") {
			if !labels[m[1]+" "+value] {
				t.Errorf("%s speaks of %s=%q, which no metric has", page, m[1], value)
			}
		}
	}
	if named < 60 {
		t.Errorf("%d metrics are named: the page is not read rightly", named)
	}
}

// The examples for Prometheus are YAML, and hold what the text says.
func TestPageExamples(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	example := func(key string) (found string) {
		for _, block := range strings.Split(string(text), "```text\n")[1:] {
			if block, _, _ = strings.Cut(block, "```"); strings.HasPrefix(block, key) {
				found = block
			}
		}
		return found
	}
	var scrape struct {
		Configs []struct {
			Job           string `yaml:"job_name"`
			Authorization struct {
				File string `yaml:"credentials_file"`
			} `yaml:"authorization"`
			Static []struct {
				Targets []string `yaml:"targets"`
			} `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	decode(t, example("scrape_configs:"), &scrape)
	if len(scrape.Configs) != 1 || scrape.Configs[0].Authorization.File == "" || len(scrape.Configs[0].Static) != 1 {
		t.Errorf("the configuration of a scrape is %+v", scrape)
	}
	var alerts struct {
		Groups []struct {
			Name  string `yaml:"name"`
			Rules []struct {
				Alert string `yaml:"alert"`
				Expr  string `yaml:"expr"`
				For   string `yaml:"for"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	decode(t, example("groups:"), &alerts)
	for _, g := range alerts.Groups {
		for _, r := range g.Rules {
			if r.Alert == "" || !strings.Contains(r.Expr, "edged_") || strings.Count(r.Expr, "(") != strings.Count(r.Expr, ")") {
				t.Errorf("alert %+v", r)
			}
		}
	}
	if len(alerts.Groups) != 1 || len(alerts.Groups[0].Rules) < 5 {
		t.Errorf("the alerts are %+v", alerts)
	}
}

// decode reads an example strictly.
func decode(t *testing.T, example string, into any) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(example))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		t.Errorf("%v in\n%s", err, example)
	}
}
