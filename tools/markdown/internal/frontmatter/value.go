package frontmatter

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// A Value is a value as it is written into a block.
type Value struct {
	inline  string // on the line of its key; empty if it is empty, or lines of its own
	lines   string // the lines below the key
	meaning any    // what reading it gives
}

// TextValue is a text, whatever it looks like.
func TextValue(text string) Value {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return Value{inline: Scalar(text), meaning: text}
}

// ReadValue is what content means: a number, true, false, null or a date; a text in quotes;
// a list or keys in brackets; lines of "- element"; or else a text as it is.
func ReadValue(content string) Value {
	text := strings.TrimSpace(content)
	if text == "" {
		return Value{}
	}
	if strings.HasPrefix(text, "- ") {
		return readLines(strings.Trim(content, "\n"))
	}
	return readInline(text)
}

func readInline(text string) Value {
	if strings.IndexByte(`[{"'`, text[0]) < 0 {
		return plainValue(text)
	}
	f := flowReader{text: text}
	if meaning, ok := f.value(0); ok && f.at == len(text) {
		return Value{inline: f.written.String(), meaning: meaning}
	}
	return TextValue(text)
}

// behindColon is the value with what comes before the break of its last line: comment stands
// on the line of the key.
func (v Value) behindColon(comment string) string {
	line := v.inline
	if comment != "" {
		line = strings.TrimLeft(line+" "+comment, " ")
	}
	if line != "" {
		line = " " + line
	}
	if v.lines != "" {
		line += "\n" + strings.TrimSuffix(v.lines, "\n")
	}
	return line
}

// readLines reads a list with one line for each element. Other lists of lines are taken as
// they are if every reader of YAML finds the same in them.
func readLines(content string) Value {
	indent := content[:strings.IndexByte(content, '-')]
	var elements []Value
	for line := range strings.SplitSeq(strings.TrimRight(content, " \t\n"), "\n") {
		element, ok := strings.CutPrefix(line, indent+"- ")
		if element = strings.TrimSpace(element); ok && element != "" {
			elements = append(elements, readInline(element))
		} else if strings.TrimSpace(line) != "" {
			return readNested(strings.TrimSpace(content))
		}
	}
	return listValue(elements)
}

// ListValue is a list of texts.
func ListValue(texts ...string) Value {
	var elements []Value
	for _, t := range texts {
		elements = append(elements, TextValue(t))
	}
	return listValue(elements)
}

func listValue(elements []Value) Value {
	meaning, written := []any{}, ""
	for _, v := range elements {
		meaning, written = append(meaning, v.meaning), written+"  - "+v.inline+"\n"
	}
	return Value{lines: written, meaning: meaning}
}

func readNested(text string) Value {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.SequenceNode ||
		!isUnambiguous(doc.Content[0], text) {
		return TextValue(text)
	}
	r := reader{left: maxNodes}
	meaning, err := r.value(doc.Content[0], 0)
	if err != nil {
		return TextValue(text)
	}
	return Value{lines: "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n", meaning: meaning}
}

// isUnambiguous reports whether a node of text has no comments, and only such scalars as
// would be written so.
func isUnambiguous(n *yaml.Node, text string) bool {
	if n.HeadComment+n.LineComment+n.FootComment+n.Anchor != "" {
		return false
	}
	for _, c := range n.Content {
		if !isUnambiguous(c, text) {
			return false
		}
	}
	if n.Kind == yaml.ScalarNode {
		return strings.Contains(text, n.Value) && n.Value != "" && (n.Style != 0 || plainValue(n.Value).inline == n.Value)
	}
	return n.Kind != yaml.AliasNode && n.Style&yaml.TaggedStyle == 0
}

var decimal = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

// plainValue is a number, a word of YAML or a date if every reader of YAML takes text for the
// same one, and it is written as programs write it. Else it is a text.
func plainValue(text string) Value {
	switch text {
	case "null":
		return Value{inline: text}
	case "true", "false":
		return Value{inline: text, meaning: text == "true"}
	}
	number, err := strconv.ParseFloat(text, 64)
	isNumber := err == nil && decimal.MatchString(text) && strconv.FormatFloat(number, 'f', -1, 64) == text
	switch {
	case isNumber && number == float64(int64(number)) && max(number, -number) <= 1<<53 && text != "-0":
		return Value{inline: text, meaning: int64(number)}
	case isNumber && strings.Contains(text, "."), isDate(text):
		return Value{inline: text, meaning: text}
	}
	return TextValue(text)
}

// isDate reports whether text is a day that there is, maybe with a time.
func isDate(text string) bool {
	for _, layout := range []string{
		time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", time.DateTime, "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05Z07:00",
	} {
		t, err := time.Parse(layout, text)
		if _, offset := t.Zone(); err == nil && len(text) <= len(time.RFC3339) && t.Year() >= 1000 && max(offset, -offset) < 24*60*60 {
			return true
		}
	}
	return false
}
