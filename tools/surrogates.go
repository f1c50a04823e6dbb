package tools

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// RepairSurrogates makes U+FFFD of each half of a surrogate pair that stands alone in a
// JSON text. JavaScript can cut a character in half, and writes the half as an escape, for
// which strict readers refuse the whole message.
func RepairSurrogates(text string) string { return ReplaceHalfSurrogates(text, `\ufffd`) }

// ReplaceHalfSurrogates is a JSON text with another escape for each half of a surrogate pair
// that stands alone in it.
func ReplaceHalfSurrogates(text, with string) string {
	var repaired strings.Builder
	done := 0 // up to here text is in repaired
	for at := nextEscape(text, 0); at < len(text); {
		unit := surrogate(text, at)
		switch {
		case unit == 0:
			at = nextEscape(text, at+len(`\\`))
			continue
		case unit < lowSurrogates && surrogate(text, at+len(`\ud800`)) >= lowSurrogates:
			at = nextEscape(text, at+2*len(`\ud800`))
			continue
		}
		repaired.WriteString(text[done:at] + with)
		done = min(at+len(`\ud800`), len(text))
		at = nextEscape(text, done)
	}
	if done == 0 {
		return text
	}
	return repaired.String() + text[done:]
}

// repairJSON is RepairSurrogates of JSON that may hold what others wrote.
func repairJSON(text json.RawMessage) json.RawMessage {
	if bytes.Contains(text, []byte(`\ud`)) || bytes.Contains(text, []byte(`\uD`)) {
		return json.RawMessage(RepairSurrogates(string(text)))
	}
	return text
}

const (
	highSurrogates = 0xd800
	lowSurrogates  = 0xdc00
	afterThem      = 0xe000
)

// nextEscape is where the next escape begins; the length of the text if there is none.
func nextEscape(text string, from int) int {
	if from >= len(text) {
		return len(text)
	}
	if i := strings.IndexByte(text[from:], '\\'); i >= 0 {
		return from + i
	}
	return len(text)
}

// surrogate is the half of a pair that the escape at a place stands for; 0: none.
func surrogate(text string, at int) uint64 {
	const length = len(`\ud800`)
	if at+length > len(text) || text[at] != '\\' || text[at+1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(text[at+2:at+length], 16, 16)
	if err != nil || unit < highSurrogates || unit >= afterThem {
		return 0
	}
	return unit
}
