package markdown

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
)

// propertySplices changes one key of the front matter. What it leaves must still be
// YAML that says the same of every other key; else nothing is changed.
func (in EditPageIn) propertySplices(p *page) ([]folder.Splice, error) {
	if err := checkPropertyName(in.Property); err != nil {
		return nil, err
	}
	block, _, has := frontmatter.Split(p.text)
	if _, inFront := p.front.Values[in.Property]; p.graph != nil && !inFront {
		return in.graphPropertySplices(p)
	}
	if !has {
		return in.newFrontMatter(p.text)
	}
	if p.yamlError != nil {
		return nil, tools.Errorf(tools.Invalid, "property: %v", p.yamlError).WithHint("Correct it with lines or text as the target.")
	}
	start := strings.Index(p.text, "\n") + 1
	now, err := in.editBlock(block, p.front)
	if err != nil {
		return nil, err
	}
	fields, err := frontmatter.Parse(now)
	if err != nil || !sameOthers(p.front.Values, fields.Values, in.Property) {
		return nil, tools.Errorf(tools.Invalid, "property: the front matter around %.80q is such that a change of it would change others",
			in.Property).
			WithHint("Edit it with lines or text as the target.")
	}
	return []folder.Splice{narrow(start, block, now)}, nil
}

// narrow is the smallest splice that makes now of old, which begins at an offset.
func narrow(start int, old, now string) folder.Splice {
	head := 0
	for head < min(len(old), len(now)) && old[head] == now[head] {
		head++
	}
	head = strings.LastIndexByte(old[:head], '\n') + 1
	tail := 0
	for tail < min(len(old), len(now))-head && old[len(old)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	for tail > 0 && old[len(old)-tail-1] != '\n' {
		tail--
	}
	return folder.Splice{Start: start + head, End: start + len(old) - tail, New: now[head : len(now)-tail]}
}

func checkPropertyName(name string) error {
	if !isName(name, " _./-") || len(name) > 100 {
		return tools.Errorf(tools.Invalid, "property: must be the name of a key, such as status, got %.80q", name)
	}
	return nil
}

func sameOthers(was, now map[string]any, key string) bool {
	was, now = maps.Clone(was), maps.Clone(now)
	delete(was, key)
	delete(now, key)
	return reflect.DeepEqual(was, now)
}

// newFrontMatter puts front matter at the top of a page without any.
func (in EditPageIn) newFrontMatter(text string) ([]folder.Splice, error) {
	if in.Action == Delete {
		return nil, missingPropertyError(in.Property)
	}
	if first, _, _ := strings.Cut(text, "\n"); strings.TrimRight(first, " \t\r") == "---" {
		return nil, tools.Errorf(tools.Invalid, "property: the front matter has no end").WithHint("Correct it with lines or text as the target.")
	}
	now, err := in.editBlock("", frontmatter.Fields{})
	return []folder.Splice{{New: "---\n" + now + "---\n"}}, err
}

func missingPropertyError(name string) error {
	return tools.Errorf(tools.NotFound, "property: the page has no %.80q", name)
}

// editBlock returns the block after the edit.
func (in EditPageIn) editBlock(block string, fields frontmatter.Fields) (string, error) {
	value, has := fields.Values[in.Property]
	lines := strings.SplitAfter(strings.TrimSuffix(block, "\n"), "\n")
	if block == "" {
		lines = nil
	} else {
		lines[len(lines)-1] += "\n"
	}
	list, isList := fields.Texts(in.Property), false
	if elements, ok := value.([]any); ok {
		if isList = true; !isPlainList(elements) && (in.Action == Append || in.Action == Delete && in.Content != "") {
			return "", tools.Errorf(tools.Invalid, "property: the list %.80q holds more than plain values", in.Property).
				WithHint("Edit it with lines or text as the target.")
		}
	}
	switch {
	case in.Action == Replace && !has:
		return strings.Join(lines, "") + propertyLines(in.Property, in.Content), nil
	case in.Action == Append && !has:
		return strings.Join(lines, "") + listLines(in.Property, []string{in.Content}), nil
	case !has:
		return "", missingPropertyError(in.Property)
	}
	first, last := fields.Lines(in.Property)
	from, to := first-2, min(last-1, len(lines)) // of the page, whose first line is the fence
	for to > from+1 && isCommentOrBlank(lines[to-1]) {
		to--
	}
	var now string
	switch element := in.Content; {
	case in.Action == Replace:
		now = replaceValue(strings.Join(lines[from:to], ""), in.Property, in.Content)
	case in.Action == Append && isList && slices.Contains(list, element):
		return block, nil
	case in.Action == Append && isList:
		now = appendElement(lines[from:to], in.Property, list, element)
	case in.Action == Append:
		now = listLines(in.Property, append(list, element))
	case element != "": // one element goes
		kept := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == element })
		if !isList || len(kept) == len(list) {
			return "", tools.Errorf(tools.NotFound, "property: %s has no element %.80q", in.Property, element)
		}
		now = removeElement(lines[from:to], in.Property, kept, element)
	}
	return strings.Join(lines[:from], "") + now + strings.Join(lines[to:], ""), nil
}

// isPlainList reports whether every element has a text of its own.
func isPlainList(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool {
		switch v := v.(type) {
		case string:
			return v == ""
		case bool, int64:
			return false
		}
		return true
	})
}

func isCommentOrBlank(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

// propertyLines is a key with a value as an agent gives it: a plain value, or YAML
// in brackets or quotes, or a list of several lines.
func propertyLines(key, content string) string { return yamlKey(key) + ":" + yamlValue(content) + "\n" }

func yamlKey(key string) string {
	if first, _ := utf8.DecodeRuneInString(key); isName(key, " _-") && !unicode.IsDigit(first) {
		return key
	}
	return frontmatter.Scalar(key)
}

// isName reports whether a text is made of letters, digits and some more characters,
// between the first and the last of which blanks may stand.
func isName(text, more string) bool {
	return text != "" && text == strings.Trim(text, " ./-") && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune(more, r)
	})
}

