package journal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

const keySize = 32

// A key seals contents, and names them without giving away which are equal to
// what somebody may guess.
type key struct {
	id     string // tells it from others and gives nothing of it away
	secret []byte
	aead   cipher.AEAD
	mac    []byte
}

// keys are those that can be had. The first one seals, all of them open.
type keys struct {
	all []*key
	// lost are those that cannot be had now; empty: none.
	lost []string
}

func newKey() (*key, error) {
	secret := make([]byte, keySize)
	_, _ = rand.Read(secret) // it never errs
	return keyOf(secret)
}

func keyOf(secret []byte) (*key, error) {
	var parts [3][]byte
	for i, use := range []string{"lectern journal seal", "lectern journal name", "lectern journal id"} {
		part, err := hkdf.Key(sha256.New, secret, nil, use, keySize)
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	block, err := aes.NewCipher(parts[0])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &key{hex.EncodeToString(parts[2][:8]), secret, aead, parts[1]}, nil
}

// seal encrypts plain for one use, which open must name again: what is sealed
// cannot be moved to where something else belongs.
func (k *keys) seal(plain []byte, use string) []byte {
	return k.all[0].aead.Seal(nil, nil, plain, []byte(use)) //nolint:gosec // this AEAD draws its nonces itself
}

// errLost is of what was sealed with a key that cannot be had now.
var errLost = errors.New("its key is in the keyring, which does not give it now")

func (k *keys) open(sealed []byte, use string) ([]byte, error) {
	var err error
	for _, one := range k.all {
		var plain []byte
		if plain, err = one.aead.Open(nil, nil, sealed, []byte(use)); err == nil {
			return plain, nil
		}
	}
	if len(k.lost) > 0 {
		return nil, errLost
	}
	return nil, fmt.Errorf("unseal %s: %w", use, err)
}

// name is the keyed hash of what parts say, each of them whole.
func (k *keys) name(parts ...[]byte) []byte { return k.all[0].name(parts...) }

// names are those that parts can have, one for each key.
func (k *keys) names(parts ...[]byte) []any {
	var all []any
	for _, one := range k.all {
		all = append(all, one.name(parts...))
	}
	return all
}

func (k *key) name(parts ...[]byte) []byte {
	h := hmac.New(sha256.New, k.mac)
	for _, p := range parts {
		var size [8]byte
		for i := range size {
			size[i] = byte(len(p) >> (8 * i))
		}
		_, _ = h.Write(size[:]) // a hash never errs
		_, _ = h.Write(p)
	}
	return h.Sum(nil)
}
