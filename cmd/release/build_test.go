package main

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/lectern-mcp/lectern/installer/bundle"
)

// The same source makes the same archive and the same bundle in every folder, so
// that anyone can verify a release.
func TestArchiveIsReproducible(t *testing.T) {
	if os.Getenv("LECTERN_RELEASE") == "" {
		t.Skip("it builds two releases; `make snapshot` sets LECTERN_RELEASE=1")
	}
	here := bundle.Target{OS: runtime.GOOS, Arch: runtime.GOARCH}
	source := filepath.Join("..", "..")
	elsewhere := filepath.Join(t.TempDir(), "a folder with another name")
	copySource(t, source, elsewhere)
	var sums [2][sha256.Size]byte
	var bundles [2][]byte
	for i, from := range []string{source, elsewhere} {
		m := releaser{out: t.TempDir(), source: from, log: t.Output()}
		_, packed, err := m.buildTarget(t.Context(), "1.2.3", here)
		if err != nil {
			t.Fatal(err)
		}
		sums[i] = sha256.Sum256(packed)
		if bundles[i], err = os.ReadFile(filepath.Join(m.out, "extra", here.File("1.2.3"))); err != nil {
			t.Fatal(err)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("archives from two folders: %x and %x", sums[0], sums[1])
	}
	if !bytes.Equal(bundles[0], bundles[1]) {
		t.Error("bundles from two folders differ")
	}
}

// copySource copies the files that a build reads.
func copySource(t *testing.T, from, to string) {
	t.Helper()
	tree := os.DirFS(from)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || name != "." && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
