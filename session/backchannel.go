package session

// Backchannels returns what listeners of a language say without wanting the
// floor, for "en", "de", "es", "fr", "zh" and "ja"; nil for another language.
// Words that are often an answer or a command ("no", "stop", "wait") are not
// among them.
func Backchannels(language string) []string {
	switch language {
	case "en":
		return []string{"mhm", "mhmm", "mm", "mmm", "mm hmm", "mmhmm", "hm", "hmm", "uh", "um", "huh", "uh huh", "uhhuh", "ah", "aha", "oh", "ooh", "wow",
			"yeah", "yep", "yup", "yes", "ok", "okay", "right", "sure", "i see", "got it", "really", "cool", "nice", "great", "good", "alright", "all right"}
	case "de":
		return []string{"mhm", "mm", "hm", "hmm", "äh", "ähm", "ah", "aha", "ach", "ach so", "oh", "ja", "jaja", "ja ja", "okay", "ok", "genau", "gut", "stimmt",
			"klar", "alles klar", "verstehe", "ich verstehe", "echt", "wirklich", "super", "schön", "toll"}
	case "es":
		return []string{"mm", "mmm", "hm", "ajá", "aja", "eh", "ah", "oh", "sí", "si", "vale", "ok", "okay", "claro", "ya", "ya veo", "entiendo", "bien", "bueno", "de acuerdo", "genial"}
	case "fr":
		return []string{"mm", "mmm", "hm", "hum", "euh", "ah", "oh", "oui", "ouais", "ok", "okay", "d'accord", "bien", "très bien", "je vois", "ah bon", "voilà", "super", "c'est vrai"}
	case "zh":
		return []string{"嗯", "嗯嗯", "唔", "哦", "噢", "喔", "啊", "呃", "额", "对", "对对", "对对对", "是", "是的", "是吗", "好", "好的", "好吧", "行", "明白", "知道了", "原来如此", "真的", "真的吗"}
	case "ja":
		return []string{"うん", "うんうん", "ううん", "ええ", "はい", "はいはい", "へえ", "へー", "ああ", "あー", "おお", "ふーん", "ふうん", "そう", "そうか", "そうですか", "そうですね", "なるほど", "本当", "ほんと", "本当に", "うーん", "えーと"}
	}
	return nil
}
