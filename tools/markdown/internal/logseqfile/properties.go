package logseqfile

import (
	"regexp"
	"strings"
)

// A Property is a line of the properties of a page, key:: value.
type Property struct {
	Key   string // in lower case
	Value string
	// Start and End are the byte offsets of the value in the text.
	Start, End int
}

var propertyLine = regexp.MustCompile(`^([^\s:"|^(){}#\[\]]+)::(?:[ \t]+|$)`)

// Properties are the lines key:: value with which a page begins, from the byte offset
// body: those before the first block.
func Properties(text string, body int) (all []Property) {
	for at := body; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		p, ok := ReadProperty(line, at)
		if !ok && (len(all) > 0 || strings.TrimSpace(line) != "") {
			break
		}
		if ok {
			all = append(all, p)
		}
		at += len(line) + 1
	}
	return all
}

// ReadProperty reads a line that stands at a byte offset of its text. It may belong to
// a block.
func ReadProperty(line string, at int) (Property, bool) {
	blanks := len(line) - len(strings.TrimLeft(line, " \t"))
	m := propertyLine.FindStringSubmatchIndex(line[blanks:])
	if m == nil {
		return Property{}, false
	}
	value := line[blanks+m[1]:]
	start := at + blanks + m[1] + len(value) - len(strings.TrimLeft(value, " \t"))
	value = strings.TrimSpace(value)
	return Property{strings.ToLower(line[blanks : blanks+m[3]]), value, start, start + len(value)}, true
}

// Names are the names of pages in the value of a property that lists them, by commas,
// without brackets and number signs.
func Names(value string) (names []string) {
	for name := range strings.SplitSeq(value, ",") {
		name = strings.TrimPrefix(strings.TrimSpace(name), "#")
		name = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(name, "[["), "]]"))
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}
