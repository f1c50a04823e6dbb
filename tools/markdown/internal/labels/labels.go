// Package labels reads the tags and properties of a page for privacy rules. It
// takes everything for a tag or a property that Obsidian, Logseq or Dataview would,
// and more: in code and comments, in any letter case, at any depth. What it cannot
// read it reports, so that the page can be hidden.
//
// It is not the parser of what tools show: see packages frontmatter and links. Only
// tools/markdown imports it. Start reading at [Read].
package labels

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
)

// Labels are what privacy rules may match, in every form in which somebody may
// write them.
type Labels struct {
	Tags       []string // without #
	Properties map[string][]string
}

// Read reads a whole page. It is not ok if the page has another encoding than
// UTF-8, front matter that is not closed or no keys in YAML or TOML, or more of all this
// than a person writes.
func Read(data []byte) (l Labels, ok bool) {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 { // ASCII in UTF-16 is valid UTF-8
		return Labels{}, false
	}
	lines := strings.TrimLeft(unifyLines(string(data)), "\uFEFF \t\n")
	text := lines
	if !norm.NFC.IsNormalString(lines) {
		text = norm.NFC.String(lines)
	}
	r := reader{labels: Labels{Properties: map[string][]string{}}, left: maxNodes}
	if opensBlock(text) {
		block, _, closed := frontmatter.Split(text)
		if !closed || !r.readBlock(block) {
			return Labels{}, false
		}
	}
	r.readDrawers(text)
	if !r.readTOML(text) || !r.readFields(text) {
		return Labels{}, false
	}
	r.labels.Tags = append(r.labels.Tags, findTags(text)...)
	if text != lines { // a program that does not compose accents ends a tag at one
		r.labels.Tags = append(r.labels.Tags, findTags(lines)...)
	}
	return r.labels, true
}

// unifyLines ends every line with LF.
func unifyLines(text string) string {
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	for _, end := range []string{"\u0085", "\u2028", "\u2029"} {
		text = strings.ReplaceAll(text, end, "\n")
	}
	return text
}

// opensBlock reports whether a page may begin with front matter.
func opensBlock(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(first) == "---"
}

// readBlock reads the keys of front matter.
func (r *reader) readBlock(block string) bool {
	if !frontmatter.IsPlain(block) {
		return r.readYAML(block)
	}
	for line := range strings.SplitSeq(block, "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			r.add(name, value)
		}
	}
	return true
}

// readDrawers reads Logseq's older properties, lines of :key: value before :END:.
func (r *reader) readDrawers(text string) {
	if !strings.Contains(text, ":END:") && !strings.Contains(text, ":end:") {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		if name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimLeft(line, " \t-*+>"), ":"), ":"); ok {
			r.add(name, value)
		}
	}
}

// maxName is the longest name of a property in the text, in bytes.
const maxName = 300

// readFields reads the properties that Logseq and Dataview have in the text: key::
// value at the beginning of a line or block, and [key:: value] and (key:: value)
// anywhere. It returns false for lines that are too long to look at each of theirs.
func (r *reader) readFields(text string) bool {
	left := 1<<18 + 16*len(text)
	for at := strings.Index(text, "::"); at >= 0; {
		name := text[max(0, at-maxName):at]
		name = name[strings.LastIndexByte(name, '\n')+1:]
		value, _, _ := strings.Cut(text[at:], "\n")
		value = strings.TrimLeft(value, ":")
		if left -= len(name) + len(value); left < 0 {
			return false
		}
		inner := name[strings.LastIndexAny(name, "[({")+1:]
		r.add(strings.TrimLeft(name, " \t-*+>#"), value)
		r.add(inner, value)
		if end := strings.IndexAny(value, "])}"); end >= 0 {
			r.add(inner, value[:end])
		}
		if words := strings.Fields(inner); len(words) > 1 {
			r.add(words[len(words)-1], value)
		}
		next := strings.Index(text[at+2:], "::")
		if next < 0 {
			break
		}
		at += 2 + next
	}
	return true
}

// add adds a value of a property, and the tags in it if that is its meaning.
func (r *reader) add(name, value string) {
	for _, name := range nameForms(name) {
		r.labels.Properties[name] = append(r.labels.Properties[name], valueForms(value)...)
		if name == "tag" || name == "tags" { // in lower case, as one of the forms is
			r.labels.Tags = append(r.labels.Tags, tagForms(value)...)
		}
	}
}

// nameForms are the names that a key may have: as it is written, and as Dataview has
// it, in lower case and with hyphens.
func nameForms(name string) []string {
	written := strings.TrimSpace(name)
	forms := []string{written}
	plain := strings.ToLower(strings.Trim(dropInvisible(name), " \t\"'`*_~=:[](){}"))
	joined := strings.Join(strings.FieldsFunc(plain, func(r rune) bool { return unicode.IsSpace(r) || r == '-' || r == '_' }), "-")
	for _, form := range []string{plain, joined} {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

// valueForms are the values that a text may stand for.
func valueForms(text string) []string {
	text = strings.TrimSpace(text)
	forms := []string{text}
	for part := range strings.SplitSeq(text, ",") {
		forms = append(forms, strings.TrimSpace(part))
	}
	for _, part := range append(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;]})", r) }), text) {
		part = strings.Trim(dropInvisible(part), " \t\"'`*_~=#[](){}")
		forms = append(forms, part)
		for _, same := range [][]string{{"true", "yes", "on", "y", "1", "x"}, {"false", "no", "off", "n", "0"}} {
			for _, word := range same {
				if strings.EqualFold(part, word) {
					forms = append(forms, same...)
				}
			}
		}
	}
	return forms
}

// tagForms are the tags that the value of a property named tags may stand for.
func tagForms(text string) (tags []string) {
	parts := append(strings.Split(text, ","), text)
	parts = append(parts, strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;[]{}", r) })...)
	for _, part := range parts {
		for _, word := range append(strings.Fields(part), part) {
			tags = appendForms(tags, word)
		}
	}
	return tags
}

// appendForms adds a tag with and without what may stand around it.
func appendForms(tags []string, tag string) []string {
	tag = strings.TrimSpace(tag)
	for _, form := range []string{tag, strings.Trim(tag, " /#"), strings.Trim(tag, " /#[]"), trimTag(tag)} {
		if form != "" {
			tags = append(tags, form)
		}
	}
	return tags
}

func trimTag(tag string) string {
	return strings.TrimSpace(strings.Trim(dropInvisible(tag), " \t#\"'`*_~=,;.:!?[](){}<>/-|\\"))
}

func dropInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}
