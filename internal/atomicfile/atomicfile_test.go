package atomicfile

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func openDir(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, dir
}

func put(t *testing.T, name, content string, perm fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), perm); err != nil {
		t.Fatal(err)
	}
}

// state is every name in dir with its content; a folder's is "/", a link's
// begins with "->".
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range entries {
		full := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			got[e.Name()] = "/"
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(full)
			if err != nil {
				t.Fatal(err)
			}
			got[e.Name()] = "->" + to
		default:
			b, err := os.ReadFile(full)
			if err != nil {
				t.Fatal(err)
			}
			got[e.Name()] = string(b)
		}
	}
	return got
}

func TestWrite(t *testing.T) {
	oldHash, otherHash := sha256.Sum256([]byte("old")), sha256.Sum256([]byte("other"))
	for _, c := range []struct {
		name   string
		before string // content of page.md, if any
		opt    Options
		want   error
	}{
		{"new", "", Options{}, nil},
		{"replace", "old", Options{}, nil},
		{"create", "", Options{Create: true}, nil},
		{"create over a file", "old", Options{Create: true}, ErrExists},
		{"precondition holds", "old", Options{IfHash: &oldHash}, nil},
		{"precondition changed", "old", Options{IfHash: &otherHash}, ErrChanged},
		{"precondition on a file that is gone", "", Options{IfHash: &oldHash}, ErrChanged},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, dir := openDir(t)
			want := map[string]string{"page.md": "new"}
			if c.before != "" {
				put(t, filepath.Join(dir, "page.md"), c.before, 0o600)
			}
			if c.want != nil {
				want = state(t, dir)
			}
			if err := Write(root, "page.md", []byte("new"), c.opt); !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if diff := cmp.Diff(want, state(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What stands at the name and is no regular file is left alone, and so is what
// a link points to.
func TestWriteRefusesWhatIsNoFile(t *testing.T) {
	root, dir := openDir(t)
	put(t, filepath.Join(dir, "inside"), "inside", 0o600)
	outside := filepath.Join(t.TempDir(), "outside")
	put(t, outside, "outside", 0o600)
	for name, to := range map[string]string{"in": "inside", "out": outside, "dangling": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skipf("symbolic links: %v", err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := state(t, dir)
	for _, name := range []string{"in", "out", "dangling", "folder"} {
		for _, opt := range []Options{{}, {Create: true}} {
			if err := Write(root, name, []byte("new"), opt); !errors.Is(err, ErrNotRegular) {
				t.Errorf("%s: got %v, want %v", name, err, ErrNotRegular)
			}
		}
	}
	for _, name := range []string{"../x", "missing/x"} {
		if err := Write(root, name, []byte("new"), Options{}); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if diff := cmp.Diff(before, state(t, dir)); diff != "" {
		t.Error(diff)
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "outside" {
		t.Errorf("outside is %q, %v", b, err)
	}
}

func TestWriteKeepsMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are a matter of Unix")
	}
	root, dir := openDir(t)
	for _, mode := range []fs.FileMode{0o600, 0o640, 0o755} {
		file := filepath.Join(dir, mode.String())
		put(t, file, "old", 0o600)
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		if err := Write(root, mode.String(), []byte("new"), Options{Perm: 0o666}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil || info.Mode() != mode {
			t.Errorf("mode is %v, %v; want %v", info.Mode(), err, mode)
		}
	}
}

// A folder that may not be written gives an error and loses nothing.
func TestWriteIntoReadOnlyFolder(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("root may write everywhere; on Windows a folder has no such mode")
	}
	root, dir := openDir(t)
	put(t, filepath.Join(dir, "page.md"), "old", 0o600)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if err := Write(root, "page.md", []byte("new"), Options{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want a permission error", err)
	}
	if diff := cmp.Diff(map[string]string{"page.md": "old"}, state(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// Our own configuration file may be a link into a user's dotfiles.
func TestWriteFileFollowsLink(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "real"), "old", 0o600)
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Skipf("symbolic links: %v", err)
	}
	for _, name := range []string{"link", "fresh"} {
		if err := WriteFile(filepath.Join(dir, name), []byte("new"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"real": "new", "link": "->real", "fresh": "new"}
	if diff := cmp.Diff(want, state(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// One file, many creators: exactly one wins.
func TestCreateRace(t *testing.T) {
	root, dir := openDir(t)
	const racers = 16
	results := make(chan error)
	for i := range racers {
		go func() { results <- Write(root, "page.md", []byte{byte('a' + i)}, Options{Create: true}) }()
	}
	won := 0
	for range racers {
		if err := <-results; err == nil {
			won++
		} else if !errors.Is(err, ErrExists) {
			t.Errorf("got %v, want %v", err, ErrExists)
		}
	}
	if won != 1 || len(state(t, dir)) != 1 {
		t.Errorf("%d creators won; the folder holds %v", won, state(t, dir))
	}
}

// A mode that is given holds whatever umask and the old file say, and what
// Modes tells is what files and folders get.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	root, dir := openDir(t)
	file, folder, err := ProbeModes(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(root, "new", nil, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Write(root, "new-exact", nil, Options{Mode: 0o666, Create: true}); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "old"), "x", 0o600)
	if err := Write(root, "old", nil, Options{Mode: 0o640}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"new": file, "folder": folder, "new-exact": 0o666, "old": 0o640} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
	if names := state(t, dir); len(names) != 4 {
		t.Errorf("left behind: %v", names)
	}
}
