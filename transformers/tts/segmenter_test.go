package tts_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"edged/transformers/tts"
	"edged/transformers/tts/speakable"
)

// segment pushes the pieces one by one and returns all segments.
func segment(pieces ...string) []string { return segmentIn(speakable.English, pieces...) }

func segmentIn(language speakable.Language, pieces ...string) []string {
	s := tts.Segmenter{Language: language}
	var got []string
	for _, piece := range pieces {
		got = append(got, s.Push(piece)...)
	}
	return append(got, s.Close()...)
}

// F31: the sentence splitter, token by token.
func TestSegments(t *testing.T) {
	tests := []struct {
		name   string
		pieces []string
		want   []string
	}{
		{"a token keeps its space", []string{"Hello ", "world ", "again"}, []string{"Hello world again"}},
		{"a decimal number in three tokens", []string{"Pi is 3", ".", "14", ". Yes."}, []string{"Pi is 3.14. ", "Yes."}},
		{"two sentences", []string{"Hello. How are you?"}, []string{"Hello. ", "How are you?"}},
		{"exclamation and question", []string{"What?! No way! Yes."}, []string{"What?! ", "No way! ", "Yes."}},
		{"ellipsis", []string{"Well... maybe… Yes."}, []string{"Well... ", "maybe… ", "Yes."}},
		{"leading dots belong to what follows", []string{"... and so on. End"}, []string{"... and so on. ", "End"}},
		{"closing quote", []string{`He said "Stop." Then he left.`}, []string{`He said "Stop." `, "Then he left."}},
		{"closing quote in the next token", []string{"He said “Stop.", "” Then."}, []string{"He said “Stop.” ", "Then."}},
		{"markdown bold", []string{"**Done.** Next."}, []string{"**Done.** ", "Next."}},
		{"newline ends a segment", []string{"one\ntwo\n", "three"}, []string{"one\n", "two\n", "three"}},
		{"blank lines lead the next segment", []string{"one\n\n", "two"}, []string{"one\n", "\ntwo"}},
		{"CRLF", []string{"One.\r\nTwo."}, []string{"One.\r", "\nTwo."}},
		{"title", []string{"Ask Dr. Who and Mr", ". Smith. Now."}, []string{"Ask Dr. Who and Mr. Smith. ", "Now."}},
		{"saint", []string{"It is in St. Ives. Yes."}, []string{"It is in St. Ives. ", "Yes."}},
		{"for example", []string{"Fruit, e.g. apples, i.e. food. Yes."}, []string{"Fruit, e.g. apples, i.e. food. ", "Yes."}},
		{"p.m. in the middle", []string{"At 5 p", ".m", ". ", "tomorrow. Yes."}, []string{"At 5 p.m. tomorrow. ", "Yes."}},
		{"p.m. at the end", []string{"It is 5 p.m. ", "The shop closes."}, []string{"It is 5 p.m. ", "The shop closes."}},
		{"country", []string{"The U.S. is large. The U.S. The end."}, []string{"The U.S. is large. ", "The U.S. ", "The end."}},
		{"initials", []string{"J. R. R. Tolkien wrote. So did I. Then."}, []string{"J. R. R. Tolkien wrote. ", "So did I. ", "Then."}},
		{"number before a digit, word otherwise", []string{"No. 5 is it. No. I mean it."}, []string{"No. 5 is it. ", "No. ", "I mean it."}},
		{"list number", []string{"1. Mix.\n2. Stir."}, []string{"1. Mix.\n", "2. Stir."}},
		{"year ends a sentence", []string{"In 1998. Then."}, []string{"In 1998. ", "Then."}},
		{"address on the web", []string{"See example.com/a.b for v1.2.3 now. Yes."}, []string{"See example.com/a.b for v1.2.3 now. ", "Yes."}},
		{"Chinese needs no space", []string{"你好。", "今天天气好吗？很好！"}, []string{"你好。", "今天天气好吗？", "很好！"}},
		{"Chinese quote", []string{"他说：「好。」", "然后走了。"}, []string{"他说：「好。」", "然后走了。"}},
		{"Vietnamese", []string{"Xin chào. ", "Bạn khỏe không?"}, []string{"Xin chào. ", "Bạn khỏe không?"}},
		{"a rune cut in two", []string{"caf\xc3", "\xa9. Oui."}, []string{"café. ", "Oui."}},
		{"only space", []string{" ", "\n", " "}, []string{" \n "}},
		{"nothing", []string{"", ""}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := segment(tt.pieces...); !slices.Equal(got, tt.want) {
				t.Errorf("pieces %q\n got %q\nwant %q", tt.pieces, got, tt.want)
			}
		})
	}
}

// A sentence must reach the engine as soon as it is certain, not at the end of
// the reply.
func TestSegmentsComeEarly(t *testing.T) {
	steps := []struct {
		push string
		want []string
	}{
		{"Hello", nil},
		{".", nil}, // may become "Hello.txt"
		{" The", []string{"Hello. "}},
		{" answer", nil},
		{"! ", []string{"The answer! "}},
		{"One\n", []string{"One\n"}},
		{"At 5 p.m. ", nil}, // a small letter would go on
		{"Then", []string{"At 5 p.m. "}},
	}
	var s tts.Segmenter
	for i, step := range steps {
		if got := s.Push(step.push); !slices.Equal(got, step.want) {
			t.Errorf("step %d: Push(%q) = %q, want %q", i, step.push, got, step.want)
		}
	}
	if got := s.Close(); !slices.Equal(got, []string{"Then"}) {
		t.Errorf("Close = %q, want the rest", got)
	}
	if got := s.Close(); got != nil {
		t.Errorf("second Close = %q, want nothing", got)
	}
}

