package operator

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"edged/session/log"
)

// nameOf is the name of the event, also of one that this version does not know.
func nameOf(line []byte, rec log.Record) string {
	if rec.Event != nil {
		return string(rec.Event.Name())
	}
	var head log.Head
	_ = json.Unmarshal(line, &head) // it was parsed before
	return string(head.Event)
}

// inkOf is the ink of the event's name.
func inkOf(e log.Event) ink {
	switch e.(type) {
	case log.Error:
		return red
	case log.Interrupt, log.BargeInConfirm, log.SessionDetach, log.Drop:
		return yellow
	case log.SessionStart, log.SessionEnd, log.SessionAttach:
		return cyan
	case log.ReplyDone:
		return green
	case log.ASRFinal:
		return bold
	case log.ASRPartial, log.Usage, log.HistoryCommit:
		return dim
	}
	return plain
}

// say puts an event into words.
func (v *View) say(line []byte, rec log.Record) []phrase {
	switch e := rec.Event.(type) {
	case log.SessionStart:
		return words("profile " + e.Profile + from(e.Model+" "+e.Version, ", ") + from(e.Remote, ", from ") + ", " + plural(e.Tools, "tool"))
	case log.SessionEnd:
		return words(fmt.Sprintf("%s after %s: %s, %d interrupted", e.Reason, ms(e.DurationMS), plural(e.Turns, "turn"), e.Interrupted))
	case log.SessionDetach:
		return words("the connection is gone: " + e.Reason)
	case log.SessionAttach:
		return words("the device is back after " + ms(e.AwayMS))
	case log.Wake:
		return words(quote(e.Phrase))
	case log.SpeechStart:
		return words("at " + ms(e.AtMS))
	case log.SpeechEnd:
		return words("at " + ms(e.AtMS) + ", decided after " + ms(e.MS))
	case log.ASRPartial:
		return []phrase{{dim, spoken(rec, "text", e.Text)}}
	case log.ASRFinal:
		return []phrase{{bold, spoken(rec, "text", e.Text)}, {plain, "  " + ms(e.MS)}}
	case log.GenFirstToken:
		return words(ms(e.MS))
	case log.GenDone:
		return words(ms(e.MS) + "  " + spoken(rec, "text", e.Text))
	case log.TTSFirstAudio:
		return words(ms(e.MS))
	case log.ReplyFirstPacket:
		return words(ms(e.MS))
	case log.ReplyDone:
		return []phrase{{plain, ms(e.AudioMS) + estimate(e.Acknowledged) + "  "}, {green, spoken(rec, "text", e.Text)}}
	case log.Usage:
		return words(fmt.Sprintf("%d + %d tokens, %d cached, %s of audio", e.PromptTokens, e.GeneratedTokens, e.CachedTokens, ms(e.AudioMS)))
	case log.Drop:
		return words(fmt.Sprintf("%s: %s, %s, %s", e.What, e.Reason, ms(e.MS), plural(e.Packets, "packet")))
	case log.Error:
		text := fmt.Sprintf("%s: %s: %s", e.Stage, e.Code, e.Message)
		if e.MS != 0 {
			text += " (after " + ms(e.MS) + ")"
		}
		return []phrase{{red, clean(text)}}
	case nil:
		return []phrase{{dim, clean(string(line))}}
	}
	return sayMore(rec)
}

// sayMore puts interruptions, tools and history into words.
func sayMore(rec log.Record) []phrase {
	switch e := rec.Event.(type) {
	case log.BargeInSuspect:
		text := "speech at " + ms(e.AtMS)
		if e.Held {
			text += ", the reply is held"
		}
		return words(text)
	case log.BargeInConfirm:
		return words(fmt.Sprintf("by %s, %s after the onset", e.Reason, ms(e.MS)))
	case log.BargeInReject:
		return words(fmt.Sprintf("by %s: %s", e.Reason, spoken(rec, "text", e.Text)))
	case log.Hold:
		return words("at " + ms(e.AtMS) + " of the reply")
	case log.Resume:
		return words("from " + ms(e.FromMS) + " of the reply")
	case log.Interrupt:
		return interruption(rec, e)
	case log.HistoryCommit:
		text := plural(e.Messages, "message")
		if e.Cut {
			text += ", the last one cut where it was interrupted"
		}
		return words(text)
	case log.ToolCall:
		return words(e.Tool + " " + spoken(rec, "arguments", e.Arguments))
	case log.ToolResult:
		if e.Error != "" {
			return []phrase{{plain, clean(e.Tool) + " " + ms(e.MS) + "  "}, {red, clean(e.Error)}}
		}
		return words(e.Tool + " " + ms(e.MS) + "  " + spoken(rec, "content", e.Content))
	}
	return nil
}

// interruption tells what caused it, how quickly the reply stopped, and what was
// heard and what was not.
func interruption(rec log.Record, e log.Interrupt) []phrase {
	text := "by " + string(e.Cause)
	if e.ReactionMS != 0 {
		text += ", reaction " + ms(e.ReactionMS)
	}
	text += fmt.Sprintf(", %s of %s played%s", ms(e.PlayedMS), ms(e.SentMS), estimate(e.Acknowledged))
	if e.SentMS == 0 {
		text = "by " + string(e.Cause) + ", before there was a reply"
	}
	heard, rest := bare(rec, "heard", e.Heard), bare(rec, "unheard", e.Unheard)
	if heard == "" && rest == "" {
		return words(text)
	}
	return []phrase{{yellow, clean(text)}, {plain, "  "}, {green, heard}, {plain, between(heard, rest)}, {unheard, strings.TrimSpace(rest)}}
}

// between is the space between what was heard and what was not.
func between(heard, rest string) string {
	if heard == "" || rest == "" || strings.HasSuffix(heard, " ") {
		return ""
	}
	if strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "(") {
		return " "
	}
	return ""
}

func words(s string) []phrase { return []phrase{{plain, clean(s)}} }

// from puts a word before a value that may be missing.
func from(value, before string) string {
	if value = strings.TrimSpace(value); value == "" {
		return ""
	}
	return before + value
}

// ms writes a duration of the log.
func ms(d log.MS) string { return span(time.Duration(d)) }

// estimate marks a position that the device has not counted itself.
func estimate(acknowledged bool) string {
	if acknowledged {
		return ""
	}
	return " (estimated)"
}

// spoken writes what was said in quotes, or its length where the log has no
// transcripts.
func spoken(rec log.Record, field string, text log.Text) string {
	if n, ok := rec.Chars[field]; ok {
		return "(" + plural(n, "character") + ")"
	}
	return quote(string(text))
}

// bare is spoken without quotes.
func bare(rec log.Record, field string, text log.Text) string {
	if n, ok := rec.Chars[field]; ok && n == 0 {
		return ""
	} else if ok {
		return "(" + plural(n, "character") + ")"
	}
	return clean(string(text))
}

func quote(s string) string { return "“" + clean(strings.TrimSpace(s)) + "”" }
