package thismachine

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

func TestCompletePath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the separators are those of Unix")
	}
	home := t.TempDir()
	for _, dir := range []string{"Documents/Garden", "documents-old", "Downloads", ".hidden", "bell\a"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "Doc.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("Documents", filepath.Join(home, "Docs")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(home, "Dead")); err != nil {
		t.Fatal(err)
	}
	all := []string{"Docs/", "Documents/", "Downloads/", "documents-old/"}
	for _, c := range []struct {
		path  string
		files bool
		want  status.PathCompletion
	}{
		{"~", false, status.PathCompletion{Dir: "~/", Names: all, Folder: true}},
		{"~/", false, status.PathCompletion{Dir: "~/", Names: all, Folder: true}},
		{"~/Do", false, status.PathCompletion{Dir: "~/", Names: []string{"Docs/", "Documents/", "Downloads/"}}},
		{"~/Do", true, status.PathCompletion{Dir: "~/", Names: []string{"Doc.txt", "Docs/", "Documents/", "Downloads/"}}},
		{"~/DOCU", false, status.PathCompletion{Dir: "~/", Names: []string{"Documents/", "documents-old/"}}},
		{"~/Documents", false, status.PathCompletion{Dir: "~/", Names: []string{"Documents/"}, Folder: true}},
		{"~/Docs/", false, status.PathCompletion{Dir: "~/Docs/", Names: []string{"Garden/"}, Folder: true}},
		{home + "/Documents/G", false, status.PathCompletion{Dir: home + "/Documents/", Names: []string{"Garden/"}}},
		{"~/Documents/Garden/", false, status.PathCompletion{Dir: "~/Documents/Garden/", Names: []string{}, Folder: true}},
		{"~/.h", false, status.PathCompletion{Dir: "~/", Names: []string{".hidden/"}}},
		{"~/none/", false, status.PathCompletion{Dir: "~/none/", Names: []string{}}},
		{"~/Doc.txt/", true, status.PathCompletion{Dir: "~/Doc.txt/", Names: []string{}}},
		{"~ada/", false, status.PathCompletion{Dir: "~ada/", Names: []string{}}},
	} {
		if d := cmp.Diff(c.want, CompletePath(home, status.PathPrefix{Path: c.path, Files: c.files})); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, d)
		}
	}
}

func TestCompletePathInALargeFolder(t *testing.T) {
	home := t.TempDir()
	for i := range status.MaxPathNames + 7 {
		if err := os.Mkdir(filepath.Join(home, "d"+string(rune('a'+i/26))+string(rune('a'+i%26))), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	found := CompletePath(home, status.PathPrefix{Path: home + string(filepath.Separator)})
	if len(found.Names) != status.MaxPathNames || found.More != 7 {
		t.Errorf("%d names and %d more", len(found.Names), found.More)
	}
}
