package frontmatter

import (
	"strconv"
	"strings"
)

// Limits of what parsePlain reads.
const (
	maxPlainLines = 200
	maxPlainKey   = 100
)

// parsePlain parses a block in which every line is a key with plain words, and
// returns false for any other block. Such lines mean the same in YAML, but the
// YAML parser takes longer than reading the file.
func parsePlain(block string) (Fields, bool) {
	lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
	if len(lines) > maxPlainLines {
		return Fields{}, false
	}
	f := Fields{Values: make(map[string]any, len(lines)), lines: make(map[string][2]int, len(lines))}
	for i, line := range lines {
		key, text, found := strings.Cut(line, ":")
		value, spaced := strings.CutPrefix(text, " ")
		if !found || !isPlainKey(key) || !isPlainText(value) || spaced == (value == "") {
			return Fields{}, false
		}
		if _, twice := f.Values[key]; twice {
			continue
		}
		end := i + 1
		if end == len(lines) {
			end = strings.Count(strings.TrimSuffix(block, "\n"), "\n") + 1
		}
		f.Values[key], f.lines[key] = plainScalar(value), [2]int{i + 2, end + 1}
	}
	return f, true
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
	_, ok := parsePlain(block)
	return ok
}
