package main

import (
	"cmp"
	"strings"
)

// isASCIILocale reports whether the locale of the environment says that the terminal
// shows nothing but ASCII: it is C or POSIX, or names a character set that is not
// UTF-8. A locale that is not set says nothing.
func isASCIILocale(getenv func(string) string) bool {
	locale := cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"))
	locale, _, _ = strings.Cut(locale, "@")
	name, charset, named := strings.Cut(locale, ".")
	switch {
	case named:
		return !strings.EqualFold(strings.ReplaceAll(charset, "-", ""), "utf8")
	default:
		return name == "C" || name == "POSIX"
	}
}
