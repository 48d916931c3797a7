package rules

import (
	"strings"

	"edged/ai/match"
)

// chanceSkills flip coins, roll dice and pick numbers.
func chanceSkills() []skill {
	return []skill{
		{match.Rule{
			Name:     "chance.coin",
			Patterns: []string{"(flip | toss) a coin", "heads or tails"},
			Loose: []string{
				"(flip | toss | throw | spin | flipping | tossing) [{n:count}] (coin | coins | quarter | penny | nickel | dime) [...]",
				"... (flip | toss | throw | spin | flipping | tossing) ... (coin | coins) [...]",
				"... (coin | coins) (flipped | tossed) [...]",
				"... heads or tails [...]",
				"coin (flip | toss)",
				"(do | perform | start | begin) coin (flip | toss | flipping | tossing)",
				"heads [or] tails",
				"[...] coin (flip | toss) [...]",
				"(flip | toss) heads [or] tails",
				"coin",
				"[...] (flip | toss | flipping | tossing) [a | the | this] coin [...]",
				"call it heads or tails",
				"coin [lands] [heads] [or] [tails]",
				"(flip | toss) (for it | it)",
			},
		}, answerCoin},
		{match.Rule{
			Name:     "chance.dice",
			Patterns: []string{"roll (a | the) (dice | die)", "roll {n:count} dice", "roll a {sides:count} sided (dice | die)"},
			Loose: []string{
				"<roll> [{n:count} | pair of | couple of | set of] (dice | die | dices | dies | bones) [...]",
				"... <roll> ... (dice | die) [...]",
				"... (dice | die) ... <roll> [...]",
				"<roll> (pair | couple) of {sides:count} (sided | side) (dice | die)",
				"... <roll> with {sides:count} sides",
				"<roll> [{n:count}] {sides:count} (sided | side | sides) [dice | die | dices | one]",
				"<roll> [{n:count}] (dice | die) (with | of) {sides:count} (sides | faces)",
				"<roll> [{n:count}] d {sides:count} [die | dice]",
				"(dice | die) <roll> [...]",
				"{sides:count} (sided | side) (dice | die) [roll | rolled | throw]",
				"(dice | die) [with] [{sides:count}] [sides]",
				"[...] (roll | throw) [of] [the | a] (dice | die) [...]",
				"d {sides:count} [roll]",
				"{n:count} (dice | die) [roll | rolled]",
				"[...] roll [me] [a | the] [{n:count}] {sides:count} sided (dice | die) [...]",
				"<roll> (pair | couple) [of] (dice | die)",
				"number (from | on | off | with) (dice | die)",
				"number (from | between) one (to | and) six <roll>",
				"<roll> [number] (from | between) one (to | and) six",
			},
		}, answerDice},
		{match.Rule{
			Name:     "chance.number",
			Patterns: []string{"pick a number between {a:count} and {b:count}"},
			Loose: []string{
				"[pick | choose | generate | random | select | guess | draw | produce | come with | roll] [random] number [random | randomly] (between | from | in the range) {a:count} (and | to | through) {b:count}",
				"[pick | choose | generate | select] [random] number",
				"random number",
				"number (between | from) {a:count} (and | to) {b:count}",
				"random number [up] to {b:count}",
			},
		}, answerRandomNumber},
	}
}

func chanceFragments() map[string]string {
	return map[string]string{"roll": "roll | throw | toss | cast | rolling | rolled | shake | rolls | shoot"}
}

// The most dice and sides that make a game.
const (
	maxDice  = 20
	maxSides = 1000
	maxCoins = 100
)

func answerCoin(r *request) reply {
	n, given := r.Int("n")
	switch {
	case !given && r.Has("n"), n > maxCoins:
		return say("I only have %d coins.", maxCoins)
	case given && n > 1:
		heads := 0
		for range n {
			heads += r.model.chance.below(2)
		}
		return say("%s coins: %s heads and %s tails.", capitalised(inWords(n)), inWords(heads), inWords(n-heads))
	}
	side := []string{"heads", "tails"}[r.model.chance.below(2)]
	return say(r.model.pick("It's %s.", "It landed on %s.", "You got %s."), side)
}

func answerDice(r *request) reply {
	n, sides := 1, 6
	if v, ok := r.Int("n"); ok {
		n = v
	} else if strings.Contains(strings.Join(r.Words, " "), "pair of") || strings.Contains(strings.Join(r.Words, " "), "couple of") {
		n = 2
	}
	if v, ok := r.Int("sides"); ok {
		sides = v
	}
	switch {
	case n < 1 || n > maxDice:
		return say("I can roll one to %d dice at a time.", maxDice)
	case sides < 2 || sides > maxSides:
		return say("My dice have between two and 1,000 sides.")
	}
	total := 0
	rolls := make([]string, n)
	for i := range rolls {
		roll := 1 + r.model.chance.below(sides)
		total += roll
		rolls[i] = inWords(roll)
	}
	if n == 1 {
		return say(r.model.pick("You rolled a %s.", "It's a %s.", "The die shows %s."), rolls[0])
	}
	return say("You rolled %s. That makes %s.", enumerate(rolls), inWords(total))
}

// maxPick bounds the numbers to pick from.
const maxPick = 1_000_000

func answerRandomNumber(r *request) reply {
	low, high := 1, 10
	if v, ok := r.Int("a"); ok {
		low = v
	}
	if v, ok := r.Int("b"); ok {
		high = v
	}
	if low > high {
		low, high = high, low
	}
	if high > maxPick {
		return say("I can pick numbers up to a million.")
	}
	return say("How about %s?", inWords(low+r.model.chance.below(high-low+1)))
}
