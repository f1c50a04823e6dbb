package loopnet

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// shortHash names dir in a few characters: enough that two directories of one
// user do not collide, short enough for a socket path.
func shortHash(dir string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(dir)))
	return hex.EncodeToString(sum[:8])
}
