package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testRules hide the folder Private, files named hidden.md, and files that hold
// "secret" or cannot be read.
type testRules struct{}

func (testRules) HidesFolder(dir string) bool { return dir == "Private" || dir == "hidden.md" }

func (testRules) HidesName(file string) (hidden, decided bool) {
	covered := file == "Private" || file == "hidden.md"
	return covered, covered || !strings.HasSuffix(file, ".md")
}

func (r testRules) HidesFile(all Files, file string) bool {
	data, err := all.Read(file)
	return err != nil || r.HidesContent(file, data)
}

func (testRules) HidesContent(_ string, data []byte) bool {
	return strings.Contains(string(data), "secret")
}

// A spyTree records the names that are looked up.
type spyTree struct {
	tree
	seen []string
}

func (s *spyTree) lstat(name string) (fileInfo, error) {
	s.seen = append(s.seen, name)
	return s.tree.lstat(name)
}

func (s *spyTree) names(dir string) ([]string, error) {
	s.seen = append(s.seen, dir)
	return s.tree.names(dir)
}

func (s *spyTree) read(name string, limit int64, head bool) ([]byte, error) {
	s.seen = append(s.seen, name)
	return s.tree.read(name, limit, head)
}

// What a rule covers is looked up by no method, and answered alike whatever is
// there.
func TestViewDoesNotLookUpCoveredNames(t *testing.T) {
	var answers []string
	for _, files := range []map[string]string{
		{"a.md": ""},
		{"a.md": "", "Private/x.md": "", "hidden.md": "", "private/y.md": "secret"},
		{"a.md": "", "Private": "a file", "hidden.md/x.md": "a folder"},
		{"a.md": "", "Private/x.md/": "", "Private/Deep/x.md": "", "hidden.md/": ""},
	} {
		plain, _ := openWith(t, files)
		v := NewView(plain.f, testRules{})
		filtered := v.tree.(*filteredFolder)
		spy := &spyTree{tree: filtered.all}
		filtered.all = spy
		var got []string
		say := func(what string, err error) { got = append(got, what+": "+err.Error()) }
		for _, name := range []string{"Private", "Private/x.md", "Private/Deep/x.md", "hidden.md", "hidden.md/x.md", "Private/x.md/y.md"} {
			_, err := v.Read(name)
			say("read", err)
			_, err = v.ReadHead(name, 10)
			say("head", err)
			_, err = v.Find(name)
			say("find", err)
			if v.Exists(name) || v.IsDir(name) {
				t.Errorf("%s exists", name)
			}
			if size, modified := v.Stat(name); size != 0 || !modified.IsZero() {
				t.Errorf("%s has a size or time", name)
			}
			_, err = v.CheckDestination(name, "")
			say("write", err)
			_, err = v.CheckDestination(name, "a.md")
			say("move", err)
			if d := NewDraft(v, nil, 1000); d.exists(name) {
				t.Errorf("%s exists in a draft", name)
			} else if st, err := d.State(name); err != nil || st.Exists {
				t.Errorf("%s has a state: %v, %v", name, st, err)
			}
		}
		if looked := slices.DeleteFunc(spy.seen, func(name string) bool { return name == "." }); len(looked) > 0 {
			t.Errorf("looked up %q", looked)
		}
		all := strings.Join(got, "\n")
		if answers = append(answers, all); all != answers[0] {
			t.Errorf("%v: %s", files, cmp.Diff(answers[0], all))
		}
	}
}

// A folder exists with a visible file in it, and not without: so it does not tell
// whether hidden ones are in it.
func TestViewOfFolders(t *testing.T) {
	plain, dir := openWith(t, map[string]string{
		"Seen/a.md": "x", "Seen/b.md": "secret", "Full/Deep/c.md": "secret", "Empty/Deep/": "", "Dots/.keep": "", "Mixed/Deep/d.md": "secret", "Mixed/e.png": "",
		"Private/f.md": "x", ".obsidian/app.json": "",
	})
	v := NewView(plain.f, testRules{})
	want := []string{"Mixed/", "Mixed/e.png", "Seen/", "Seen/a.md"}
	if diff := cmp.Diff(want, names(t, v)); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]bool{
		"Seen": true, "Mixed": true, ".obsidian": true, "Full": false, "Full/Deep": false, "Empty": false, "Empty/Deep": false, "Dots": false, "Mixed/Deep": false, "Private": false,
	} {
		if got := v.IsDir(name); got != want {
			t.Errorf("%s is a folder: %v", name, got)
		}
	}
	for name, ok := range map[string]bool{"full/x.md": true, "FULL": true, "seen/x.md": false, "Seen/b.md": true, "seen/b.md": false, "Full/Deep/c.md/x.md": true} {
		if _, err := v.CheckDestination(name, ""); (err == nil) != ok {
			t.Errorf("write %s: %v", name, err)
		}
	}
	if os.Geteuid() > 0 {
		must(t, os.Chmod(filepath.Join(dir, "Seen", "a.md"), 0))
		if _, err := v.Read("Seen/a.md"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file whose content decides and cannot be read: %v", err)
		}
	}
}

