package frontmatter

import (
	"strconv"
	"strings"
)

// Limits of what parsePlain reads; maxPlainLines bounds the items of a list too.
const (
	maxPlainLines = 200
	maxPlainKey   = 100
)

// parsePlain parses a block in which every line is a key with plain words, or with a list
// of them: [a, b], or a line "- a" for each. It returns false for any other block. Such
// lines mean the same in YAML, but the YAML parser takes longer than reading the file.
func parsePlain(block string) (Fields, bool) { return parseLines(block, true) }

func parseLines(block string, lists bool) (Fields, bool) {
	lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
	if len(lines) > maxPlainLines {
		return Fields{}, false
	}
	f := Fields{Values: make(map[string]any, len(lines)), lines: make(map[string][2]int, len(lines))}
	for i := 0; i < len(lines); {
		key, text, found := strings.Cut(lines[i], ":")
		value, spaced := strings.CutPrefix(text, " ")
		if !found || !isPlainKey(key) || spaced == (value == "") {
			return Fields{}, false
		}
		read, more, ok := any(nil), 0, false
		if lists {
			read, more, ok = plainList(value, lines[i+1:])
		}
		if !ok {
			if !isPlainText(value) {
				return Fields{}, false
			}
			read = plainScalar(value)
		}
		next := i + 1 + more
		if !f.repeats(key, i+2) {
			f.Values[key], f.lines[key] = read, [2]int{i + 2, next + 1}
		}
		i = next
	}
	return f, true
}

// plainList reads a list of plain words, and says how many of the lines below belong to
// it.
func plainList(value string, below []string) (list any, lines int, ok bool) {
	if value == "" {
		items := plainItems(below)
		return items, len(items), len(items) > 0
	}
	inner, ok := strings.CutPrefix(value, "[")
	if !ok {
		return nil, 0, false
	}
	if inner, ok = strings.CutSuffix(inner, "]"); !ok {
		return nil, 0, false
	}
	items := []any{}
	for item := range strings.SplitSeq(inner, ",") {
		item = strings.Trim(item, " ")
		if item == "" && strings.Trim(inner, " ") == "" {
			break
		}
		if item == "" || !isPlainText(item) || len(items) == maxPlainLines {
			return nil, 0, false
		}
		items = append(items, plainScalar(item))
	}
	return items, 0, true
}

// plainItems reads the lines "- a" that lines begin with. All of a list begin with as many
// blanks.
func plainItems(lines []string) (items []any) {
	indent := -1
	for _, line := range lines {
		item := strings.TrimLeft(line, " ")
		if indent < 0 {
			indent = len(line) - len(item)
		}
		text, ok := strings.CutPrefix(item, "- ")
		if !ok || text == "" || !isPlainText(text) || len(line)-len(item) != indent {
			break
		}
		items = append(items, plainScalar(text))
	}
	return items
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isPlainKey(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (i == 0 || !isDigit(c) && c != '_' && c != '-') {
			return false
		}
	}
	return s != "" && len(s) <= maxPlainKey
}

// isPlainText reports whether s is empty or begins and ends with a letter or
// digit and contains nothing special to YAML.
func isPlainText(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case isLetter(c), isDigit(c):
		case i == 0 || i == len(s)-1 || strings.IndexByte(" _-./(),'+", c) < 0:
			return false
		}
	}
	return true
}

// plainScalar is [scalar] for plain text.
func plainScalar(s string) any {
	switch s {
	case "", "null", "Null", "NULL":
		return nil
	case "true", "false":
		return s == "true"
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(i, 10) == s {
		return i
	}
	return s
}

// IsPlain reports whether every line of a block is a key with plain words, which
// mean what they say.
func IsPlain(block string) bool {
	_, ok := parseLines(block, false)
	return ok
}
