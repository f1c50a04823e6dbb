package thismachine

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestSaveTextOverwritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "saved")
	for name, want := range map[string]string{"Log of x.txt": "log-of-x.txt", "../../etc/passwd": "etc-passwd.txt", "a": "a.txt"} {
		for range 2 {
			path, err := SaveText(dir, name, "text")
			if err != nil || filepath.Base(path) != want || filepath.Dir(path) != dir {
				t.Errorf("%s: saved to %s, %v, want %s", name, path, err, want)
			}
			want = strings.Replace(want, ".", "-2.", 1)
		}
	}
}
