package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// saveNew has put write a new file in dir whose name begins like name, and
// returns its path. No file is ever overwritten.
func saveNew(dir, name string, put func(io.Writer) error) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("save %s: %w", name, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fmt.Errorf("save %s: %w", name, err)
	}
	defer root.Close() //nolint:errcheck // opened only to name the file
	ext := filepath.Ext(name)
	stem := fileName(strings.TrimSuffix(name, ext))
	if ext = fileName(ext); ext == "" {
		ext = "txt"
	}
	for n := 1; ; n++ {
		file := stem + "." + ext
		if n > 1 {
			file = fmt.Sprintf("%s-%d.%s", stem, n, ext)
		}
		err := atomicfile.Stream(root, file, put, atomicfile.Options{Perm: 0o600, Create: true})
		if !errors.Is(err, atomicfile.ErrExists) {
			return filepath.Join(dir, file), err
		}
	}
}

// putText puts text.
func putText(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// fileName keeps of name what every file system takes.
func fileName(name string) string {
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
