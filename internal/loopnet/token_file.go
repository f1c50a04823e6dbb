package loopnet

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// LoadOrCreateToken reads the token at path, or makes one there with mode 0600
// when there is no file. It refuses a file that is not regular, that another
// user owns, that others can read, or that does not hold a token; the error
// names the file and the command that mends it. Processes that create at the
// same moment all get the same token.
func LoadOrCreateToken(path string) (Token, error) {
	t, err := loadToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	t = newToken()
	err = writeToken(path, t, renameIfAbsent)
	if errors.Is(err, fs.ErrExist) {
		return loadToken(path) // another process was first
	}
	if err != nil {
		return Token{}, err
	}
	return t, nil
}

// LoadToken reads the token at path; it refuses what LoadOrCreateToken does.
func LoadToken(path string) (Token, error) { return loadToken(path) }

// RotateToken puts a new token at path, in one step: at no time is there no
// file or half a file. Whoever holds the old token must be told to load again.
func RotateToken(path string) (Token, error) {
	t := newToken()
	if err := writeToken(path, t, os.Rename); err != nil {
		return Token{}, err
	}
	return t, nil
}

func loadToken(path string) (Token, error) {
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
		return Token{}, fmt.Errorf("read token %s: %w: remove the file and a new one is made", path, err)
	}
	return t, nil
}

// writeToken writes t beside path, whole and synced, and lets place give it its
// name.
func writeToken(path string, t Token, place func(from, to string) error) error {
	dir := filepath.Dir(path)
	if err := makePrivateDir(dir); err != nil {
		return fmt.Errorf("write token: %w", err)
	}
	temp := filepath.Join(dir, "."+filepath.Base(path)+"-"+rand.Text())
	err := writeNewFile(temp, t.Reveal()+"\n")
	if err == nil {
		err = place(temp, path)
	}
	if gone := os.Remove(temp); err == nil && !errors.Is(gone, fs.ErrNotExist) {
		err = gone
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("write token %s: %w", path, err)
	}
	return nil
}

// renameIfAbsent gives from the name to unless that is taken. Some file systems know
// no links; there two processes at the same moment may keep different tokens,
// which the lock of the one hub rules out.
func renameIfAbsent(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, exists := os.Lstat(to); exists == nil {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// writeNewFile writes a file that must not exist, for this user alone.
func writeNewFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	err = restrictToUser(path)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
