package journal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

const (
	keyFileName    = "journal.key" // beside the database, readable by the user only
	newKeyFileName = keyFileName + ".new"
	keySize        = 32
)

// sealOverhead is how many bytes more than its content a sealed content has: a
// nonce and a tag.
const sealOverhead = 12 + 16

// A encryptionKey encrypts contents and derives the names under which they are
// stored, which reveal nothing about contents that an attacker might guess.
type encryptionKey struct {
	aead cipher.AEAD
	mac  []byte
	ids  cipher.Block // see changeID
}

// loadOrCreateKey reads the key of the journal in dir. If there is no database yet, it
// creates one under another name until [renameNewKeyFile]: a key under its own name shows
// that there was a database.
func loadOrCreateKey(dir string) (key *encryptionKey, isNew bool, err error) {
	secret, err := readKeyFile(dir)
	if err != nil {
		return nil, false, err
	}
	if secret == nil {
		isNew = true
		secret = make([]byte, keySize)
		_, _ = rand.Read(secret) // documented to return no error
		if err := atomicfile.WriteFile(filepath.Join(dir, newKeyFileName), secret, 0o600); err != nil {
			return nil, false, err
		}
	}
	key, err = newEncryptionKey(secret)
	return key, isNew || !fileExists(filepath.Join(dir, keyFileName)), err
}

// renameNewKeyFile gives a new key its own name, now that its database exists.
func renameNewKeyFile(dir string) error {
	return os.Rename(filepath.Join(dir, newKeyFileName), filepath.Join(dir, keyFileName))
}

// CheckKey returns why what the journal in dir holds cannot be decrypted; nil
// also when it holds nothing yet. It does not open the database, so it cannot
// tell whether the key is the right one.
func CheckKey(dir string) error {
	_, err := readKeyFile(dir)
	return err
}

// readKeyFile returns the bytes of the key file; nil if there is neither a key
// nor a database. A database without its key is an error: a new key would make
// everything recorded so far unreadable without a word.
func readKeyFile(dir string) ([]byte, error) {
	file, database := filepath.Join(dir, keyFileName), filepath.Join(dir, databaseName)
	secret, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) { // a crash came before renameNewKeyFile
		file = filepath.Join(dir, newKeyFileName)
		if secret, err = os.ReadFile(file); errors.Is(err, fs.ErrNotExist) {
			file = filepath.Join(dir, keyFileName)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && fileExists(database):
		return nil, fmt.Errorf("the key file %s is missing, so %s cannot be decrypted. "+
			"Put the key file back, or move %s away to begin a new journal; "+
			"then what agents changed so far cannot be undone. (An earlier version kept the key in the system's keyring, which is no longer read.)",
			file, database, databaseName)
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(secret) != keySize:
		return nil, fmt.Errorf("the key file %s has %d bytes instead of %d. Restore it, or move it and %s away to begin a new journal",
			file, len(secret), keySize, databaseName)
	}
	return secret, nil
}

func newEncryptionKey(secret []byte) (*encryptionKey, error) {
	encryption, err := hkdf.Key(sha256.New, secret, nil, "lectern journal seal", keySize)
	if err != nil {
		return nil, err
	}
	mac, err := hkdf.Key(sha256.New, secret, nil, "lectern journal name", keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(encryption)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	numbers, err := hkdf.Key(sha256.New, secret, nil, "lectern journal id", keySize)
	if err != nil {
		return nil, err
	}
	ids, err := aes.NewCipher(numbers)
	return &encryptionKey{aead, mac, ids}, err
}

// encrypt encrypts plain for one purpose, which open must repeat: what is sealed
// for one column cannot be moved to another.
func (k *encryptionKey) encrypt(plain []byte, purpose string) []byte {
	return k.aead.Seal(nil, nil, plain, []byte(purpose)) //nolint:gosec // this AEAD draws its nonces itself
}

func (k *encryptionKey) decrypt(sealed []byte, purpose string) ([]byte, error) {
	plain, err := k.aead.Open(nil, nil, sealed, []byte(purpose))
	if err != nil {
		return nil, fmt.Errorf("decrypt %s: %w", purpose, err)
	}
	return plain, nil
}

// keyedHash is the keyed hash of parts, each preceded by its length.
func (k *encryptionKey) keyedHash(parts ...[]byte) []byte {
	var message bytes.Buffer
	for _, p := range parts {
		message.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(p))))
		message.Write(p)
	}
	h := hmac.New(sha256.New, k.mac)
	_, _ = h.Write(message.Bytes()) // a hash returns no error
	return h.Sum(nil)
}
