package safetext

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Truncate returns the first size bytes of s at most, in whole characters as people see
// them: no letter loses its accent, and no emoji a part of it. Only a character that is
// longer than size is cut, between two runes.
func Truncate(s string, size int) string {
	size = max(size, 0)
	if len(s) <= size {
		return s
	}
	end := clusterBoundary(s, size)
	for i := graphemes.FromString(s[end:]); i.Next() && end+len(i.Value()) <= size; {
		end += len(i.Value())
	}
	if end == 0 {
		for end = size; end > 0 && !utf8.RuneStart(s[end]); {
			end--
		}
	}
	return s[:end]
}

// clusterBoundary is the last place, from at back, that lies between two characters
// whatever stands around them: between two of ASCII.
func clusterBoundary(s string, at int) int {
	for ; at > 0; at-- {
		if s[at-1] < utf8.RuneSelf && s[at] < utf8.RuneSelf && s[at-1] != '\r' {
			break
		}
	}
	return at
}

// Shorten returns s in at most size bytes: where something was cut it ends in an
// ellipsis. The rest of s can be freed.
func Shorten(s string, size int) string {
	if len(s) <= size {
		return s
	}
	return strings.Clone(Truncate(s, size-len("…"))) + "…"
}
