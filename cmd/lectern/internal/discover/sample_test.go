package discover

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

func TestWriteSample(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "welcome")
	vault := fstest.MapFS{"Welcome.md": {Data: []byte("hi")}, "sub/Page.md": {Data: []byte("page")}}
	if err := WriteSample(vault, dir); err != nil {
		t.Fatal(err)
	}
	for name, file := range vault {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(text, file.Data) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	edited := filepath.Join(dir, "Welcome.md")
	if err := os.WriteFile(edited, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteSample(vault, dir); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(edited); string(text) != "mine" {
		t.Errorf("an edited page became %q", text)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
