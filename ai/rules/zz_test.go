package rules

import (
	"edged/ai/match"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
)

var clincMap = map[string]string{
	"time": "clock.", "date": "date.", "timer": "timer.", "calculator": "sum.", "measurement_conversion": "unit.", "change_volume": "volume.",
	"flip_coin": "chance.coin", "roll_dice": "chance.dice", "tell_joke": "fun.joke", "what_is_your_name": "talk.name", "who_made_you": "talk.maker",
	"are_you_a_bot": "talk.robot", "greeting": "talk.hello|talk.howareyou", "goodbye": "talk.bye", "thank_you": "talk.thanks", "what_can_i_ask_you": "help", "repeat": "talk.repeat",
	"how_old_are_you": "talk.age", "where_are_you_from": "talk.home|talk.maker", "user_name": "talk.user|", "change_user_name": "talk.user|", "whisper_mode": "volume.|", "timezone": "clock.elsewhere|", "yes": "talk.|", "no": "talk.|", "cancel": "talk.|", "what_are_your_hobbies": "talk.|", "do_you_have_pets": "talk.|", "meaning_of_life": "talk.|", "maybe": "talk.|", "next_holiday": "date.|", "reminder": "timer.|", "alarm": "timer.|", "fun_fact": "|", "who_do_you_work_for": "talk.|",
}

func TestZZ(t *testing.T) {
	os.WriteFile("/tmp/r.gram", []byte(Grammar()), 0o644)
	b := theBook()
	var d map[string][][2]string
	raw, _ := os.ReadFile("/tmp/nlu/clinc.json")
	json.Unmarshal(raw, &d)
	part := os.Getenv("PART")
	if part == "" {
		part = "train"
	}
	only := os.Getenv("ONLY")
	good, total := map[string]int{}, map[string]int{}
	for _, p := range append(d[part], d[strings.Replace("oos_"+part, "oos_test", "oos_test", 1)]...) {
		text, intent := p[0], p[1]
		want, in := clincMap[intent]
		m, ok := b.set.Match(text)
		got := ""
		if ok {
			got = m.Rule
		}
		total[intent]++
		right := false
		if in {
			for _, w := range strings.Split(want, "|") {
				if w == "" && got == "" || w != "" && strings.HasPrefix(got, w) {
					right = true
				}
			}
		} else {
			right = got == ""
		}
		if right {
			good[intent]++
		} else if only == intent || only == "all" || only == "fp" && !in || only == "mis" && in && got != "" {
			fmt.Printf("%-24s got %-14s %q\n", intent, got, text)
		}
	}
	if os.Getenv("QUIET") == "" {
		var names []string
		fp, fpn := 0, 0
		for n := range total {
			if _, in := clincMap[n]; in {
				names = append(names, n)
			} else {
				fp += total[n] - good[n]
				fpn += total[n]
			}
		}
		sort.Strings(names)
		for _, n := range names {
			fmt.Printf("%-26s %d/%d\n", n, good[n], total[n])
		}
		fmt.Println("false accepts", fp, "of", fpn)
	}
	_ = match.Units
}
