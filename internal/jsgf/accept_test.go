package jsgf

import (
	"math/rand/v2"
	"testing"
)

const lamps = `#JSGF V1.0;
grammar lamps;
public <order> = [ please ] <verb> {v} the ( lamp | ( red | green ) lamp [ now ] ) | stop;
<verb> = turn on | switch ( on | off );
`

func TestAccepts(t *testing.T) {
	g, err := Parse(lamps)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"stop": true, "please switch off the lamp": true, "turn on the red lamp now": true,
		"": false, "stop stop": false, "turn off the lamp": false, "turn on the lamp now": false,
		"turn on the red": false, "please": false, "please please switch on the lamp": false,
	} {
		if got := g.Accepts(text); got != want {
			t.Errorf("Accepts(%q) = %v, want %v", text, got, want)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		if s := g.Sentence(random).String(); !g.Accepts(s) {
			t.Errorf("the grammar makes %q and does not accept it", s)
		}
	}
}
