package logview

import (
	"strconv"
	"strings"
)

// shownText is the text of a line as it is drawn. A call of an agent stands in it without
// the names of what comes first, so that a narrow screen shows how it ended, the tool, the
// client and the source; filters and copies have the line as it is.
func (l *ringLine) shownText() string {
	rest, isCall := strings.CutPrefix(l.text, "call code=")
	if !isCall || l.component != "audit" {
		return l.text
	}
	rest = "code=" + rest
	var shown strings.Builder
	for _, name := range []string{"code=", "tool=", "client=", "source="} {
		value, found := strings.CutPrefix(rest, name)
		if !found {
			return l.text
		}
		end := strings.IndexByte(value, ' ')
		if quoted, err := strconv.QuotedPrefix(value); err == nil {
			end = len(quoted)
		}
		if end < 0 || end >= len(value) || value[end] != ' ' {
			return l.text
		}
		shown.WriteString(value[:end+1])
		rest = value[end+1:]
	}
	return shown.String() + rest
}