// What hides a file may stand below the part of it that is read.
func TestHeadOfAHiddenFile(t *testing.T) {
	plain, _ := openWith(t, map[string]string{"a.md": strings.Repeat("x", 100) + "secret", "b.md": strings.Repeat("x", 100)})
	v := NewView(plain.f, testRules{})
	for _, n := range []int64{1, 10, 100, 105, 106, 1000} {
		if head, err := v.ReadHead("a.md", n); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d bytes of a hidden file: %q, %v", n, head, err)
		}
		if head, err := v.ReadHead("b.md", n); err != nil || int64(len(head)) != min(n, 100) {
			t.Errorf("%d bytes of another: %q, %v", n, head, err)
		}
	}
}

// Names that begin with a dot, such as those in an application's trash, are no variants of each other: a deletion
// that moves a page there is not held up by what lies there.
func TestDotNamesHaveNoVariants(t *testing.T) {
	v, _ := openWith(t, map[string]string{".trash/a.md": "", "Work/Plan.md": ""})
	for name, want := range map[string][]string{"work/plan.md": {"Work/Plan.md"}, ".trash/a.md": {}, ".Trash/A.md": {}} {
		if got, err := v.findVariants(name); err != nil || !slices.Equal(got, want) {
			t.Errorf("variants of %s: %q, %v; want %q", name, got, err, want)
		}
	}
}

// noModes are the permission bits of new files and folders.
func noModes() (file, folder uint32, err error) { return 0o600, 0o700, nil }

// testWriter writes a file without internal/atomicfile.
func testWriter(root *os.Root, file string, before, after State) error {
	if !before.Exists {
		if _, err := root.Lstat(file); err == nil {
			return &ConflictError{file}
		}
	}
	if !after.Exists {
		return root.Remove(file)
	}
	return root.WriteFile(file, after.Data, fs.FileMode(after.Mode))
}

func isTestTemp(name string) bool { return strings.HasPrefix(name, ".temp") }

// A folder in which only a killed writer left something is empty: it is deleted
// with that. One that holds anything else stays as it is.
func TestRestoreRemovesTemporaryFiles(t *testing.T) {
	for _, other := range []string{"", "Gone/.other"} {
		files := map[string]string{"Gone/.temp1": "x", "Gone/In/.temp2": "y", "Gone/In/a.md": "a"}
		if other != "" {
			files[other] = "z"
		}
		v, _ := openWith(t, files)
		c := NewCommitter(v, testWriter, nil, isTestTemp)
		a, err := c.State("Gone/In/a.md")
		must(t, err)
		dir := State{Exists: true, Mode: 0o700}
		gone := []Change{{Target: "Gone/", Before: dir}, {Target: "Gone/In/", Before: dir}, {Target: "Gone/In/a.md", Before: a}}
		must(t, second(c.Restore(gone, func([]Change) error { return nil })))
		if v.f.exists("Gone/In") || v.f.exists("Gone") != (other != "") || v.f.exists("Gone/.temp1") != (other != "") {
			t.Errorf("with %q: Gone/In exists %v, Gone %v", other, v.f.exists("Gone/In"), v.f.exists("Gone"))
		}
	}
}

// A folder that comes is no empty file that moves, although both hold no bytes.
func TestRestoreOfEmptyFileBesideFolder(t *testing.T) {
	v, dir := openWith(t, map[string]string{"A.md": ""})
	c := NewCommitter(v, testWriter, nil, isTestTemp)
	empty, err := c.State("A.md")
	must(t, err)
	split := []Change{
		{Target: "A/b.md", After: State{Exists: true, Data: []byte("b"), Mode: 0o600}},
		{Target: "A/", After: State{Exists: true, Mode: 0o700}},
		{Target: "A.md", Before: empty},
	}
	must(t, second(c.Restore(split, func([]Change) error { return nil })))
	if text, err := os.ReadFile(filepath.Join(dir, "A", "b.md")); string(text) != "b" || v.f.exists("A.md") {
		t.Errorf("A/b.md is %q, %v; A.md exists: %v", text, err, v.f.exists("A.md"))
	}
}

