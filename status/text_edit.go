package status

import (
	"fmt"
	"unicode/utf8"
)

// A TextEdit is what a person makes of a call that changes the text of one page: some
// of its hunks, or a text of their own. It is written in place of what the call would
// write, and the agent is told so. One that comes to all that the call would write
// is no edit, and one that changes nothing is refused.
type TextEdit struct {
	Plan  string `json:"plan"`            // the [Approval].Plan that the person was shown
	Hunks []int  `json:"hunks,omitempty"` // the numbers of those to write, from 1; empty: Replace counts
	// Replace turns the text that the call would write, which [ProposedTextQuery]
	// answers, into the person's.
	Replace *TextReplacement `json:"replace,omitempty"`
}

// A TextReplacement puts Text in the place of the bytes From to To of another text.
type TextReplacement struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`
}

// A PersonEdit says that a call was allowed with a [TextEdit], and what of it was left out.
type PersonEdit struct {
	Edited bool `json:"edited,omitempty"` // a person wrote it in place of what the call would have written
	// Of an edit that chose hunks: how many there were, and how many were left out; 0: it
	// chose none.
	Hunks   int `json:"hunks,omitempty"`
	LeftOut int `json:"left_out,omitempty"`
}

// Note says it in a few words; empty: nobody edited the call.
func (e PersonEdit) Note() string {
	switch {
	case e.LeftOut > 0:
		return fmt.Sprintf("%d of %d hunks left out", e.LeftOut, e.Hunks)
	case e.Edited:
		return "edited by you"
	default:
		return ""
	}
}

// ReplaceText is the least replacement that makes the one text the other. It cuts
// between characters, so that it travels as JSON.
func ReplaceText(before, after string) TextReplacement {
	start, short := 0, min(len(before), len(after))
	for start < short && before[start] == after[start] {
		start++
	}
	for start > 0 && (splitsRune(before, start) || splitsRune(after, start)) {
		start--
	}
	end := 0
	for end < short-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	for end > 0 && (splitsRune(before, len(before)-end) || splitsRune(after, len(after)-end)) {
		end--
	}
	return TextReplacement{From: start, To: len(before) - end, Text: after[start : len(after)-end]}
}

// splitsRune reports whether byte i of s is within a character.
func splitsRune(s string, i int) bool { return i < len(s) && !utf8.RuneStart(s[i]) }
