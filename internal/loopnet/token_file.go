package loopnet

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// LoadOrCreateToken reads the token at path, or creates one there with mode
// 0600 if there is no file. It refuses a file that is not regular, belongs to
// another user, can be read by others, or does not contain a token; the error
// names the file and the command that fixes it. Processes that create at the
// same moment all get the same token.
func LoadOrCreateToken(path string) (Token, error) {
	t, err := LoadToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	t = newToken()
	err = writeToken(path, t, true)
	if errors.Is(err, atomicfile.ErrExists) {
		return LoadToken(path) // another process was first
	}
	if err != nil {
		return Token{}, err
	}
	return t, nil
}

// RotateToken replaces the token at path in one step: at no time is there no
// file or half a file. Programs that hold the old token must load it again.
func RotateToken(path string) (Token, error) {
	t := newToken()
	if err := writeToken(path, t, false); err != nil {
		return Token{}, err
	}
	return t, nil
}

// LoadToken reads the token at path; it refuses the same files as
// LoadOrCreateToken.
func LoadToken(path string) (Token, error) {
	f, err := openPrivate(path)
	if err != nil {
		return Token{}, fmt.Errorf("read token: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(f, 4096)) // a token has 57 bytes
	if err := errors.Join(err, f.Close()); err != nil {
		return Token{}, fmt.Errorf("read token %s: %w", path, err)
	}
	t, err := parseToken(strings.TrimRight(string(text), "\r\n"))
	if err != nil {
		return Token{}, fmt.Errorf("read token %s: %w: remove the file and a new one will be created", path, err)
	}
	return t, nil
}

// writeToken writes t to path in one step. It fails with atomicfile.ErrExists if
// create is set and the file exists.
func writeToken(path string, t Token, create bool) error {
	dir := filepath.Dir(path)
	if err := makePrivateDir(dir); err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	defer root.Close() //nolint:errcheck // opened only to name the file
	opt := atomicfile.Options{Mode: 0o600, Perm: 0o600, Create: create}
	if err := atomicfile.Write(root, filepath.Base(path), []byte(t.Reveal()+"\n"), opt); err != nil {
		return fmt.Errorf("write token %s: %w", path, err)
	}
	return restrictToUser(path)
}
