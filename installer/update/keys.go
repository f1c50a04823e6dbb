package update

import (
	"errors"
	"fmt"
	"strings"

	"aead.dev/minisign"
)

// Minimum is the oldest version that may be installed, even if it is signed. It
// is raised when a release must never be installed again.
const Minimum = "0.1.0"

// ReleaseKeys are the minisign public keys that sign releases: the current
// one, then the next, so that one can be retired. There are none before the
// first release; docs/releasing.md says how they get here.
func ReleaseKeys() []string { return nil }

// ErrNoKeys means that no release can be verified.
var ErrNoKeys = errors.New("this build carries no release key, so no release could be verified; " +
	"it was built from source or before the first release: update it the way you installed it")

func parseKeys(texts []string) ([]minisign.PublicKey, error) {
	var keys []minisign.PublicKey
	for _, text := range texts {
		var key minisign.PublicKey
		if err := key.UnmarshalText([]byte(text)); err != nil {
			return nil, fmt.Errorf("read release key: %w", err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// A verifiedSignature was made by one of our keys.
type verifiedSignature struct {
	key     minisign.PublicKey
	comment string // the trusted one
}

// verify checks that one of our keys signed message.
func (u *Updater) verify(message, sig []byte) (verifiedSignature, error) {
	var s minisign.Signature
	if err := s.UnmarshalText(sig); err != nil {
		return verifiedSignature{}, fmt.Errorf("invalid minisign signature (%w); do not install this release", err)
	}
	for _, key := range u.keys {
		if key.ID() != s.KeyID {
			continue
		}
		if !minisign.Verify(key, message, sig) {
			return verifiedSignature{},
				errors.New("the signature does not match: the file or the signature was changed; do not install this release")
		}
		return verifiedSignature{key, s.TrustedComment}, nil
	}
	return verifiedSignature{}, fmt.Errorf("it is signed by key %X, which this build does not trust (it trusts %s); do not install this "+
		"release", s.KeyID, u.keyNames())
}

func (u *Updater) keyNames() string {
	names := make([]string, 0, len(u.keys))
	for _, key := range u.keys {
		names = append(names, fmt.Sprintf("%X", key.ID()))
	}
	return strings.Join(names, " and ")
}

// A signedClaim is what the trusted comment of a signature says: "lectern 1.2.3" of a
// list, "lectern 1.2.3 linux/amd64" of a binary.
type signedClaim struct{ version, platform string }

func (p verifiedSignature) claim() (signedClaim, error) {
	f := strings.Fields(p.comment)
	if len(f) < 2 || len(f) > 3 || f[0] != "lectern" || !isVersion(f[1]) {
		return signedClaim{}, fmt.Errorf("the signature is for %q, not for a release of lectern; do not install it", p.comment)
	}
	if len(f) == 2 {
		return signedClaim{version: f[1]}, nil
	}
	return signedClaim{f[1], f[2]}, nil
}
