package main

import (
	"encoding/base64"
	"errors"
	"fmt"

	keyring "github.com/zalando/go-keyring"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/journal"
)

// passwords is the system's keyring: the Secret Service on Linux, the Keychain
// on macOS, the Credential Manager on Windows.
type passwords struct{}

const keyringService = "lectern"

func keyringAccount(id string) string { return "journal " + id }

// Get implements journal.Keyring.
func (passwords) Get(id string, ask bool) ([]byte, error) {
	if err := keyringIsOpen(ask); err != nil {
		return nil, err
	}
	secret, err := keyring.Get(keyringService, keyringAccount(id))
	if errors.Is(err, keyring.ErrNotFound) {
		return nil, fmt.Errorf("the keyring has no key %q of %s", keyringAccount(id), keyringService)
	}
	if err != nil {
		return nil, fmt.Errorf("read keyring: %w", err)
	}
	return base64.StdEncoding.DecodeString(secret)
}

// Set implements journal.Keyring.
func (passwords) Set(id string, key []byte) error {
	if err := keyringIsOpen(false); err != nil {
		return err
	}
	if err := keyring.Set(keyringService, keyringAccount(id), base64.StdEncoding.EncodeToString(key)); err != nil {
		return fmt.Errorf("write keyring: %w", err)
	}
	return nil
}

// Delete implements journal.Keyring.
func (passwords) Delete(id string) error {
	if err := keyringIsOpen(true); err != nil {
		return err
	}
	if err := keyring.Delete(keyringService, keyringAccount(id)); err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return fmt.Errorf("write keyring: %w", err)
	}
	return nil
}

// keyPlace is where the journal's key is to be. Where LECTERN_HOME puts all of
// Lectern into one folder, the key is part of that unless the file says otherwise.
func (w *world) keyPlace(conf config.Config) journal.Place {
	p := journal.Place(conf.Journal.Key)
	if p == journal.Auto && w.env("LECTERN_HOME") != "" {
		kept, err := journal.Keys(w.journalDir())
		if err == nil && len(kept) == 0 {
			return journal.InFile
		}
	}
	return p
}
