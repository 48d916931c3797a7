package tts_test

import (
	"slices"
	"strings"
	"testing"

	"edged/transformers/tts"
	"edged/transformers/tts/speakable"
)

// F31 in every language: the text is given in one piece and byte by byte, which
// has to come to the same.
func TestSegmentsByLanguage(t *testing.T) {
	const (
		en, de, es = speakable.English, speakable.German, speakable.Spanish
		fr, zh, ja = speakable.French, speakable.Chinese, speakable.Japanese
	)
	tests := []struct {
		name     string
		language speakable.Language
		want     []string // joined they are the text
	}{
		{"quotation goes on in small letters", en, []string{`"Stop!" he said. `, `"No." `, `Then he left.`}},
		{"times, versions and addresses", en, []string{"At 7:30 see https://a.b/c?d=e.f or mail a.b@c.de about v1.2.3. ", "Yes."}},
		{"list", en, []string{"Buy:\n", "- milk. ", "\n- 2. bread\n", "\n## Why?\n", "| a | b |\n", "Because."}},
		{"unclosed tags swallow nothing", en, []string{"If a < b then I <3 you. ", "So <b it is. ", "<i>Yes. ", "No"}},
		{"a lone thought tag at the end", en, []string{"<think> well. ", "I do not know."}},
		{"thought", en, []string{"Hm. ", "<think>a. b\nc</think>", " So it is. ", "Yes."}},
		{"thought first", en, []string{"<think>\nLet me see.\n</think>", "\n\nIt is nine. ", "Yes."}},
		{"thought in capitals, longer tag", en, []string{"<Thinking>x</THINKING>", "Yes."}},
		{"two thoughts", en, []string{"<think>x</think>", "One. ", "<think>y</think>", "Two."}},
		{"code", en, []string{"Run this:\n", "```go\n", "x := 1. y\n", "\n", "```\n", "Done. ", "Yes."}},
		{"code without an end", en, []string{"So:\n", "~~~\n", "a. B c\n", "d"}},
		{"inline code is no block", en, []string{"```x``` is code. ", "Yes."}},
		{"tags inside code are code", en, []string{"```\n", "<think>\n", "```\n", "Yes."}},
		{"first segment early", en, []string{"The timer for ten minutes in the kitchen has just been started, ", "and when it is over I will tell you, as you wanted. ", "Then we eat."}},
		{"first comma too early, second in a number", en, []string{"Well, it has been the most beautiful day of the year on May 3, 2026. ", "Yes."}},

		{"German abbreviations", de, []string{"Obst, z. B. Äpfel, d. h. Rotes, z.B. Kirschen usw. ist gut. ", "Ja."}},
		{"German titles", de, []string{"Hr. Dr. Müller kommt ca. um 7.30 Uhr. ", "Gut."}},
		{"German ordinals", de, []string{"Wir kommen am 3. Mai, im 2. Stock, zum 1. Mal. ", "Der 2. Weltkrieg. ", "Gut."}},
		{"German month without an article", de, []string{"Heute ist 3. Oktober. ", "Ja."}},
		{"German number at the end", de, []string{"Es sind 3. ", "Ich gehe 2026. ", "Du auch."}},
		{"German quotes", de, []string{"„Ja.“ ", "»Nein!« ", "„Komm!“, rief er. ", "Gut."}},

		{"Spanish", es, []string{"¿Qué tal? ", "¡Muy bien! ", "¿Y tú?"}},
		{"Spanish without a space", es, []string{"Hola.", "¿Qué tal?", "¡Bien!"}},
		{"Spanish abbreviations", es, []string{"El Sr. Pérez y la Sra. Ruiz, p. ej. hoy a las 5 p. m. en punto. ", "EE. UU. es grande. ", "Sí."}},

		{"French spacing", fr, []string{"Vraiment ? ", "Oui\u00a0! ", "Bien\u202f; alors : allons-y. ", "Bon."}},
		{"French guillemets", fr, []string{"« Oui. » ", "Il dit : « Ça va ? » et part. ", "«\u00a0Non\u00a0!\u00a0» ", "Bon."}},
		{"French abbreviations", fr, []string{"M. Dupont et MM. Durand, p. ex. hier, av. J.-C. ou après. ", "Oui."}},

		{"Chinese", zh, []string{"你好！", "今天星期几？", "“很好。”", "他说：“走吧！”", "然后……走了。"}},
		{"Chinese opening quote behind a stop", zh, []string{"他走了。", "“你好。”"}},
		{"Chinese with narrow stops", zh, []string{"你好!", "好吗?", "版本是3.5吗？", "好."}},
		{"Chinese clause", zh, []string{"今天的天气非常好所以我们一起去公园散步看花也看鸟，", "然后回家吃饭。", "好。"}},
		{"Japanese", ja, []string{"こんにちは。", "元気ですか？", "はい！"}},
		{"Japanese quotation goes on", ja, []string{"「はい。」と言った。", "「ええ。」", "そうです。"}},
		{"Vietnamese", en, []string{"Hôm nay trời đẹp quá! ", "Bạn có khỏe không? ", "Vâng."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Join(tt.want, "")
			if got := segmentIn(tt.language, text); !slices.Equal(got, tt.want) {
				t.Errorf("%v\n got %q\nwant %q", tt.language, got, tt.want)
			}
			var bytes []string
			for i := range len(text) {
				bytes = append(bytes, text[i:i+1])
			}
			if got := segmentIn(tt.language, bytes...); !slices.Equal(got, tt.want) {
				t.Errorf("%v, byte by byte\n got %q\nwant %q", tt.language, got, tt.want)
			}
		})
	}
}

