package rules

import (
	"strings"

	"edged/ai/match"
)

// jokes are short enough to be spoken in one breath or two.
var jokes = []string{
	"My alarm clock and I had a fight. It went off, and I went back to sleep.",
	"I asked the thermometer how it was feeling. It said it had been better, to a degree.",
	"Why did the loudspeaker lose the argument? It kept repeating itself.",
	"I used to be a kitchen timer, but I ran out of time.",
	"What does a microphone eat for breakfast? Sound bites.",
	"Why was the battery so calm? It had nothing left to be charged with.",
	"The calendar is nervous. Its days are numbered.",
	"Why did the robot take the stairs? The elevator kept pushing its buttons.",
	"I told my lamp a joke. It was light entertainment.",
	"Why don't clocks ever get hungry? They always go back four seconds.",
	"My cousin is a toaster. Whenever we talk, something pops up.",
	"What did the zero say to the eight? Nice belt, but loosen up a little.",
	"Why did the cloud stay home from school? It was feeling under the weather.",
	"The dice asked me out, but I could not take the chance.",
}

// story takes about a minute to tell.
const story = "Once, on a hill above the sea, there stood a small lighthouse with a very old lamp. " +
	"The lamp was called Ferry, and every evening it woke up with a yawn and threw its long white arm across the water. " +
	"One winter a thick fog came in and would not leave. It sat on the harbour for nine days. " +
	"Ferry shone as hard as it could, but the light went only a few steps and then got lost. " +
	"On the ninth night the lamp heard a bell far out in the grey. A fishing boat was coming home, and it was heading for the rocks. " +
	"Ferry called to the gulls that slept on the roof. Go and tell them, it said, that I am here. " +
	"The gulls grumbled, because it was cold, but they flew, one after another, in a long line from the lighthouse to the boat, each one shouting to the next. " +
	"The captain had never heard gulls at night. She turned her wheel toward the sound, slowly, slowly, and the boat slipped past the rocks with a hand's breadth to spare. " +
	"In the morning the fog was gone. The captain climbed the hill with a basket of fresh fish for the gulls and a new wick for the lamp. " +
	"And Ferry, who was too proud to say that it had been afraid, shone that whole day long, just to be sure. " +
	"The end."

// entertainmentSkills tell jokes and the story.
func entertainmentSkills() []skill {
	return []skill{
		{match.Rule{
			Name:     "fun.joke",
			Patterns: []string{"tell me a joke", "make me laugh", "do you know [any] jokes", "say something funny", "tell me another joke"},
			Loose: []string{
				"[another | good | funny | hear | short | new | best | favorite | dad | knock knock | more | next | silly | different | clean] (joke | jokes | pun | puns | one liner | funny | gag | gags | riddle)",
				"(joke | jokes | pun | funny) [another | second | more | good]",
				"[...] (joke | jokes) [...]",
				"(make | need | want | use | fancy) [good] laugh",
				"[...] (make me laugh | cheer me up | make me smile | crack me up) [...]",
				"hear something funny",
				"(funny | humorous) [thing | things | one | ones]",
				"joke around",
				"entertain me",
				"(laugh | giggle | chuckle) [a bit]",
				"tickle my funny bone",
				"amuse me",
				"i am (bored | sad)",
				"know any good ones", "(something | anything) (funny | hilarious | amusing) [about ...]",
			},
		}, func(r *request) reply { return r.freshOf(jokes) }},
		{match.Rule{
			Name:     "fun.story",
			Patterns: []string{"tell me a [short | long | bedtime] story", "read me a story"},
			Loose: []string{
				"[read | hear] [another | bedtime | long | short | good night | fairy | nice | little] (story | stories | tale | fairy tale | bedtime story)",
				"[...] (story | stories | tale | fairy tale) [about ...]",
				"bedtime story",
				"once upon a time",
				"[...] tell [me] [a] [...] (story | tale) [...]",
			},
		}, func(r *request) reply { return reply{text: story} }},
		{match.Rule{
			Name:     "fun.again",
			Patterns: []string{"another one", "do it again"},
			Loose:    []string{"another", "one more", "(flip | toss | roll | throw | spin | try | do) [it | that] (again | once more | one more time | another)", "(again | once more)", "got another", "next one", "hear another", "and another", "another one"},
		}, answerAgain},
	}
}

// freshOf returns one of texts that the dialogue has not heard yet, as long as
// there is one.
func (r *request) freshOf(texts []string) reply {
	var fresh []string
	for _, text := range texts {
		told := false
		for _, msg := range r.before {
			told = told || msg.IsAssistant() && strings.Contains(msg.Content, text)
		}
		if !told {
			fresh = append(fresh, text)
		}
	}
	if len(fresh) == 0 {
		fresh = texts
	}
	return reply{text: r.model.pick(fresh...)}
}

// answerAgain does once more what the last request that can be repeated asked
// for: a joke, a coin, dice, a number.
func answerAgain(r *request) reply {
	b := r.book
	for i := len(r.before) - 1; i >= 0; i-- {
		if !r.before[i].IsUser() {
			continue
		}
		found, ok := b.set.Match(r.model.withoutOwnName(r.before[i].Content))
		switch {
		case ok && found.Rule == "fun.again":
			continue
		case ok && (strings.HasPrefix(found.Rule, "chance.") || found.Rule == "fun.joke"):
			r.Match = found
			return b.skills[found.Rule].answer(r)
		}
		break
	}
	if said := r.lastAnswer(); said != "" {
		return reply{text: said}
	}
	return say("I haven't done anything yet. Ask me for a joke, or to flip a coin.")
}
