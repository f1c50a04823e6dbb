package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	secrets "github.com/zalando/go-keyring/secret_service"
)

// keyringIsOpen says why the keyring cannot be asked without a window, or, if
// ask says that it may show one, cannot be asked at all. It starts no session
// bus: a keyring that nobody has logged in to is none.
func keyringIsOpen(ask bool) error {
	bus := filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")
	if _, err := os.Stat(bus); err != nil && os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return errors.New("there is no desktop session, and so no keyring")
	}
	s, err := secrets.NewSecretService()
	if err != nil {
		return fmt.Errorf("find keyring: %w", err)
	}
	locked, err := s.GetLoginCollection().GetProperty("org.freedesktop.Secret.Collection.Locked")
	if err != nil {
		return fmt.Errorf("find keyring: %w", err)
	}
	if is, ok := locked.Value().(bool); ok && is && !ask {
		return errors.New("the keyring is locked")
	}
	return nil
}
