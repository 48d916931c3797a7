package rules

import (
	"strings"

	"edged/ai/match"
)

// chat is a skill that needs no more than a choice of answers. %N in an answer
// stands for the assistant's name.
type chat struct {
	name string
	// patterns are said alone, without politeness around them.
	patterns, loose []string
	answers         []string
}

// talkSkills make small talk and repeat what was said.
func talkSkills() []skill {
	var skills []skill
	for _, c := range chats() {
		skills = append(skills, skill{
			match.Rule{Name: c.name, Patterns: c.patterns, Loose: c.loose, Alone: true},
			func(r *request) reply {
				return reply{text: strings.ReplaceAll(r.model.pick(c.answers...), "%N", r.model.name)}
			},
		})
	}
	return append(skills, skill{match.Rule{
		Name:     "talk.repeat",
		Patterns: []string{"say that again", "repeat that", "what did you say"},
		Loose: []string{
			"(repeat | repeated | replay | restate | rephrase) [yourself | question | answer | response | last ... | what ...] [again | louder | over | more time]",
			"say (it | that | this | again) [again | once more | one more time | over | another time]",
			"(said | repeated | heard) again",
			"(not | missed) [quite | really] (hear | catch | get | understand | make out | follow) [what you [just] said | last part | answer | all of that | a word] [<again>]",
			"... (not | missed) [quite] (hear | catch | get | understand) [what ...] <again>",
			"(pardon | huh | sorry what | excuse me | beg your pardon | come again | one more time | another time | once more | say what | what)",
			"what did you [just] (say | tell | mention | ask)",
			"what was that [you said | you just said | again]",
			"run (that | it) by me",
			"(tell me | ask | go over | explain | hear | give) [question | that | it | answer] (again | once more | one more time)",
			"missed (that | it | what you [just] said)",
			"the last thing you said",
			"what you (said | just said)",
			"... (what was that you | you just) said",
		},
	}, func(r *request) reply {
		if said := r.lastAnswer(); said != "" {
			return reply{text: said}
		}
		return say("I haven't said anything yet.")
	}})
}

// talkFragments are the words around small talk.
func talkFragments() map[string]string {
	return map[string]string{
		"made": "made | built | created | invented | programmed | designed | developed | wrote | coded | constructed | produced | " +
			"manufactured | engineered | owns | formed | fabricated | compiled | trained | responsible",
		"again":   "again | once more | one more time | repeat | say it again",
		"machine": "robot | machine | computer | bot | ai | program | chatbot | android | automated | artificial | artificial intelligence",
		"person":  "human | human being | person | man | woman | boy | girl | people | alive | real | being",
		"nice": "smart | clever | funny | great | awesome | good | cool | nice | amazing | best | helpful | brilliant | wonderful | " +
			"sweet | cute | hilarious | fun | perfect | excellent | genius | star | impressive | interesting | fantastic | lovely | kind | super",
		"bad": "stupid | dumb | wrong | useless | bad | idiot | boring | annoying | terrible | awful | incorrect | silly | slow | rude",
		"bye": "goodbye | bye | bye bye | farewell | ciao | good night | goodnight | so long | cheerio | adios | take care | take it easy | " +
			"later | see you | see ya | see you later | see you soon | see you tomorrow | good bye | ta ta | catch you later | peace out | " +
			"talk to you later | (have | enjoy) [a] (nice | good | great | lovely) (day | night | evening | one | weekend)",
	}
}

