package toolstest

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lectern-mcp/lectern/tools"
)

// checkAdditive checks that a call of an additive tool lost no text: the words that a target
// held are there in their order, in the target or where it moved, with links that follow.
func (s *suite) checkAdditive(t tools.ToolInfo, what string, changes []tools.Change) {
	s.Helper()
	if !t.Additive {
		return
	}
	for _, c := range changes {
		after := c.After
		if made := slices.IndexFunc(changes, func(to tools.Change) bool {
			return !to.Before.Exists && findLostWord(string(c.Before.Data), string(to.After.Data)) == ""
		}); !after.Exists && made >= 0 {
			after = changes[made].After
		}
		if lost := findLostWord(string(c.Before.Data), string(after.Data)); lost != "" {
			s.Errorf("%s: the tool is additive, but %q loses %q: it held %s, and holds %s", what, c.Target, lost, describeState(c.Before),
				describeState(after))
		}
	}
}

// findLostWord is the first word of before that is not, in order, among those of after;
// empty: there is none. What is between words may differ, as in the JSON of a longer list.
func findLostWord(before, after string) string {
	isBetween := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	rest := strings.FieldsFunc(after, isBetween)
	for word := range strings.FieldsFuncSeq(before, isBetween) {
		for len(rest) > 0 && rest[0] != word {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return word
		}
		rest = rest[1:]
	}
	return ""
}
