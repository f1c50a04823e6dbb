package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

//go:embed all:welcome
var welcomeVault embed.FS

// layOut writes the sample vault to dir, all of it or nothing. A dir that is
// there already is left as it is: its pages may have been edited.
func layOut(vault fs.FS, dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("lay out sample vault: %w", err)
	}
	draft, err := os.MkdirTemp(filepath.Dir(dir), ".welcome-*")
	if err != nil {
		return fmt.Errorf("lay out sample vault: %w", err)
	}
	err = copyVault(vault, draft)
	if err == nil {
		err = os.Rename(draft, dir)
	}
	if err != nil {
		err = errors.Join(err, os.RemoveAll(draft))
		if _, there := os.Lstat(dir); there == nil {
			return nil // another process was faster
		}
		return fmt.Errorf("lay out sample vault: %w", err)
	}
	return nil
}

func copyVault(vault fs.FS, to string) error {
	return fs.WalkDir(vault, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(path.Clean(name)))
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

// laySample lays out the embedded vault where [world.sample] looks for it.
func (w *world) laySample() error {
	vault, err := fs.Sub(welcomeVault, "welcome")
	if err != nil {
		return err
	}
	return layOut(vault, w.sampleDir())
}
