// Package frontmatter finds and parses the YAML block at the top of a page,
// and writes single values of it. It never rewrites a block: order, comments
// and spelling stay as a person wrote them.
//
// Only tools/markdown imports it. Start reading at [Split].
package frontmatter

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// Limits of a block: what is beyond them is not read as front matter.
const (
	MaxBytes = 64 << 10
	maxDepth = 100
	maxNodes = 10_000
)

// Split returns the YAML between the fences at the top of text, the offset of
// the first byte after the block, and whether there is a block. A block ends
// with a line of "---" or "..."; without such a line there is no block. Line 1
// of the block is line 2 of the text. TOML between lines of "+++" is no block, but the text
// after it begins there too.
func Split(text string) (block string, body int, ok bool) {
	first, rest, found := strings.Cut(text, "\n")
	open := strings.TrimRight(first, " \t\r")
	if !found || open != "---" && open != "+++" {
		return "", 0, false
	}
	start := len(first) + 1
	for at := 0; at < len(rest) && at < MaxBytes; {
		line, _, more := strings.Cut(rest[at:], "\n")
		next := at + len(line)
		if more {
			next++
		}
		switch fence := strings.TrimRight(line, " \t\r"); {
		case open == "+++" && fence == open:
			return "", start + next, false
		case open == "---" && (fence == open || fence == "..."):
			return rest[:at], start + next, true
		}
		at = next
	}
	return "", 0, false
}

// Fields are the keys of a block.
type Fields struct {
	// Values are ready for JSON. Only plain booleans and whole numbers are
	// converted; a date or 1.10 stays text. If a key occurs twice, the first
	// counts.
	Values map[string]any
	// Repeated are the lines of the page on which keys stand that occur more than once.
	Repeated map[string][]int
	lines    map[string][2]int
}

// Parse parses a block. An error has the line of the page; the fields are then
// empty.
func Parse(block string) (Fields, error) {
	f := Fields{Values: map[string]any{}, lines: map[string][2]int{}}
	if strings.TrimSpace(block) == "" {
		return f, nil
	}
	if f, ok := parsePlain(block); ok {
		return f, nil
	}
	return parseYAML(block)
}

func parseYAML(block string) (Fields, error) {
	f := Fields{Values: map[string]any{}, lines: map[string][2]int{}}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(block), &doc); err != nil {
		return f, pageError(err)
	}
	if len(doc.Content) != 1 {
		return f, nil
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return f, errors.New("front matter is not a list of keys and values")
	}
	r := reader{left: maxNodes}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if f.repeats(key.Value, key.Line+1) {
			continue
		}
		v, err := r.value(value, 0)
		if err != nil {
			return Fields{Values: map[string]any{}}, err
		}
		end := strings.Count(strings.TrimSuffix(block, "\n"), "\n") + 1
		if i+2 < len(top.Content) {
			end = top.Content[i+2].Line - 1
		}
		f.Values[key.Value], f.lines[key.Value] = v, [2]int{key.Line + 1, end + 1}
	}
	return f, nil
}

// repeats notes a key that was read before.
func (f *Fields) repeats(key string, line int) bool {
	if _, twice := f.Values[key]; !twice {
		return false
	}
	if f.Repeated == nil {
		f.Repeated = map[string][]int{}
	}
	if f.Repeated[key] == nil {
		f.Repeated[key] = []int{f.lines[key][0]}
	}
	f.Repeated[key] = append(f.Repeated[key], line)
	return true
}

var lineNumber = regexp.MustCompile(`line (\d+)`)

// pageError converts the parser's line number to that of the page and drops
// the rest of the message, which may quote the page.
func pageError(err error) error {
	if m := lineNumber.FindStringSubmatch(err.Error()); m != nil {
		if n, convErr := strconv.Atoi(m[1]); convErr == nil {
			return fmt.Errorf("front matter is not valid YAML near line %d", n+1)
		}
	}
	return errors.New("front matter is not valid YAML")
}

// Lines returns the first and last line of the page with key and its value;
// zeros if there is none.
func (f Fields) Lines(key string) (first, last int) {
	return f.lines[key][0], f.lines[key][1]
}

// Text returns the value of key as text if it is a scalar; otherwise "".
func (f Fields) Text(key string) string {
	switch v := f.Values[key].(type) {
	case string:
		return v
	case bool, int64:
		return fmt.Sprint(v)
	}
	return ""
}

// Texts returns the values of key, which may be a list or text with commas.
func (f Fields) Texts(key string) []string {
	list, ok := f.Values[key].([]any)
	if !ok {
		for s := range strings.SplitSeq(f.Text(key), ",") {
			list = append(list, strings.TrimSpace(s))
		}
	}
	var out []string
	for _, v := range list {
		if s := fmt.Sprint(v); v != nil && s != "" {
			out = append(out, s)
		}
	}
	return out
}

// reader converts nodes within a budget, because an alias may expand to much.
type reader struct{ left int }

var errTooMuch = errors.New("front matter is nested too deeply or has too many values")

func (r *reader) value(n *yaml.Node, depth int) (any, error) {
	r.left--
	if r.left < 0 || depth > maxDepth {
		return nil, errTooMuch
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, c := range n.Content {
			v, err := r.value(c, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := r.value(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			m[n.Content[i].Value] = v
		}
		return m, nil
	default:
		return scalar(n), nil
	}
}

func scalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		if n.Value == "true" || n.Value == "false" {
			return n.Value == "true"
		}
	case "!!int":
		if i, err := strconv.ParseInt(n.Value, 10, 64); err == nil && strconv.FormatInt(i, 10) == n.Value {
			return i
		}
	}
	return n.Value
}

// plain matches text that needs no quotes in YAML.
var plain = regexp.MustCompile(`^[\pL](?:[\pL\pN _.()-]*[\pL\pN)])?$`)

// Scalar returns text as the value of a key on one line, with quotes where
// YAML needs them. It cannot end the line or begin a key.
func Scalar(text string) string {
	switch strings.ToLower(text) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf":
	default:
		if plain.MatchString(text) {
			return text
		}
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strings.ContainsRune("\n\r\t", r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		case needsEscape(r):
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// needsEscape reports whether a reader of YAML may refuse or change a character in quotes.
func needsEscape(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r == 0xfffe || r == 0xffff
}
