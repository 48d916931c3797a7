package turn

import "testing"

// TestJudges: each language by sentences that stop where a speaker would think,
// and by whole ones, in the spellings of recognisers with and without punctuation.
func TestJudges(t *testing.T) {
	const u, c, i = Unknown, Complete, Incomplete
	tests := []struct {
		language string
		texts    map[string]Expectation
	}{
		{"en", map[string]Expectation{
			"": u, "...": u, "  ": u,
			"play some music and": i, "I would like to": i, "Set a timer for the": i, "my number is five five five": i,
			"it costs three point": i, "two hundred and": i, "set it to twenty": i, "how many": i, "I'm": i,
			"so um": i, "let me see": i, "and what is": i, "the weather in,": i, "tell me a story about...": i,
			"Call my mother and.": i, "what time it is": u, "turn it on": u, "tell me more": u, "what do you have": u,
			"play some music": u, "set a timer for five minutes": u, "who are you": u, "thank you please": u,
			"What time is it?": c, "Stop!": c, "Play some music.": c,
		}},
		{"de", map[string]Expectation{
			"stell einen Wecker für": i, "ich möchte": i, "Milch und": i, "drei Komma": i, "ähm": i, "eins zwei drei": i,
			"wie viel": i, "Musik von der": i, "mach das Licht an": u, "wie spät ist es": u, "Danke bitte": u, "Wie spät ist es?": c,
		}},
		{"es", map[string]Expectation{
			"pon un temporizador de": i, "quiero": i, "leche y": i, "treinta": i, "uno dos tres": i, "por qué": i, "eh": i,
			"qué hora es": u, "pon música": u, "hazlo por favor": u, "¿Qué hora es?": c,
		}},
		{"fr", map[string]Expectation{
			"mets un minuteur de": i, "je voudrais": i, "du lait et": i, "quatre-vingt": i, "allume l'": i, "un deux trois": i,
			"est-ce que": i, "euh": i, "quelle heure est-il": u, "mets de la musique": u, "Quelle heure est-il ?": c,
		}},
		{"zh", map[string]Expectation{
			"我想听音乐和": i, "因为": i, "帮我": i, "我的号码是一三八": i, "嗯": i, "明天的": i, "播放音乐": u, "現在幾點": c,
			"你好吗": c, "现在几点？": c, "定一个": i,
		}},
		{"ja", map[string]Expectation{
			"東京の": i, "音楽を": i, "えっと": i, "それで": i, "牛乳と": i, "今何時です": c, "音楽をかけてください": c,
			"今何時ですか": c, "今何時？": c, "音楽": u,
		}},
	}
	for _, test := range tests {
		judge := ForLanguage(test.language)
		for text, want := range test.texts {
			if got := judge(text); got != want {
				t.Errorf("%s: %q is %v, want %v", test.language, text, got, want)
			}
		}
	}
}

func TestForLanguage(t *testing.T) {
	for _, code := range []string{"en", "en-GB", "DE", "zh_CN", "fr-FR", "es", "ja"} {
		if ForLanguage(code) == nil {
			t.Errorf("no judge for %q", code)
		}
	}
	for _, code := range []string{"", "tlh", "english", "-"} {
		if ForLanguage(code) != nil {
			t.Errorf("a judge for %q, of which nothing is known", code)
		}
	}
}

func TestCommands(t *testing.T) {
	judge := Commands(func(text string) (complete, open bool) {
		return text == "stop" || text == "set a timer", text == "set a" || text == "set a timer"
	})
	for text, want := range map[string]Expectation{
		"stop": Complete, "set a timer": Unknown, "set a": Incomplete, "who won the world cup": Incomplete, "": Incomplete,
	} {
		if got := judge(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}
