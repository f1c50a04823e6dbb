package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxName bounds a source's name in bytes, because it is part of URLs and tool
// names.
const maxName = 40

// CheckName reports why name cannot be a source's name.
func CheckName(name string) error {
	switch {
	case name == "":
		return errors.New("is empty; use lower-case letters, digits and hyphens")
	case len(name) > maxName:
		return fmt.Errorf("has %d characters, at most %d are allowed", len(name), maxName)
	}
	for _, r := range name {
		if !isNameRune(r) && r != '-' {
			return fmt.Errorf("%q may contain only lower-case letters, digits and hyphens; how about %q?", name, sanitizeName(name))
		}
	}
	return nil
}

// NameFor derives a source's name from the last element of a path, or from
// kind if nothing of that can be used. A taken name gets -2, -3 and so on.
func NameFor(path, kind string, taken func(string) bool) string {
	base := sanitizeName(filepath.Base(path))
	if base == "" {
		base = kind
	}
	name := base
	for n := 2; taken(name); n++ {
		suffix := fmt.Sprintf("-%d", n)
		name = base[:min(len(base), maxName-len(suffix))] + suffix
	}
	return name
}

// sanitizeName keeps the characters of s that a name may have: it drops
// accents and replaces every run of other characters by a hyphen.
func sanitizeName(s string) string {
	var b strings.Builder
	hyphen := false
	for _, r := range norm.NFKD.String(s) {
		r = unicode.ToLower(r)
		switch {
		case isNameRune(r):
			if hyphen && b.Len() > 0 {
				b.WriteByte('-')
			}
			hyphen = false
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r):
			hyphen = true
		}
	}
	return strings.TrimRight(b.String()[:min(b.Len(), maxName)], "-")
}

func isNameRune(r rune) bool { return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' }
