package markdown

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
)

// propertySplices changes one key of the front matter.
func (in EditPageIn) propertySplices(p *page) ([]folder.Splice, error) {
	if err := checkPropertyName(in.Property); err != nil {
		return nil, err
	}
	block, _, has := frontmatter.Split(p.text)
	if _, inFront := p.front.Values[in.Property]; p.graph != nil && !inFront {
		return in.graphPropertySplices(p)
	}
	first, _, _ := strings.Cut(p.text, "\n")
	switch first = strings.TrimRight(first, " \t\r"); {
	case !has && first == "---":
		return nil, tools.Errorf(tools.Invalid, "property: the front matter has no end").WithHint("Correct it with lines or text as the target.")
	case !has && first == "+++":
		return nil, tools.Errorf(tools.Invalid, "property: the front matter is TOML, and only YAML has properties").
			WithHint("Edit it with lines or text as the target.")
	}
	if p.yamlError != nil {
		return nil, tools.Errorf(tools.Invalid, "property: %v", p.yamlError).WithHint("Correct it with lines or text as the target.")
	}
	if lines := p.front.Repeated[in.Property]; lines != nil {
		return nil, ambiguousError("property", in.Property, lines)
	}
	now, err := in.editBlock(block, p.front)
	switch {
	case errors.Is(err, frontmatter.ErrNoList):
		return nil, tools.Errorf(tools.Invalid, "property: %s holds keys, and is no list", in.Property)
	case errors.Is(err, frontmatter.ErrNoElement):
		return nil, tools.Errorf(tools.NotFound, "property: %s has no element %.80q", in.Property, in.Content)
	case errors.Is(err, frontmatter.ErrNotAlone):
		return nil, tools.Errorf(tools.Invalid, "property: the front matter around %.80q is written in a way that cannot be edited alone",
			in.Property).
			WithHint("Edit it with lines or text as the target.")
	case err != nil:
		return nil, err
	case !has:
		return []folder.Splice{{New: "---\n" + now + "---\n"}}, nil
	}
	return []folder.Splice{narrow(strings.Index(p.text, "\n")+1, block, now)}, nil
}

// editBlock returns the block after the edit.
func (in EditPageIn) editBlock(block string, fields frontmatter.Fields) (string, error) {
	_, has := fields.Values[in.Property]
	switch {
	case in.Action == Replace && has:
		return frontmatter.Set(block, in.Property, frontmatter.ReadValue(in.Content))
	case in.Action == Replace:
		return frontmatter.Add(block, in.Property, frontmatter.ReadValue(in.Content))
	case in.Action == Append && has:
		element := strings.TrimSpace(in.Content)
		if _, isList := fields.Values[in.Property].([]any); isList && slices.Contains(fields.Texts(in.Property), element) {
			return block, nil
		}
		return frontmatter.Append(block, in.Property, element, slices.Contains(commaKeys(), in.Property))
	case in.Action == Append:
		return frontmatter.Add(block, in.Property, frontmatter.ListValue(strings.TrimSpace(in.Content)))
	case !has:
		return "", missingPropertyError(in.Property)
	case in.Content != "":
		return frontmatter.Remove(block, in.Property, in.Content)
	default:
		return frontmatter.Delete(block, in.Property)
	}
}

// commaKeys are the keys whose text is several values between commas.
func commaKeys() []string { return append(tagKeys(), "aliases", "alias") }

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
	if name == "" || name != strings.Trim(name, " ./-") || len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune(" _./-", r)
	}) {
		return tools.Errorf(tools.Invalid, "property: must be the name of a key, such as status, got %.80q", name)
	}
	return nil
}

func missingPropertyError(name string) error {
	return tools.Errorf(tools.NotFound, "property: the page has no %.80q", name)
}
