package atomicfile

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/internal/rename"
)

// Another program can edit a file in the instant between a look at it and its
// replacement. So the file is taken off its name first and looked at then, when
// nobody finds it any more: if it is not what it should be, it is put back.

// Remove removes the file name if its content has this hash, else the error is
// ErrChanged and the file is there as somebody left it.
func Remove(root *os.Root, name string, hash [sha256.Size]byte) error {
	if err := remove(root, name, hash); err != nil {
		return fmt.Errorf("remove %s: %w", name, err)
	}
	return rename.Flush(root, path.Dir(name))
}

func remove(root *os.Root, name string, hash [sha256.Size]byte) error {
	if err := checkHash(root, name, hash); err != nil {
		return err
	}
	return takeOff(root, name, hash)
}

// takeOff removes a file that was looked at a moment ago.
func takeOff(root *os.Root, name string, hash [sha256.Size]byte) error {
	off := tempName(name)
	switch err := rename.NoReplace(root, name, off); {
	case errors.Is(err, errors.ErrUnsupported):
		return root.Remove(name)
	case errors.Is(err, fs.ErrNotExist):
		return ErrChanged
	case err != nil:
		return err
	}
	err := checkHash(root, off, hash)
	if err == nil {
		return removeTemp(root, off)
	}
	if back := rename.NoReplace(root, off, name); back != nil { // somebody has made a new file meanwhile
		err = errors.Join(err, keepCopy(root, off, name))
	}
	return err
}

// replace gives name the file temp, whose hash is ours, if the content of name has
// this hash. Afterwards temp is gone, also after an error.
func replace(root *os.Root, temp, name string, ours, hash [sha256.Size]byte) error {
	if err := checkHash(root, name, hash); err != nil {
		return errors.Join(err, removeTemp(root, temp))
	}
	return exchange(root, temp, name, ours, hash)
}

// exchange replaces a file that was looked at a moment ago by ours.
func exchange(root *os.Root, temp, name string, ours, hash [sha256.Size]byte) error {
	err := rename.Exchange(root, temp, name)
	if errors.Is(err, errors.ErrUnsupported) {
		err = root.Rename(temp, name)
		if err == nil {
			return nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrChanged
	}
	if err != nil {
		return errors.Join(err, removeTemp(root, temp))
	}
	if err = checkHash(root, temp, hash); err == nil {
		return removeTemp(root, temp)
	}
	if back := rename.Exchange(root, temp, name); back != nil { // it was removed meanwhile
		return errors.Join(err, keepCopy(root, temp, name))
	}
	if checkHash(root, temp, ours) != nil { // our version was edited meanwhile
		return errors.Join(err, keepCopy(root, temp, name))
	}
	return errors.Join(err, removeTemp(root, temp))
}

// maxCopies bounds the copies beside one file.
const maxCopies = 100

// keepCopy keeps a file that has lost its name beside the one that has it now.
func keepCopy(root *os.Root, temp, name string) error {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := range maxCopies {
		to := stem + " (conflicted copy)" + ext
		if n > 0 {
			to = fmt.Sprintf("%s (conflicted copy %d)%s", stem, n+1, ext)
		}
		if err := linkNew(root, temp, to); !errors.Is(err, ErrExists) {
			return err
		}
	}
	return fmt.Errorf("%s has %d conflicted copies: %w", name, maxCopies, ErrExists)
}

// checkHash returns ErrChanged if a file does not have this content, or somebody is
// about to give it another one.
func checkHash(root *os.Root, name string, hash [sha256.Size]byte) error {
	now, err := hashFile(root, name)
	if err == nil && now != hash {
		err = ErrChanged
	}
	return err
}

// CheckExchange reports whether files below root are replaced without a moment in which
// an edit by somebody else could be lost. It makes two files and removes them.
func CheckExchange(root *os.Root) (bool, error) {
	a, b := tempName(probeName), tempName(probeName)
	for _, name := range []string{a, b} {
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return false, fmt.Errorf("try an exchange: %w", err)
		}
		defer removeTemp(root, name) //nolint:errcheck // swept later
		if err := f.Close(); err != nil {
			return false, fmt.Errorf("try an exchange: %w", err)
		}
	}
	err := rename.Exchange(root, a, b)
	if errors.Is(err, errors.ErrUnsupported) {
		return false, nil
	}
	return err == nil, err
}

// tempName is a name beside name that [Sweep] knows.
func tempName(name string) string {
	return path.Join(path.Dir(name), tempPrefix+rand.Text()+tempSuffix)
}
