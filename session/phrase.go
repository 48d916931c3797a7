package session

// DefaultPhrases returns the session's own phrases in a language: "en", "de", "es",
// "fr", "zh" or "ja", English for any other.
func DefaultPhrases(language string) map[Phrase]string {
	switch language {
	case "de":
		return map[Phrase]string{
			PhraseNotUnderstood: "Entschuldigung, das habe ich nicht verstanden.",
			PhraseNothingHeard:  "Ich habe nichts gehört.",
			PhraseAttending:     "Ja?",
			PhraseFailed:        "Entschuldigung, da ist etwas schiefgegangen. Bitte versuch es noch einmal.",
		}
	case "es":
		return map[Phrase]string{
			PhraseNotUnderstood: "Perdona, no te he entendido.",
			PhraseNothingHeard:  "No he oído nada.",
			PhraseAttending:     "¿Sí?",
			PhraseFailed:        "Perdona, algo ha salido mal. Inténtalo otra vez.",
		}
	case "fr":
		return map[Phrase]string{
			PhraseNotUnderstood: "Désolé, je n'ai pas compris.",
			PhraseNothingHeard:  "Je n'ai rien entendu.",
			PhraseAttending:     "Oui ?",
			PhraseFailed:        "Désolé, il y a eu un problème. Réessaie, s'il te plaît.",
		}
	case "zh":
		return map[Phrase]string{
			PhraseNotUnderstood: "抱歉，我没听清。",
			PhraseNothingHeard:  "我什么也没听到。",
			PhraseAttending:     "我在。",
			PhraseFailed:        "抱歉，出了点问题，请再试一次。",
		}
	case "ja":
		return map[Phrase]string{
			PhraseNotUnderstood: "すみません、聞き取れませんでした。",
			PhraseNothingHeard:  "何も聞こえませんでした。",
			PhraseAttending:     "はい。",
			PhraseFailed:        "すみません、うまくいきませんでした。もう一度お願いします。",
		}
	}
	return map[Phrase]string{
		PhraseNotUnderstood: "Sorry, I didn't catch that.",
		PhraseNothingHeard:  "I didn't hear anything.",
		PhraseAttending:     "Yes?",
		PhraseFailed:        "Sorry, something went wrong. Please try again.",
	}
}