var plainValue = regexp.MustCompile(`^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false|null|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?)$`)

// yamlValue is content after the colon of its key.
func yamlValue(content string) string {
	trimmed := strings.TrimSpace(content)
	if marked.FindString(trimmed) == trimmed && trimmed != "" {
		return " " + frontmatter.Scalar(trimmed)
	}
	if strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "[") {
		trimmed = quoteMarked(trimmed)
	}
	switch {
	case trimmed == "":
		return ""
	case strings.HasPrefix(trimmed, "- ") && isYAML("\n"+indent(trimmed)):
		return "\n" + indent(trimmed)
	case strings.Contains(trimmed, "\n"):
		return " " + frontmatter.Scalar(trimmed)
	case plainValue.MatchString(trimmed), strings.ContainsAny(trimmed[:1], `[{"'`) && isYAML(" "+trimmed):
		return " " + trimmed
	}
	return " " + frontmatter.Scalar(trimmed)
}

// marked matches a link and a variable of a template, which YAML reads as lists and keys in
// each other.
var marked = regexp.MustCompile(`\[\[[^\[\]\n]+\]\]|\{\{[^{}\n]+\}\}`)

// quoteMarked quotes links and variables that are elements of a list.
func quoteMarked(list string) string {
	var b strings.Builder
	at := 0
	for _, m := range marked.FindAllStringIndex(list, -1) {
		before, after := strings.TrimRight(list[:m[0]], " \t"), strings.TrimLeft(list[m[1]:], " \t")
		if strings.HasSuffix(before, "[") || strings.HasSuffix(before, ",") || strings.HasSuffix("\n"+before, "\n-") {
			if after == "" || strings.IndexByte(",]\n", after[0]) >= 0 {
				b.WriteString(list[at:m[0]] + frontmatter.Scalar(list[m[0]:m[1]]))
				at = m[1]
			}
		}
	}
	return b.String() + list[at:]
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// isYAML reports whether a value can stand after a key without saying more.
func isYAML(value string) bool {
	f, err := frontmatter.Parse("a:" + value + "\nz: 1\n")
	return err == nil && len(f.Values) == 2 && f.Values["z"] == int64(1)
}

func listLines(key string, list []string) string {
	var b strings.Builder
	b.WriteString(yamlKey(key) + ":\n")
	for _, text := range list {
		b.WriteString("  -" + yamlValue(text) + "\n")
	}
	return b.String()
}

var keyOfLine = regexp.MustCompile(`^[ \t]*(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^:#]*?)[ \t]*:`)

// replaceValue replaces the value of a key and keeps the comment behind it.
func replaceValue(old, key, content string) string {
	line := strings.TrimSuffix(old, "\n")
	m := keyOfLine.FindString(line)
	value := strings.TrimLeft(line[len(m):], " \t")
	if m == "" || strings.Contains(line, "\n") || value == "" || strings.ContainsAny(value[:1], "|>&!*") {
		return propertyLines(key, content)
	}
	end := valueEnd(value)
	return m + yamlValue(content) + strings.TrimRight(value[end:], " \t") + "\n"
}

// valueEnd is where a value on one line ends.
func valueEnd(value string) int {
	depth, quote := 0, byte(0)
	for i := range len(value) {
		c := value[i]
		switch {
		case quote == '"' && c == '\\', quote == 0 && depth == 0 && c == '#' && i > 0 && (value[i-1] == ' ' || value[i-1] == '\t'):
			if quote == 0 {
				return len(strings.TrimRight(value[:i], " \t"))
			}
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (i == 0 || depth > 0):
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
	}
	return len(value)
}

// appendElement adds an element to a list the way the list is written.
func appendElement(lines []string, key string, list []string, element string) string {
	text := strings.Join(lines, "")
	if m := keyOfLine.FindString(text); len(lines) == 1 && strings.HasPrefix(strings.TrimLeft(text[len(m):], " \t"), "[") {
		end := strings.LastIndexByte(text, ']')
		inner := strings.TrimRight(text[:end], " \t")
		if len(list) > 0 {
			inner = strings.TrimSuffix(inner, ",") + ","
			return inner + yamlValue(element) + text[end:]
		}
		return inner + strings.TrimPrefix(yamlValue(element), " ") + text[end:]
	}
	if dash := listDash.FindString(lines[len(lines)-1]); len(lines) == len(list)+1 && dash != "" {
		return text + strings.TrimRight(dash, " \t") + yamlValue(element) + "\n"
	}
	return listLines(key, append(slices.Clone(list), element))
}

// removeElement takes an element out of a list the way the list is written; kept are
// the others.
func removeElement(lines []string, key string, kept []string, element string) string {
	if len(lines) == len(kept)+2 {
		for i, line := range lines[1:] {
			dash := listDash.FindString(line)
			f, err := frontmatter.Parse("a: " + line[len(dash):])
			if dash == "" || err != nil || f.Text("a") != element {
				continue
			}
			return strings.Join(slices.Delete(slices.Clone(lines), i+1, i+2), "")
		}
	}
	if len(lines) > 1 {
		return listLines(key, kept)
	}
	var written []string
	for _, text := range kept {
		written = append(written, strings.TrimSpace(yamlValue(text)))
	}
	return replaceValue(lines[0], key, "["+strings.Join(written, ", ")+"]")
}

var listDash = regexp.MustCompile(`^[ \t]*-[ \t]+`)