// A draft shows the folder as it will be, a draft of it too, and the committed
// folder is what it showed.
func TestDrafts(t *testing.T) {
	for _, rules := range []Rules{nil, testRules{}} {
		v, dir := openWith(t, map[string]string{"a.md": "a", "B/b.md": "b", "B/c.md": "c", "C/d.md": "d", "Empty/": ""})
		v = NewView(v.f, rules)
		d := NewDraft(v, noModes, 1000)
		must(t, d.AddFile("New/Deep/n.md", []byte("n")))
		must(t, d.MoveFile("B/b.md", "Moved/b.md"))
		must(t, d.SetContent("Moved/b.md", []byte("edited")))
		over := NewDraft(d.View(), noModes, 1000)
		must(t, over.MoveFile("Moved/b.md", "Moved/again.md"))
		must(t, over.RemoveFile("C/d.md"))
		if gone, err := over.RemoveEmpty("C"); err != nil || !gone {
			t.Errorf("removed C: %v, %v", gone, err)
		}
		if _, err := over.View().Find("c/D.md"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("what was removed is found: %v", err)
		}
		if err := over.AddFile("a.md", nil); !errors.Is(err, ErrExists) {
			t.Errorf("a name that is taken: %v", err)
		}
		if err := over.AddFile("Big.md", make([]byte, 2000)); err != nil {
			t.Errorf("new bytes are not held twice: %v", err)
		}
		must(t, over.RemoveFile("Big.md"))
		before := names(t, v)
		reports := 0
		report := func([]Change) error { reports++; return nil }
		must(t, second(d.Commit(over, report)))
		if diff := cmp.Diff(before, names(t, v)); diff != "" || reports != 1 {
			t.Errorf("a draft of a draft has written: %s", diff)
		}
		want := names(t, d.View())
		if b, err := d.View().Read("Moved/again.md"); err != nil || string(b) != "edited" {
			t.Errorf("%q, %v", b, err)
		}
		c := NewCommitter(v, testWriter, func(*os.Root) (uint32, uint32, error) { return noModes() }, isTestTemp)
		refused := errors.New("refused")
		if _, err := c.Commit(d, func([]Change) error { return refused }); !errors.Is(err, refused) {
			t.Errorf("got %v", err)
		}
		must(t, second(c.Commit(d, report)))
		if diff := cmp.Diff(want, names(t, v)); diff != "" {
			t.Errorf("-drafted +written: %s", diff)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "Moved", "again.md")); err != nil || string(b) != "edited" {
			t.Errorf("%q, %v", b, err)
		}
		var back []Change
		for _, change := range d.Changes() {
			back = append(back, Change{Target: change.Target, Before: change.After, After: change.Before})
		}
		must(t, second(c.Restore(back, report)))
		if diff := cmp.Diff(before, names(t, v)); diff != "" {
			t.Errorf("-before +restored: %s", diff)
		}
	}
}

// Where a draft could not know of what is hidden, nothing is reported or written.
func TestCommitRefusesHiddenNames(t *testing.T) {
	for name, want := range map[string]error{
		"Diary.md": ErrHidden, "diary.md": ErrHidden, "Diary.md/x.md": ErrHidden, "Deep": ErrHidden, "Deep/new.md": nil, "deep/new.md": nil, "Free.md": nil,
	} {
		v, _ := openWith(t, map[string]string{"Diary.md": "secret", "Deep/e.md": "secret"})
		v = NewView(v.f, testRules{})
		c := NewCommitter(v, testWriter, func(*os.Root) (uint32, uint32, error) { return noModes() }, isTestTemp)
		d := NewDraft(v, c.Modes, 1000)
		must(t, d.AddFile(name, []byte("x")))
		reported := false
		_, err := c.Commit(d, func([]Change) error { reported = true; return nil })
		if !errors.Is(err, want) || reported != (want == nil) {
			t.Errorf("%s: %v, reported %v", name, err, reported)
		}
		if st, err := c.State("Diary.md"); err != nil || string(st.Data) != "secret" {
			t.Errorf("%s: the hidden file is %+v, %v", name, st, err)
		}
		if exists, hidden := c.Look("Diary.md"); !exists || !hidden {
			t.Errorf("%s: exists %v, hidden %v", name, exists, hidden)
		}
	}
	v, _ := openWith(t, nil)
	d := NewDraft(NewView(v.f, testRules{}), noModes, 1000)
	must(t, d.AddFile("a.md", []byte("a secret")))
	c := NewCommitter(d.base, testWriter, nil, isTestTemp)
	if _, err := c.Commit(d, nil); !errors.Is(err, ErrHidden) {
		t.Errorf("what would be hidden is written: %v", err)
	}
	l, err := d.base.List(context.Background(), nothing)
	if err != nil || len(l.Files) > 0 {
		t.Errorf("%+v, %v", l, err)
	}
}
