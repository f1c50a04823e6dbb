package folder

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCopyTo: a file is copied whatever its size, and what is not read is not copied.
func TestCopyTo(t *testing.T) {
	large := strings.Repeat("text\n", 1000)
	plain, dir := openWith(t, map[string]string{"large.txt": large, "large.md": large, "a/b.txt": "b", "Private/x.txt": "hidden", "dir.txt/": ""})
	must(t, os.Symlink("large.txt", filepath.Join(dir, "link.txt")))
	must(t, os.Symlink("a", filepath.Join(dir, "linked")))
	hiding := NewView(plain.f, testRules{})
	for name, want := range map[string]struct {
		text         string
		plain, hides error
	}{
		"large.txt":     {large, nil, nil},
		"a/b.txt":       {"b", nil, nil},
		"large.md":      {large, nil, fs.ErrNotExist}, // its text would have to be judged
		"Private/x.txt": {"hidden", nil, fs.ErrNotExist},
		"none.txt":      {"", fs.ErrNotExist, fs.ErrNotExist},
		"dir.txt":       {"", ErrNotRegular, ErrNotRegular},
		"link.txt":      {"", ErrNotRegular, ErrNotRegular},
		"linked/b.txt":  {"", ErrNotRegular, ErrNotRegular},
	} {
		for v, wrong := range map[*View]error{plain: want.plain, hiding: want.hides} {
			var got bytes.Buffer
			err := v.CopyTo(name, &got)
			if !errors.Is(err, wrong) || (err == nil) != (wrong == nil) || err == nil && got.String() != want.text || err != nil && got.Len() > 0 {
				t.Errorf("%s: %d bytes, %v, want %v", name, got.Len(), err, wrong)
			}
		}
	}
	err := plain.CopyTo("../x", new(bytes.Buffer))
	if _, refused := errors.AsType[*NameError](err); !refused {
		t.Errorf("a name that leads out: %v", err)
	}
}