func TestLongSentencesAreCut(t *testing.T) {
	word := strings.Repeat("w", 9) + " "
	tests := []struct {
		name, text string
		first      string
	}{
		{"behind the last comma", strings.Repeat(word, 14) + "comma, " + strings.Repeat(word, 20), strings.Repeat(word, 14) + "comma, "},
		{"a comma too early: between words", "comma, " + strings.Repeat(word, 40), "comma, " + strings.Repeat(word, 29)},
		{"between words", strings.Repeat(word, 40), strings.Repeat(word, 30)},
		{"a word too long", strings.Repeat("x", 400), strings.Repeat("x", 300)},
		{"Chinese behind its comma", strings.Repeat("好", 200) + "，" + strings.Repeat("好", 200), strings.Repeat("好", 200) + "，"},
		{"not between a letter and its accent", strings.Repeat("x", 299) + "e\u0301" + strings.Repeat("x", 9), strings.Repeat("x", 299)},
		{"dots without end", "x" + strings.Repeat(".", 400), "x" + strings.Repeat(".", 299)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := segment(tt.text)
			if len(got) < 2 || got[0] != tt.first {
				t.Errorf("got %q\nwant first %q", got, tt.first)
			}
		})
	}
}

// check is what holds for every text, however it arrives.
func check(t *testing.T, language speakable.Language, text string, cuts func(n int) int) {
	t.Helper()
	var pieces []string
	for rest := text; rest != ""; {
		n := cuts(len(rest))
		pieces = append(pieces, rest[:n])
		rest = rest[n:]
	}
	got := segmentIn(language, pieces...)
	if joined := strings.Join(got, ""); joined != text {
		t.Fatalf("the segments of %q make %q: text was lost or changed", text, joined)
	}
	for _, s := range got {
		if n := utf8.RuneCountInString(s); n == 0 || n > tts.MaxSegment {
			t.Fatalf("segment %q has %d characters, want 1 to %d", s, n, tts.MaxSegment)
		}
	}
	if whole := segmentIn(language, text); !slices.Equal(got, whole) {
		t.Fatalf("pieces %q\n give %q\nwhole %q: segments must not depend on the pieces", pieces, got, whole)
	}
}

func TestSegmentsLoseNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fragments := []string{
		"Hello", " world", ".", " ", "\n", "3", "14", "Dr.", " e.g.", "p.m.", "!", "?!", "\"", "”", "。", "你好", "，", ", ",
		"é", "e\u0301", "👍🏽", "...", "\r\n", "\xff", "\xe4\xbd", "J.", " I.", "No. ", "5", strings.Repeat("long", 40), strings.Repeat(" ", 200),
		"<think>", "</think>", "<thi", "nk>", "<", "a < b", "<b>", "```", "```go\n", "``", "~~~\n", "\n```\n", "am ", "der 2. ", "Mai", "z. B. ", "« ", " »", "“", "¿", "¡",
		"「はい。」", "と", "、", "：", " ;", "\u00a0!", "\u200b", "🇩🇪", "👨‍👩‍👧", "ไทย", "กำ", "[a, ", "](b)", "M. ", "p. ej. ",
	}
	for range 3000 {
		var text strings.Builder
		for range rng.IntN(40) {
			text.WriteString(fragments[rng.IntN(len(fragments))])
		}
		check(t, speakable.Language(rng.IntN(6)), text.String(), func(n int) int { return 1 + rng.IntN(min(n, 12)) })
	}
}

func FuzzSegmenter(f *testing.F) {
	f.Add("Hello. It is 3.14 p.m. 你好。\n\n1. Dr. X", uint8(3), uint8(0))
	f.Add(strings.Repeat("word, ", 80), uint8(1), uint8(0))
	f.Add("\xff.\xe4 \xbd", uint8(1), uint8(1))
	f.Add(strings.Repeat(".", 301)+" a", uint8(7), uint8(2))
	f.Add("a <think>b. c</think> d <think> e", uint8(2), uint8(3))
	f.Add("a\n```go\nx := 1\n```\n~~~\n", uint8(1), uint8(4))
	f.Add("am 3. Mai z. B. « Oui ! » 「はい。」と", uint8(1), uint8(1))
	f.Add(strings.Repeat("𝄞", 299)+"<think>x</think>", uint8(4), uint8(0))
	f.Fuzz(func(t *testing.T, text string, size, language uint8) {
		check(t, speakable.Language(language%7), text, func(n int) int { return min(n, 1+int(size)) })
	})
}

func BenchmarkSegmenter(b *testing.B) {
	tokens := strings.SplitAfter(strings.Repeat("The timer for ten minutes is set, and I will tell you when it is over. ", 10), " ")
	b.ReportAllocs()
	for b.Loop() {
		segment(tokens...)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(tokens)), "ns/token")
}
