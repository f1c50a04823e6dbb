package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// WriteSample writes the files of a sample to dir, all or nothing. A dir that
// exists is left as it is: its files may have been edited.
func WriteSample(files fs.FS, dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("write sample: %w", err)
	}
	draft, err := os.MkdirTemp(filepath.Dir(dir), ".sample-*")
	if err != nil {
		return fmt.Errorf("write sample: %w", err)
	}
	err = copyFiles(files, draft)
	if err == nil {
		err = os.Rename(draft, dir)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(draft))
		if _, statErr := os.Lstat(dir); statErr == nil {
			return nil // another process was faster
		}
		return fmt.Errorf("write sample: %w", err)
	}
	return nil
}

func copyFiles(files fs.FS, dir string) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return atomicfile.WriteFile(target, text, 0o600)
	})
}
