package markdown

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// TestSystem holds what every System promises. The place is a folder between
// two others that no call may touch.
func TestSystem(t *testing.T) {
	toolstest.Run(t, System(), func(t testing.TB) toolstest.Place {
		around := t.TempDir()
		files := map[string]string{"before/secret.md": "secret\n", "vaultx/secret.md": "secret\n"}
		for name, content := range fixture() {
			files["vault/"+name] = content
		}
		for name, content := range files {
			full := filepath.Join(around, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		vault := filepath.Join(around, "vault")
		return toolstest.Place{
			Config:  map[string]any{"path": vault},
			Digest:  func() string { return digest(t, vault, "") },
			Outside: func() string { return digest(t, around, vault) },
		}
	})
}

// digest is a hash over names, modes and contents below dir, but for skip.
func digest(t testing.TB, dir, skip string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == skip {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h.Write(fmt.Appendf(nil, "%q %v\n", name, info.Mode()))
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(name)
		h.Write(fmt.Appendf(nil, "%d %s\n", len(data), data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
