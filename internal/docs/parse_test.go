package docs

import (
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	page := strings.ReplaceAll(`# A page

    make demo   # hear it

Text
    that goes on is no block.

<!-- source: a_test.go ExampleX -->
'''go
x := 1

y := 2
'''

- in a list

  '''yaml
  a:
    b: 1
  '''
'''
plain
'''
`, "'''", "```")
	got, err := Parse("p.md", page)
	want := []Block{
		{Page: "p.md", Line: 3, Lang: "sh", Text: "make demo   # hear it\n"},
		{Page: "p.md", Line: 10, Lang: "go", Text: "x := 1\n\ny := 2\n", Source: "a_test.go ExampleX"},
		{Page: "p.md", Line: 18, Lang: "yaml", Text: "a:\n  b: 1\n"},
		{Page: "p.md", Line: 22, Text: "plain\n"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v\nwant %+v", got, err, want)
	}
	if _, err := Parse("p.md", "```sh\nmake"); err == nil || !strings.Contains(err.Error(), "p.md:2") {
		t.Errorf("a fence without an end: %v, want it with its line", err)
	}
}

func TestCommands(t *testing.T) {
	b := Block{Lang: "sh", Text: `# first
edged tail                  # all
edged serve --config a.yaml \
    --listen x:1

curl "http://x/#y"  -N
`}
	want := []string{"edged tail", "edged serve --config a.yaml --listen x:1", `curl "http://x/#y" -N`}
	if got := b.Commands(); !reflect.DeepEqual(got, want) {
		t.Errorf("commands %q, want %q", got, want)
	}
	for name, want := range map[string]string{"edged tail": "edged tail", "edged serve": want[1], "edged": "", "edged ta": "", "tail": ""} {
		if got, err := Find([]Block{b}, name); got != want || (err != nil) != (want == "") {
			t.Errorf("Find(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	taken := Taken("# page A 'x'\npage A 'edged tail' ID=$ID\nexec x\npage B 'y z'\n")
	if !reflect.DeepEqual(taken, map[string][]string{"A": {"edged tail"}, "B": {"y z"}}) {
		t.Errorf("taken %q", taken)
	}
}
