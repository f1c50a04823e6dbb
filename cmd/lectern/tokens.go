package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// tokenOf reads a token, by the Part of status.RotateToken, and says in which
// file it is. It makes none.
func (w *world) tokenOf(part string) (text, file string, err error) {
	switch part {
	case "plugin":
		file = w.pluginTokenFile()
	case "clients":
		file = w.tokenFile()
	default:
		return "", "", fmt.Errorf("read token: there is none for %q", part)
	}
	token, err := loopnet.LoadToken(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", file, fmt.Errorf("read token: there is none yet: %s is made when a hub first needs it", file)
	}
	return token.Reveal(), file, err
}

// showToken is for the screen of a person who agreed to see it.
func (w *world) showToken(part string) (string, error) {
	text, _, err := w.tokenOf(part)
	return text, err
}

// copyToken puts a token on the clipboard and into no file.
func (w *world) copyToken(part string) (how string, err error) {
	text, file, err := w.tokenOf(part)
	if err != nil {
		return "", err
	}
	return w.clipboard().CopySecret(text, file)
}
