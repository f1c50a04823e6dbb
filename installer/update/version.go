package update

import (
	"regexp"

	"golang.org/x/mod/semver"
)

var fullVersion = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

// isVersion reports whether v is a complete semantic version without leading v
// and build metadata. It becomes part of URLs and file names.
func isVersion(v string) bool {
	return len(v) <= 64 && fullVersion.MatchString(v) && semver.IsValid("v"+v)
}

// isOlder reports whether a is older than b. An invalid version is the oldest.
func isOlder(a, b string) bool { return semver.Compare("v"+a, "v"+b) < 0 }
