package tools

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Privacy is what the user hides from agents in one source. A page is hidden if
// a rule of Exclude matches it, or if Only has rules and none matches. The zero
// value hides nothing.
type Privacy struct {
	Exclude []PrivacyRule
	Only    []PrivacyRule
}

// A PrivacyRule matches pages by one of its fields; the others are empty. Letter
// case and the composition of accents make no difference.
type PrivacyRule struct {
	Path      string // a glob for the page's path or name: * and ? within a part, ** across parts
	Tag       string // a tag and those nested in it: work matches work/plans
	Property  string // a property that the page has
	Value     string // with Property: one of its values; empty: any value
	Namespace string // a page and everything below it: Projects matches Projects and Projects/Alpha
}

// A Page is what a Privacy judges.
type Page struct {
	Path       string // or name, with / between parts and without extension
	File       string // path of its file, if it has one
	Tags       []string
	Properties map[string][]string
}

// ParsePrivacyRule parses a rule as people write it: "Private/**" or
// "path:Private/**", "#secret" or "tag:secret", "property:status" or
// "property:status=private", "namespace:Projects". Anything else is an Invalid
// error.
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
		return PrivacyRule{}, Errorf(Invalid, "the privacy rule %q is empty", s)
	}
	switch kind {
	case "path":
		for part := range strings.SplitSeq(rest, "/") {
			if _, err := path.Match(part, ""); err != nil {
				return PrivacyRule{}, Errorf(Invalid, "invalid pattern %q: %w", rest, err)
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
	return PrivacyRule{}, Errorf(Invalid, "the privacy rule %q begins with %q (want path:, tag:, property: or namespace:)", s, kind+":")
}

// Any reports whether anything can be hidden.
func (p Privacy) Any() bool { return len(p.Exclude)+len(p.Only) > 0 }

// NeedsContent reports whether some rule needs a page's tags or properties, not
// only its path.
func (p Privacy) NeedsContent() bool {
	return slices.ContainsFunc(slices.Concat(p.Exclude, p.Only), func(r PrivacyRule) bool { return r.Tag != "" || r.Property != "" })
}

// Hides reports whether page is hidden from agents.
func (p Privacy) Hides(page Page) bool {
	matches := func(r PrivacyRule) bool { return r.matches(page) }
	return slices.ContainsFunc(p.Exclude, matches) || len(p.Only) > 0 && !slices.ContainsFunc(p.Only, matches)
}

func (r PrivacyRule) matches(page Page) bool {
	switch {
	case r.Path != "":
		return matchGlob(r.Path, page.Path) || page.File != "" && matchGlob(r.Path, page.File)
	case r.Namespace != "":
		return isUnder(r.Namespace, page.Path)
	case r.Tag != "":
		return slices.ContainsFunc(page.Tags, func(t string) bool { return isUnder(r.Tag, strings.TrimPrefix(t, "#")) })
	}
	for name, values := range page.Properties {
		if normalize(name) == normalize(r.Property) && (r.Value == "" || slices.ContainsFunc(values, func(v string) bool { return normalize(v) == normalize(r.Value) })) {
			return true
		}
	}
	return false
}

// isUnder reports whether name is root or nested in it.
func isUnder(root, name string) bool {
	root, name = normalize(root), normalize(name)
	return name == root || strings.HasPrefix(name, root+"/")
}

// matchGlob matches a path against a pattern in which ** stands for any number
// of parts, including none.
func matchGlob(pattern, name string) bool {
	return matchParts(strings.Split(normalize(pattern), "/"), strings.Split(normalize(name), "/"))
}

// normalize is the form in which rules and pages are compared. A file name may
// have decomposed accents where the rule has composed ones; it must be hidden
// nevertheless.
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