// A forced cut never goes through what a reader takes for one character.
func TestForcedCutKeepsCharactersWhole(t *testing.T) {
	for name, character := range map[string]string{
		"family": "👨‍👩‍👧", "skin": "👍🏽", "flag": "🇩🇪", "accent": "e\u0301", "Thai vowel": "กำ", "Thai vowel in front": "เก", "Thai tone": "ก้", "Korean": "\u1112\u1161\u11ab", "heart": "❤️",
	} {
		t.Run(name, func(t *testing.T) {
			for shift := range 4 {
				text := strings.Repeat("x", shift) + strings.Repeat(character, 400)
				for _, s := range segment(text) {
					if rest := strings.ReplaceAll(strings.TrimLeft(s, "x"), character, ""); rest != "" {
						t.Fatalf("%q was cut to %q", character, rest)
					}
				}
			}
		})
	}
	// Nor through a word of another script among Chinese.
	text := strings.Repeat("好", 297) + "keyboard" + strings.Repeat("好", 9)
	if got := segmentIn(speakable.Chinese, text)[0]; strings.HasSuffix(got, "key") {
		t.Errorf("the cut is inside the word: %q", got[len(got)-9:])
	}
}

// What is held back is bounded: a thought without an end is one anyway.
func TestEndlessThought(t *testing.T) {
	line := "I wonder what it is.\n"
	text := "<think>" + strings.Repeat(line, 5000) // 105 kB
	var pieces []string
	for rest := text; rest != ""; {
		n := min(len(rest), 997)
		pieces, rest = append(pieces, rest[:n]), rest[n:]
	}
	got := segment(pieces...)
	if strings.Join(got, "") != text || len(got) < 200 {
		t.Errorf("%d segments of %d bytes: text was lost", len(got), len(text))
	}
}

// One character of look-ahead, and one word where a word decides.
func TestLookAhead(t *testing.T) {
	tests := []struct {
		language speakable.Language
		text     string
		most     int // characters behind a segment when it is told
	}{
		{speakable.English, "Hello there. It is 3.14 now! At 5 p.m. we go. \"Stop!\" Then. A < b? Yes… no. J. Doe.\nEnd. ", 1},
		{speakable.Spanish, "¿Qué tal? ¡Bien! El Sr. Ruiz. Hola.¿Y? ", 1},
		{speakable.French, "« Oui. » Vraiment ? Non\u00a0! M. Dupont. ", 1},
		{speakable.Chinese, "你好。“好！”他说。3.5吗？好!好。", 1},
		{speakable.Japanese, "「はい。」と。そう？はい。", 1},
		{speakable.German, "Gut. Es sind 3. Danach am 3. Mai. Heute ist 3. Oktober. Ja z. B. so. ", len("Oktober.")},
	}
	for _, tt := range tests {
		s := tts.Segmenter{Language: tt.language}
		held := 0
		for _, r := range tt.text {
			held++
			for _, segment := range s.Push(string(r)) {
				held -= len([]rune(segment))
				if held > tt.most {
					t.Errorf("%v: %q was told %d characters later, want at most %d", tt.language, segment, held, tt.most)
				}
			}
		}
	}
}
