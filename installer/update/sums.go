package update

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// checksumOf finds the SHA-256 of a file in a list of sha256sum. The list is
// signed, so every oddity is an error of the release.
func checksumOf(list, file string) (sum [sha256.Size]byte, err error) {
	found := 0
	for line := range strings.Lines(list) {
		digits, name, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "  ")
		if !ok || name != file {
			continue
		}
		found++
		raw, err := hex.DecodeString(digits)
		if err != nil || len(raw) != len(sum) {
			return sum, fmt.Errorf("%s has %q for %s, which is not a SHA-256; report this release", checksumsFile, digits, file)
		}
		copy(sum[:], raw)
	}
	switch found {
	case 1:
		return sum, nil
	case 0:
		return sum, fmt.Errorf("%s does not name %s: this release has no build for this system", checksumsFile, file)
	}
	return sum, fmt.Errorf("%s names %s %d times; report this release", checksumsFile, file, found)
}
