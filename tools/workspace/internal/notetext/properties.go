package notetext

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A FieldProblem is what is wrong with a property of a note.
type FieldProblem struct {
	Field   string `json:"field,omitempty"` // empty: the front matter
	Message string `json:"message"`
}

// Properties are the properties of a note: the keys of its front matter but for
// class, title, tags, tag and id, and its sections that have text, which win. Those
// that are fields of class c have their type, and missing ones their default. c is
// nil for a note without a class; its properties are as they are written. Problems
// name each field that has no value of its type, and is then missing, or that is
// required and missing; in the order of their names.
func (t Text) Properties(c *Class) (properties map[string]any, problems []FieldProblem) {
	properties = map[string]any{}
	for _, p := range t.raw() {
		properties[p.name] = p.value
	}
	if c == nil {
		return properties, nil
	}
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		field := c.Fields[name]
		raw, has := properties[name]
		if has && field.Type == Markdown {
			if s := t.section(name); s != nil {
				raw = s.Whole
			}
		}
		delete(properties, name)
		value, err := field.Type.convert(raw)
		switch {
		case has && err == nil:
			properties[name] = value
		case has:
			problems = append(problems, FieldProblem{name, err.Error()})
		case c.Defaults[name] != nil:
			properties[name] = c.Defaults[name]
		case field.Required:
			problems = append(problems, FieldProblem{name, fmt.Sprintf("class %s requires it; write a section: ## %s", c.Name, name)})
		}
	}
	return properties, problems
}

type rawProperty struct {
	name  string
	value any
}

// raw are the properties as they are written, front matter by name, then sections.
func (t Text) raw() (all []rawProperty) {
	for _, key := range slices.Sorted(maps.Keys(t.FrontMatter)) {
		switch key {
		case "class", "title", "tags", "tag", "id":
			continue
		}
		if v := t.FrontMatter[key]; v != nil && v != "" && t.section(key) == nil {
			all = append(all, rawProperty{key, v})
		}
	}
	for i, s := range t.Sections {
		if s.Whole != "" && t.section(s.Name) == &t.Sections[i] {
			all = append(all, rawProperty{s.Name, s.text()})
		}
	}
	return all
}

// section returns the first section of a name that has text.
func (t Text) section(name string) *Section {
	for i, s := range t.Sections {
		if s.Name == name && s.Whole != "" {
			return &t.Sections[i]
		}
	}
	return nil
}

// text is Value, or, where a deeper heading follows at once, Whole.
func (s Section) text() string {
	if s.Value == "" {
		return s.Whole
	}
	return s.Value
}

// convert makes a value of text, or of a value of the front matter.
func (t FieldType) convert(raw any) (any, error) {
	text := scalarText(raw)
	switch t {
	case List:
		return toList(raw)
	case Number:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) || strings.ContainsAny(text, "xX_pP") {
			return nil, fmt.Errorf("%.60q is not a number", text)
		}
		return n, nil
	case Date:
		return toDate(text)
	default:
		switch raw.(type) {
		case []any, map[string]any, nil:
			return nil, errors.New("it must be text, not a list or a mapping")
		}
		return text, nil
	}
}

func toList(raw any) (any, error) {
	list := []any{}
	switch raw := raw.(type) {
	case []any:
		return raw, nil
	case map[string]any:
		return nil, errors.New("it must be a list, not a mapping")
	}
	for line := range strings.Lines(scalarText(raw)) {
		if item, _ := cutItem(line); item != "" {
			list = append(list, item)
		}
	}
	return list, nil
}

// cutItem returns a line without the mark of a list, and whether it had one.
func cutItem(line string) (item string, marked bool) {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"-", "*"} {
		if rest, is := strings.CutPrefix(line, mark); is && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return strings.TrimSpace(rest), true
		}
	}
	return line, false
}

// toDate reads a day or a moment in the usual ways to write them.
func toDate(text string) (any, error) {
	for _, layout := range []string{
		"2006-01-02", "2006-1-2", "2006/1/2", "20060102", "2.1.2006", "January 2, 2006", "Jan 2, 2006",
		"2 January 2006", "2 Jan 2006",
	} {
		if day, err := time.Parse(layout, text); err == nil {
			return day.Format(time.DateOnly), nil
		}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC().Format(time.RFC3339Nano), nil
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Format("2006-01-02T15:04:05"), nil
		}
	}
	return nil, fmt.Errorf("%.60q is not a date (want 2025-11-29, or 2025-11-29T10:00:00Z)", text)
}

// SetSection returns markdown in which the section of a name has a value, and no other
// byte is different: the first one of that name is filled, or one is added at the end.
// An error says that the value would not stay one section.
func SetSection(markdown, name string, value any) (string, error) {
	body := formatValue(value)
	t := Parse(markdown)
	var out string
	if i := slices.IndexFunc(t.Sections, func(s Section) bool { return s.Name == name }); i >= 0 {
		s := t.Sections[i]
		before, after := markdown[:s.start], markdown[s.end:]
		if !strings.HasSuffix(before, "\n") {
			before += "\n"
		}
		out = before + body + "\n"
		if after != "" {
			out += "\n" + after
		}
	} else {
		gap := ""
		switch {
		case markdown == "" || strings.HasSuffix(markdown, "\n\n"):
		case strings.HasSuffix(markdown, "\n"):
			gap = "\n"
		default:
			gap = "\n\n"
		}
		out = markdown + gap + "## " + name + "\n" + body + "\n"
	}
	if s := Parse(out).section(name); s == nil || s.Whole != strings.TrimSpace(body) ||
		len(Parse(out).Sections) != max(len(t.Sections), countWith(t, name)) {
		return "", fmt.Errorf("%s: its value cannot be written as a section (it is empty, or has headings of level 1 or 2, or an open code "+
			"block)", name)
	}
	return out, nil
}

// countWith is how many sections there are when there is one of a name.
func countWith(t Text, name string) int {
	if slices.ContainsFunc(t.Sections, func(s Section) bool { return s.Name == name }) {
		return len(t.Sections)
	}
	return len(t.Sections) + 1
}

// formatValue is a value as people write it in a section.
func formatValue(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var lines []string
		for _, one := range v {
			lines = append(lines, "- "+formatValue(one))
		}
		return strings.Join(lines, "\n")
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