func chats() []chat {
	return []chat{
		{"talk.hello",
			[]string{"hello [there]", "hi [there]", "hey there", "good (morning | afternoon | evening)"},
			[]string{"(hello | hi | hey | howdy | greetings | yo | hiya | hola | hallo | morning | aloha | ahoy | sup) [there | everyone | friend | everybody | again]",
				"good (morning | afternoon | evening | day)",
				"(anyone | anybody | somebody) (there | home | listening)",
				"can you hear me",
				"[hello | hi | hey] (nice | pleased | pleasure | glad | happy | good | great | lovely) (meet | see | hear) you [again]",
				"(hello | hi | hey | good morning | good evening) (device | assistant | machine | computer | robot | speaker | box | buddy | pal | mate | dear)",
				"(there | awake | listening)",
				"wake up",
				"testing [one two three]",
				"say (hi | hello)"},
			[]string{"Hello! What can I do for you?", "Hi there. How can I help?", "Hello. I'm listening."}},
		{"talk.howareyou",
			[]string{"how are you [today | doing]"},
			[]string{"how (are | is) [you | everything | it | things | life | day] [going | doing | today | been | so far | feeling | well | treating you]",
				"how (have you been | do you do | do you feel | are things | goes it | was your day)",
				"(feeling | doing | are you | everything | things | been) [feeling | doing | going] (okay | well | good | fine | alright | all right | ok | happy)",
				"what is (up | new | happening | good | going on)", "how you (doing | feeling)"},
			[]string{"I'm doing fine, thank you. How can I help?", "All good here, thanks for asking.", "Very well, thank you. What can I do for you?"}},
		{"talk.thanks",
			[]string{"thank you [very much]", "thanks"},
			[]string{"(thank you | thanks | thank | cheers | ta | thankful | gracias | appreciate | appreciated | grateful | obliged) [so | very] [much | a lot | a million | a bunch | again] [for ...] [help | helping | helpful | assistance]",
				"... (thank you | thanks) [so much | very much | a lot]",
				"<nice> thanks",
				"(that is | that was | very | so) (helpful | kind | nice of you)",
				"helps [a lot]",
				"been [big | great | huge] (help | helpful)",
				"many thanks",
				"... (appreciate | grateful for | thankful for | gratitude for) [it | that | help | answer | assistance]",
				"can not thank you enough",
				"answer [was] (appreciated | helpful)"},
			[]string{"You're welcome.", "Any time.", "Glad I could help."}},
		{"talk.bye",
			[]string{"goodbye", "bye [bye]", "good night", "see you later"},
			[]string{"<bye> [for now | friend | everyone | till tomorrow | tomorrow | soon | sleep well]", "... (goodbye | bye | bye bye | good night | see you | see ya | farewell)", "(that is | that will be) all [thanks | for today | for now]", "i am (done | leaving | off | finished) [to bed | for today]",
				"(going | off) to bed",
				"i (have to | need to | must | got to) (go | leave | run)",
				"nothing else",
				"we are done",
				"(talk | speak) (later | soon | tomorrow)",
				"(nice | good | great | lovely | fun | glad | enjoyed | pleasure) [we] (talking | chatting | speaking | talk | speak | chat | conversation)",
				"until (next time | tomorrow)",
				"signing off",
				"leaving now",
				"[...] (see you | see ya | talk to you | catch you | speak to you | talk) ... (later | soon | around | tomorrow) [...]",
				"(later | bye) [thanks] ...",
				"[...] (nice | good | great | lovely | fun | pleasure) [we] (talking | chatting | speaking | talk | speak | chat | meeting you | seeing you) [...]",
				"(sayonara | hasta la vista | au revoir | toodles)"},
			[]string{"Goodbye!", "Bye for now.", "See you later."}},
		{"talk.name",
			[]string{"what is your name", "who are you"},
			[]string{"[have | go by | prefer | what | your] (name | nickname | names | nicknames)", "[what | how] (call | called | address | refer) you [by]", "[what | who] are you [called | exactly]", "you called",
				"(introduce | about) yourself",
				"(kind | sort | type) of (assistant | machine | device | robot | computer | thing)",
				"who (talking | speaking | is this) [to | with]",
				"(name | called) (assistant | device | ai | robot)",
				"your [full | first | real | last] name",
				"name [you] [use | go by | answer to | prefer]",
				"forgot your name",
				"you named",
				"... (call you | your name | you called)",
				"name for you"},
			[]string{"I'm %N, a voice assistant.", "My name is %N. I'm a voice assistant that works without the internet."}},
		{"talk.user",
			nil,
			[]string{"my (name | nickname)", "(name | names | nickname) ... for me", "... my name [...]", "i called", "me as", "know me by", "who am i", "name i have", "call me", "know me", "my name is ...", "call me ..."},
			[]string{"I don't keep names, so I can't tell you yours.", "I don't know your name, and I wouldn't remember it."}},
		{"talk.robot",
			[]string{"are you (a robot | human | real)"},
			[]string{"(are | is | you) [real | actual | living | live | just] (<machine> | <person>) [<person> | program | intelligence]", "(talking | speaking | chatting) [to | with] [real | actual | live] (<machine> | <person>) [person]",
				"[real | actual | live] (<machine> | <person>) or [real | actual | not] (<machine> | <person>) [person | program]",
				"do you have (feelings | emotions | a soul | a body | a brain)",
				"(conscious | sentient)",
				"sound like [a] <machine>",
				"[...] (<machine> | <person>) ... or ... (<machine> | <person> | fake | not) [...]",
				"[...] (are you | you are | yourself | considered | regard you) ... (<machine> | <person>) [...]"},
			[]string{"I'm a computer program, not a person.", "No person here: I'm a program that follows rules."}},
		{"talk.maker",
			[]string{"who made you"},
			[]string{"[who | company | person | people | organization | team | ai] <made> [you | ai | code | program | existence]", "(who | what | which | name | about | meet) your (maker | creator | boss | developer | developers | parents | father | mother | owner | inventor | designer | programmer | company | origin)",
				"(how | who) you (come to be | made | created | built | programmed | work)",
				"(language | code) (written | programmed)",
				"who do you (work | belong) [for | to]",
				"work for [who]",
				"who is your (employer | boss)",
				"[...] who ... <made> (you | ai | your ...) [...]",
				"... your (creator | maker | inventor | programmer | developer | designer) [...]",
				"(company | business | team | person) ... (made | created | built | designed | developed | produces | owns) [you] [...]",
				"(inventor | creator | maker) of [the] ai",
				"ai was made by [...]"},
			[]string{"I'm open source software. Some programmers wrote me, and I run right here in this machine.", "Some programmers wrote me as open source software. I run right here, without the internet."}},
		{"talk.home",
			nil,
			[]string{"where you [from | live | born | made | come | located | created | originate | originally]", "(place | country | town | city | area | location) [of] (origin | birth | born | made | created | live | come)", "your (home | birthplace | nationality | location)", "(from | live) where", "you from here", "[...] where ... you ... (from | born | live | made | created | located | originate | hail | grow | roots) [...]", "... (birthplace | place of birth | place of origin | country of origin | your origins | place of creation | hometown) [...]", "(place | country | town | city | area | location) ... you ... (from | born | made | created | live) [...]"},
			[]string{"I live in this machine.", "Right here, inside this machine."}},
		{"talk.age",
			nil,
			[]string{"old [years | months | days]", "[your] age", "[when | your] (birthday | birth date | date of birth | birth)", "(when | year | date | day) [you] (born | made | created | built | programmed)", "years old", "young or old", "older than me", "[...] how old [are] (you | ai) [...]", "(years | long) you (been | alive | exist | existed) [on | around | alive | here] [earth | operating | running]", "years [been] [on] [earth]", "(when | year) [you] (come | exist | originate) [exist | existence]"},
			[]string{"I don't count my years. I'm as old as my software.", "I have no birthday, I'm only a program."}},
		{"talk.praise",
			nil,
			[]string{"(<nice> | well) (job | work | done | one | answer | joke)", "(you are | that is | that was | this is | you did | it is) [so | very | pretty | quite | too | such] (<nice> | right) [one | joke | answer | robot | assistant]",
				"(like | love) (you | it | that | this | your ...)",
				"[very | so | wow | ha] (<nice> | wow)",
				"(ha ha | haha | ha)",
				"you make me (happy | laugh | smile)",
				"made me (laugh | smile)",
				"(love | marry) me",
				"good (boy | girl)"},
			[]string{"Thank you, that's kind.", "Thanks! I do my best.", "That's nice to hear."}},
		{"talk.blame",
			nil,
			[]string{"(you are | that is | that was | this is | you sound | it is | it was) [so | very | pretty | such | too | just] <bad> [joke | answer | robot]", "(you are | that is | that was | it is) not [very | so] (<nice> | right | correct | what ...)", "<bad> [job | joke | answer | robot]",
				"(hate | do not like) (you | that | this | it | your ...)",
				"(suck | sucks | shame on you | misunderstood | mistaken | got it wrong)",
				"do not understand me",
				"not (what i | right | correct | funny) [asked | meant | wanted | said]",
				"(no good | not good)"},
			[]string{"I'm sorry about that.", "Sorry. I'm still rather simple.", "I'm sorry. Let's try something else."}},
		{"talk.stop",
			[]string{"stop", "never mind", "be quiet"},
			[]string{"(stop | cancel | never mind | nevermind | quiet | enough | forget | shut up | hush | silence | no thanks | no thank you | abort | quit | shush | be silent | pause | hold on | wait | nothing | leave me alone | go away | scratch that | undo | drop it | ignore that | not now) [it | that | talking | minute | second | moment | about it]", "do not worry", "that is enough"},
			[]string{"Okay.", "All right."}},
		{"talk.yesno",
			[]string{"(yes | no | okay)"},
			[]string{"(yes | no | okay | ok | yeah | yep | nope | nah | sure | yup | right | alright | all right | fine | of course | maybe | correct | exactly | absolutely | certainly | got it | see | understood | sounds good | understand | no problem | definitely | affirmative | negative | true | false | indeed | really | oh | so | well | uh huh | not sure | do not know | do not care | do not think so | who knows | makes sense | guess so | think so | possibly | perhaps)"},
			[]string{"Okay. What would you like to do?", "All right. What can I do for you?"}},
		{"talk.sorry",
			nil,
			[]string{"[so | very] sorry [about that | for that | mistake | i ...]", "(my mistake | my bad | apologies | apologize | oops | whoops | forgive me | no offense)"},
			[]string{"No problem at all.", "Don't worry about it."}},
		{"talk.taste",
			nil,
			[]string{"your favorite ...", "favorite ...", "(hobby | hobbies | pets | pet | friends | family | dog | cat)", "do you (like | love | enjoy | eat | sleep | dream | drink | prefer | believe) ...", "(you | your) ... for fun", "you [like to] do (in | for) your (free | spare | down | leisure) time", "meaning of life", "do you get (lonely | tired | bored | hungry)", "(hobbies | hobby)", "do you (sleep | eat | dream | drink | breathe)"},
			[]string{"I'm a program, so I have no tastes of my own. But I do like a good sum.", "I wouldn't know, I'm only a program. Counting is what I like best."}},
	}
}
