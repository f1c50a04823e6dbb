package notetext

import "strings"

// simpleFrontMatter reads a block that has only lines such as `class: Task`,
// `Date: 2025-11-29` and `tags: [a, b]`, as most have, and reports false for any other:
// YAML takes ten times as long, and reads these the same.
func simpleFrontMatter(block string) (fields map[string]any, ok bool) {
	const maxLines = 100 // far from maxNodes
	fields = map[string]any{}
	for n := 0; block != ""; n++ {
		line, rest, _ := strings.Cut(block, "\n")
		key, text, isField := strings.Cut(line, ": ")
		if !isField || n == maxLines || !isPlainWord(key) {
			return nil, false
		}
		value, ok := simpleValue(text)
		if !ok {
			return nil, false
		}
		if _, twice := fields[key]; twice {
			return nil, false
		}
		fields[key], block = value, rest
	}
	return fields, true
}

func simpleValue(text string) (value any, ok bool) {
	inner, isList := strings.CutPrefix(text, "[")
	if !isList {
		return text, isPlainText(text) || isPlainDate(text)
	}
	if inner, ok = strings.CutSuffix(inner, "]"); !ok {
		return nil, false
	}
	list := []any{}
	for one := range strings.SplitSeq(inner, ", ") {
		if !isPlainText(one) {
			return nil, false
		}
		list = append(list, one)
	}
	return list, len(list) < 100
}

// isPlainText reports whether text is words of letters and digits with a space or a
// hyphen between them, the first letter a letter, and nothing that YAML knows as a value
// of another type.
func isPlainText(text string) bool {
	if len(text) > 100 {
		return false
	}
	word := true // a word must follow
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
			word = false
		case c >= '0' && c <= '9' && i > 0:
			word = false
		case (c == ' ' || c == '-') && !word:
			word = true
		default:
			return false
		}
	}
	return !word && !isYAMLConstant(text)
}

func isPlainWord(text string) bool { return !strings.Contains(text, " ") && isPlainText(text) }

// isYAMLConstant reports whether some version of YAML reads a word as something else
// than text.
func isYAMLConstant(word string) bool {
	switch strings.ToLower(word) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf":
		return true
	}
	return false
}

// isPlainDate reports whether text is a date such as 2025-11-29, which stays text.
func isPlainDate(text string) bool {
	if len(text) != len("2006-01-02") {
		return false
	}
	for i := range len(text) {
		if c := text[i]; i == 4 || i == 7 {
			if c != '-' {
				return false
			}
		} else if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
