package journal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

const (
	keyName = "journal.key"
	keySize = 32
)

// keys seal contents, and name them without giving away which are equal to what
// somebody may guess.
type keys struct {
	aead cipher.AEAD
	mac  []byte
}

// loadKeys reads the key in dir, or makes one. A database whose key is gone
// cannot be read, so a new key is made only where there is none.
func loadKeys(dir string) (*keys, error) {
	file := filepath.Join(dir, keyName)
	secret, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(dir, databaseName)); err == nil {
			return nil, fmt.Errorf("%s is gone, without which %s cannot be read; put it back, or move that away too", file, databaseName)
		}
		secret = make([]byte, keySize)
		_, _ = rand.Read(secret) // it never errs
		err = atomicfile.WriteFile(file, secret, 0o600)
	}
	if err != nil {
		return nil, err
	}
	if len(secret) != keySize {
		return nil, fmt.Errorf("%s has %d bytes, not %d; put the right one back, or move it and %s away", file, len(secret), keySize, databaseName)
	}
	return keysOf(secret)
}

func keysOf(secret []byte) (*keys, error) {
	var parts [2][]byte
	for i, use := range []string{"lectern journal seal", "lectern journal name"} {
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
	return &keys{aead, parts[1]}, nil
}

// seal encrypts plain for one use, which open must name again: what is sealed
// cannot be moved to where something else belongs.
func (k *keys) seal(plain []byte, use string) []byte {
	return k.aead.Seal(nil, nil, plain, []byte(use)) //nolint:gosec // this AEAD draws its nonces itself
}

func (k *keys) open(sealed []byte, use string) ([]byte, error) {
	plain, err := k.aead.Open(nil, nil, sealed, []byte(use))
	if err != nil {
		return nil, fmt.Errorf("unseal %s: %w", use, err)
	}
	return plain, nil
}

// name is the keyed hash of what parts say, each of them whole.
func (k *keys) name(parts ...[]byte) []byte {
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
