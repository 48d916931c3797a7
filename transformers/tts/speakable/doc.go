// Package speakable turns written text into the words that a person would say
// when reading it aloud: numbers, dates, clock times, money, units, addresses of
// the web, telephone numbers and signs become words, Markdown, HTML tags, emoji
// and emoticons make no sound. It is pure: no state, no goroutines, no errors.
//
// # Place in the flow
//
// tts.Transformer cuts the text of a reply into segments, has each made speakable
// and gives the result to the speech engine. What the user reads stays the exact
// text; Text.Pieces tell which bytes of it each part of the spoken text stands
// for, so that the engine's times of spoken words lead back to written ones.
//
// # What is changed
//
// Only what a voice would read wrongly: text of plain words comes back as it is,
// to the byte. English, German, Spanish, French, Chinese and Japanese have their
// own words and their own way to write numbers and dates; how a date such as
// 5/3/2026 is meant follows the language (English: month first). Chinese and
// Japanese numbers become Chinese characters. What is doubtful stays as it is
// or is read the simplest way: figures one by one where a number has leading
// zeros or more than fifteen figures, Roman numerals as letters unless the word
// before them shows what they are.
package speakable
