package thismachine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// SaveText writes text to a new file in dir whose name begins like name, and
// returns its path. It never overwrites a file.
func SaveText(dir, name, text string) (string, error) {
	return saveNew(dir, name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func saveNew(dir, name string, write func(io.Writer) error) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("save %s: %w", name, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fmt.Errorf("save %s: %w", name, err)
	}
	defer root.Close() //nolint:errcheck // opened only to name the file
	ext := filepath.Ext(name)
	stem := portableName(strings.TrimSuffix(name, ext))
	if ext = portableName(ext); ext == "" {
		ext = "txt"
	}
	for n := 1; ; n++ {
		file := stem + "." + ext
		if n > 1 {
			file = fmt.Sprintf("%s-%d.%s", stem, n, ext)
		}
		err := atomicfile.Stream(root, file, write, atomicfile.Options{Perm: 0o600, Create: true})
		if !errors.Is(err, atomicfile.ErrExists) {
			return filepath.Join(dir, file), err
		}
	}
}

// portableName keeps the characters of name that every file system accepts.
func portableName(name string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case r == '.':
			return -1
		}
		return '-'
	}, name)
	return strings.Trim(kept, "-")
}
