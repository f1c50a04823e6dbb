package tools

import (
	"errors"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
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
	Path      string // a glob for the page's path or name: * and ? within a part, ** across any number of parts
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

// ParsePrivacyRule parses a rule as people write it: "Private" or "path:Private",
// "#secret", "#[[secret]]" or "tag:secret", "property:status" or
// "property:status=private", "namespace:Projects". A path covers what it names and
// everything below it, so Private, Private/, /Private/** and ./Private are the same
// rule. Anything else, and a rule that can match nothing, is an Invalid error that
// says what to write.
func ParsePrivacyRule(s string) (PrivacyRule, error) {
	kind, rest, found := strings.Cut(s, ":")
	if strings.HasPrefix(s, "#") {
		kind, rest, found = "tag", s[1:], true
	}
	if !found || len(kind) == 1 || strings.Contains(kind, "/") { // a single letter is a drive, and ws/class:Meeting a path
		kind, rest = "path", s
	}
	rest = strings.TrimSpace(rest)
	var rule PrivacyRule
	var err error
	switch {
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
		return rule, Errorf(Invalid, "the privacy rule %q has a character that no name has", s)
	case kind == "path" && rest != "":
		rule.Path, err = cleanGlob(rest)
	case kind == "path":
	case kind == "tag":
		rule.Tag, err = cleanTag(rest)
	case kind == "property":
		name, value, _ := strings.Cut(rest, "=")
		if rule.Property = strings.Trim(name, " :"); rule.Property != "" {
			rule.Value = strings.TrimSpace(value)
		}
	case kind == "namespace":
		rule.Namespace, err = cleanNamespace(rest)
	default:
		return PrivacyRule{}, Errorf(Invalid, "the privacy rule %q begins with %q (want path:, tag:, property: or namespace:)", s, kind+":").
			WithHint("If it is a path, write path:%s.", s)
	}
	if err != nil {
		return PrivacyRule{}, err
	}
	if rule == (PrivacyRule{}) {
		return PrivacyRule{}, Errorf(Invalid, "the privacy rule %q is empty", s)
	}
	return rule, nil
}

// cleanGlob returns the pattern for what a path names and everything below it.
func cleanGlob(pattern string) (string, error) {
	switch {
	case strings.HasPrefix(pattern, "~"), strings.HasPrefix(pattern, `\\`), len(pattern) > 1 && pattern[1] == ':':
		return "", Errorf(Invalid, "the path %q of a privacy rule is absolute", pattern).
			WithHint("Write it as seen from the source's folder, such as Private or Work/Clients.")
	case strings.Contains(pattern, `\`):
		return "", Errorf(Invalid, "the path %q of a privacy rule has a backslash", pattern).
			WithHint("Write / between folders, such as %s, and ? in place of a character that is special.", strings.ReplaceAll(pattern, `\`, "/"))
	case strings.HasPrefix(pattern, "[[") && strings.HasSuffix(pattern, "]]"):
		return "", Errorf(Invalid, "the privacy rule %q is a link, not a path", pattern).WithHint("Write %s.", strings.Trim(pattern, "[]"))
	}
	parts, err := cleanParts(pattern)
	if err != nil {
		return "", err
	}
	for _, part := range parts {
		if _, err := path.Match(part, ""); err != nil {
			return "", Errorf(Invalid, "invalid pattern %q: %w", pattern, err)
		}
	}
	for len(parts) > 0 && parts[len(parts)-1] == "**" {
		parts = parts[:len(parts)-1]
	}
	return strings.Join(append(parts, "**"), "/"), nil
}

// cleanParts splits a path without what adds nothing to it.
func cleanParts(name string) (parts []string, err error) {
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "..":
			return nil, Errorf(Invalid, "the path %q of a privacy rule leads out of the source", name).
				WithHint("Write it as seen from the source's folder, such as Private or Work/Clients.")
		case "", ".":
		default:
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// cleanTag returns the tag that people write with # or in brackets.
func cleanTag(tag string) (string, error) {
	tag = strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(tag, "#/"), "[["))
	tag = strings.Trim(strings.TrimSuffix(tag, "]]"), " /#")
	if strings.ContainsAny(tag, "*,") {
		return "", Errorf(Invalid, "the tag %q of a privacy rule cannot match", tag).
			WithHint("Write one rule for each tag, without *: a tag covers those nested in it.")
	}
	return tag, nil
}

// cleanNamespace returns the name of a page.
func cleanNamespace(name string) (string, error) {
	if strings.ContainsAny(name, `*\`) {
		return "", Errorf(Invalid, "the namespace %q of a privacy rule cannot match", name).
			WithHint("Write the name of a page with / between its parts; all below it is covered. For a pattern, write path:.")
	}
	parts, err := cleanParts(strings.TrimSuffix(strings.TrimPrefix(name, "[["), "]]"))
	return strings.Join(parts, "/"), err
}

// HiddenError is Denied for a write that was refused because of what is hidden. The hub
// counts these: an agent that gets many may be looking for hidden names.
func HiddenError(format string, args ...any) *Error {
	return Errorf(Denied, format, args...).withCause(errHidden)
}

var errHidden = errors.New("what the call would write is hidden")

// IsHidden reports whether err is a [HiddenError].
func IsHidden(err error) bool { return errors.Is(err, errHidden) }

// String is the rule as [ParsePrivacyRule] reads it: the shortest form.
func (r PrivacyRule) String() string {
	switch {
	case r.Path != "":
		return strings.TrimSuffix(r.Path, "/**")
	case r.Tag != "":
		return "#" + r.Tag
	case r.Value != "":
		return "property:" + r.Property + "=" + r.Value
	case r.Property != "":
		return "property:" + r.Property
	}
	return "namespace:" + r.Namespace
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

// HidesFolder reports whether a folder is hidden with everything below it, as far as
// its path tells: because a rule of Exclude covers it, or because Only has rules on
// paths alone, none of which reaches into it.
func (p Privacy) HidesFolder(dir string) bool {
	at := Page{Path: dir, File: dir}
	if slices.ContainsFunc(p.Exclude, func(r PrivacyRule) bool { return r.isPath() && r.matches(at) }) {
		return true
	}
	return len(p.Only) > 0 && !slices.ContainsFunc(p.Only, func(r PrivacyRule) bool { return !r.isPath() || r.reaches(dir) })
}

func (r PrivacyRule) isPath() bool { return r.Path != "" || r.Namespace != "" }

// reaches reports whether a rule on paths covers a folder or something in it.
func (r PrivacyRule) reaches(dir string) bool {
	if r.Namespace != "" {
		return isUnder(r.Namespace, dir) || isUnder(dir, r.Namespace)
	}
	pattern := strings.Split(normalize(r.Path), "/")
	for part := range strings.SplitSeq(normalize(dir), "/") {
		if len(pattern) == 0 {
			return false
		}
		if pattern[0] == "**" {
			return true
		}
		if ok, err := path.Match(pattern[0], part); err != nil || !ok {
			return false
		}
		pattern = pattern[1:]
	}
	return true
}

func (r PrivacyRule) matches(page Page) bool {
	switch {
	case r.Path != "":
		return matchesPath(r.Path, page.Path) || page.File != "" && matchesPath(r.Path, page.File)
	case r.Namespace != "":
		return isUnder(r.Namespace, page.Path)
	case r.Tag != "":
		return slices.ContainsFunc(page.Tags, func(t string) bool { return isUnder(r.Tag, strings.TrimPrefix(t, "#")) })
	}
	for name, values := range page.Properties {
		if normalize(name) == normalize(r.Property) && (r.Value == "" || slices.ContainsFunc(values, func(v string) bool {
			return normalize(v) == normalize(r.Value)
		})) {
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

// matchesPath matches a path against a pattern as the file systems do that take
// letters for others.
func matchesPath(pattern, name string) bool {
	return MatchGlob(normalize(pattern), normalize(name)) || hasFolds(name) && MatchGlob(lower(pattern), lower(name))
}

// hasFolds reports whether normalize writes a letter as two, of which a ? in a
// pattern matches one.
func hasFolds(s string) bool { return normalize(s) != lower(s) }

func lower(s string) string { return strings.ToLower(norm.NFC.String(s)) }

// normalize is the form in which rules and pages are compared. A file name may
// have decomposed accents where the rule has composed ones, or letters that some
// file systems take for others; it must be hidden nevertheless.
func normalize(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(s)))
		}
	}
	return strings.ToLower(s)
}
