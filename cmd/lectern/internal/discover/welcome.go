package discover

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

//go:embed all:welcome
var embedded embed.FS

// WriteSample writes the sample vault to dir, all of it or nothing. A dir that
// exists is left as it is: its pages may have been edited.
func WriteSample(dir string) error {
	vault, err := fs.Sub(embedded, "welcome")
	if err != nil {
		return err
	}
	return writeVault(vault, dir)
}

func writeVault(vault fs.FS, dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("write sample vault: %w", err)
	}
	draft, err := os.MkdirTemp(filepath.Dir(dir), ".welcome-*")
	if err != nil {
		return fmt.Errorf("write sample vault: %w", err)
	}
	err = copyVault(vault, draft)
	if err == nil {
		err = os.Rename(draft, dir)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(draft))
		if _, statErr := os.Lstat(dir); statErr == nil {
			return nil // another process was faster
		}
		return fmt.Errorf("write sample vault: %w", err)
	}
	return nil
}

func copyVault(vault fs.FS, dir string) error {
	return fs.WalkDir(vault, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		text, err := fs.ReadFile(vault, name)
		if err != nil {
			return err
		}
		return atomicfile.WriteFile(target, text, 0o600)
	})
}
