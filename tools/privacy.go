package tools

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Privacy is what a person keeps from agents in one source. A page is hidden
// when a mark of Exclude fits it, or when there are marks in Only and none
// fits. The zero value hides nothing.
type Privacy struct {
	Exclude []PrivacyRule
	Only    []PrivacyRule
}

// A PrivacyRule fits pages by one of its fields; the others are empty. Letter case and
// how accents are composed make no difference.
type PrivacyRule struct {
	Path      string // a glob of the page's path or name: * and ? within a part, ** over parts
	Tag       string // a tag, also as the beginning of a nested one: work fits work/plans
	Property  string // a property that is there
	Value     string // with Property: one of its values; empty: any
	Namespace string // a page and all below it: Projects fits Projects and Projects/Alpha
}

// A Page is what Privacy decides by.
type Page struct {
	Path       string // or name, with / between parts and without the file's extension
	File       string // path of its file, where it has one
	Tags       []string
	Properties map[string][]string
}

// ParsePrivacyRule reads a mark as people write it: "Private/**" or "path:Private/**",
// "#secret" or "tag:secret", "property:status" or "property:status=private",
// "namespace:Projects". What has another form is an Invalid error.
func ParsePrivacyRule(s string) (PrivacyRule, error) {
	kind, rest, found := strings.Cut(s, ":")
	if strings.HasPrefix(s, "#") {
		kind, rest, found = "tag", s[1:], true
	}
	if !found {
		kind, rest = "path", s
	}
	rest = strings.TrimSpace(rest)
	if rest == "" {
		return PrivacyRule{}, Errorf(Invalid, "%q names nothing to hide", s)
	}
	switch kind {
	case "path":
		for part := range strings.SplitSeq(rest, "/") {
			if _, err := path.Match(part, ""); err != nil {
				return PrivacyRule{}, Errorf(Invalid, "%q is not a pattern: %w", rest, err)
			}
		}
		return PrivacyRule{Path: rest}, nil
	case "tag":
		return PrivacyRule{Tag: strings.TrimPrefix(rest, "#")}, nil
	case "property":
		name, value, _ := strings.Cut(rest, "=")
		return PrivacyRule{Property: strings.TrimSpace(name), Value: strings.TrimSpace(value)}, nil
	case "namespace":
		return PrivacyRule{Namespace: strings.Trim(rest, "/")}, nil
	}
	return PrivacyRule{}, Errorf(Invalid, "%q begins with %q; write path:, tag:, property: or namespace:", s, kind+":")
}

// Any says whether anything can be hidden at all.
func (p Privacy) Any() bool { return len(p.Exclude)+len(p.Only) > 0 }

// NeedsContent says whether a page's tags or properties must be known to
// decide, besides its path.
func (p Privacy) NeedsContent() bool {
	for _, marks := range [][]PrivacyRule{p.Exclude, p.Only} {
		for _, m := range marks {
			if m.Tag != "" || m.Property != "" {
				return true
			}
		}
	}
	return false
}

// Hides says whether page does not exist for agents.
func (p Privacy) Hides(page Page) bool {
	for _, m := range p.Exclude {
		if m.matches(page) {
			return true
		}
	}
	if len(p.Only) == 0 {
		return false
	}
	for _, m := range p.Only {
		if m.matches(page) {
			return false
		}
	}
	return true
}

func (m PrivacyRule) matches(page Page) bool {
	switch {
	case m.Path != "":
		return matchGlob(m.Path, page.Path) || page.File != "" && matchGlob(m.Path, page.File)
	case m.Namespace != "":
		return isUnder(m.Namespace, page.Path)
	case m.Tag != "":
		return slices.ContainsFunc(page.Tags, func(t string) bool { return isUnder(m.Tag, strings.TrimPrefix(t, "#")) })
	}
	for name, values := range page.Properties {
		if normalize(name) == normalize(m.Property) && (m.Value == "" || slices.ContainsFunc(values, func(v string) bool { return normalize(v) == normalize(m.Value) })) {
			return true
		}
	}
	return false
}

// isUnder says whether name is root or nested in it.
func isUnder(root, name string) bool {
	root, name = normalize(root), normalize(name)
	return name == root || strings.HasPrefix(name, root+"/")
}

// matchGlob matches a path against a pattern whose ** stands for any number of
// parts, none too.
func matchGlob(pattern, name string) bool {
	return matchParts(strings.Split(normalize(pattern), "/"), strings.Split(normalize(name), "/"))
}

// normalize is what marks and pages are compared in. A file's name may be decomposed
// where a person typed the mark composed, and must be hidden all the same.
func normalize(s string) string { return strings.ToLower(norm.NFC.String(s)) }

func matchParts(pattern, name []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for i := range len(name) + 1 {
				if matchParts(pattern[1:], name[i:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], name[0]); err != nil || !ok {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return len(name) == 0
}
