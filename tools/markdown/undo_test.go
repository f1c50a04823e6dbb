package markdown

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// A changeRecorder is a WriteObserver that keeps the Changes it is told.
type changeRecorder struct {
	changes []tools.Change
	during  func()
}

func (k *changeRecorder) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	k.changes = append(k.changes, changes...)
	if k.during != nil {
		k.during()
	}
	return nil
}

func (k *changeRecorder) AfterWrite(string, tools.State) {}
func (k *changeRecorder) OutcomeUnknown(string)          {}

func (k *changeRecorder) targets() []string {
	var targets []string
	for _, c := range k.changes {
		targets = append(targets, fmt.Sprintf("%s %v>%v", c.Target, c.Before.Exists, c.After.Exists))
	}
	return targets
}

func back(changes []tools.Change) []tools.Change {
	var b []tools.Change
	for _, c := range changes {
		b = append(b, tools.Change{Target: c.Target, Before: c.After, After: c.Before})
	}
	return b
}

func (b *testNotebook) as(c tools.CallContext, tool, args string) {
	b.t.Helper()
	if _, err := b.Call(b.t.Context(), c, tool, []byte(args)); err != nil {
		b.t.Fatalf("%s %s: %v", tool, args, err)
	}
}

// One Change a file and a folder, whatever a move drags along.
func TestChangesOfAMove(t *testing.T) {
	b := open(t, fixture(), nil)
	b.put("Projects/Empty/", "")
	before := b.files()
	var k changeRecorder
	b.as(tools.CallContext{Writes: &k}, "move_page", `{"sourcePath":"Projects/_index.md","destinationPath":"Archive/Old"}`)
	equal(t, "targets", []string{
		"Archive/Old.md true>false", "Archive/Old/ false>true", "Archive/Old/Projects/ false>true", "Archive/Old/Projects/Alpha.md false>true",
		"Archive/Old/Projects/Alpha/ false>true", "Archive/Old/Projects/Alpha/assets/ false>true", "Archive/Old/Projects/Alpha/assets/d.png false>true",
		"Archive/Old/Projects/Beta.md false>true", "Archive/Old/Projects/Empty/ false>true", "Archive/Old/Projects/_index.md false>true", "Archive/Old/_index.md false>true",
		"Projects/ true>false", "Projects/Alpha.md true>false", "Projects/Alpha/ true>false", "Projects/Alpha/assets/ true>false",
		"Projects/Alpha/assets/d.png true>false", "Projects/Beta.md true>false", "Projects/Empty/ true>false", "Projects/_index.md true>false", "Welcome.md true>true",
	}, k.targets())
	for _, dir := range []string{"Archive/Old/Projects", "Archive/Old/Projects/Empty"} {
		if info, err := os.Stat(filepath.Join(b.dir, dir)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s is not as the folder that moved: %v, %v", dir, info, err)
		}
	}
	if err := b.Restorer().Restore(t.Context(), tools.CallContext{Writes: &changeRecorder{}}, back(k.changes)); err != nil {
		t.Fatal(err)
	}
	equal(t, "files", before, b.files())
	if _, err := os.Stat(filepath.Join(b.dir, "Projects", "Empty")); err != nil {
		t.Error(err)
	}
}

// A folder that an agent made stays when somebody else uses it by now.
func TestFolderInUseStays(t *testing.T) {
	b := open(t, fixture(), nil)
	var k, undo changeRecorder
	b.as(tools.CallContext{Writes: &k}, "write_page", `{"path":"New/Deep/Page.md","content":"mine"}`)
	b.put("New/Other.md", "theirs")
	if err := b.Restorer().Restore(t.Context(), tools.CallContext{Writes: &undo}, back(k.changes)); err != nil {
		t.Fatal(err)
	}
	equal(t, "reported", []string{"New/Deep/ true>false", "New/Deep/Page.md true>false"}, undo.targets())
	equal(t, "files", after(map[string]string{"New/Other.md": "theirs"}), b.files())
	// And one that somebody has removed is made again.
	b = open(t, fixture(), nil)
	var gone, again changeRecorder
	b.as(tools.CallContext{Writes: &gone}, "delete_page", `{"path":"Archive/Old.md"}`)
	if err := os.Remove(filepath.Join(b.dir, "Archive")); err != nil {
		t.Fatal(err)
	}
	if err := b.Restorer().Restore(t.Context(), tools.CallContext{Writes: &again}, back(gone.changes)); err != nil {
		t.Fatal(err)
	}
	equal(t, "reported", []string{"Archive/ false>true", "Archive/Old.md false>true"}, again.targets())
	equal(t, "files", fixture(), b.files())
}

// An edit in the instant between the report and the write is kept, and nothing
// of the call stays.
func TestEditBetweenReportAndWrite(t *testing.T) {
	for tool, args := range map[string]string{
		"write_page":  `{"path":"Welcome.md","content":"x"}`,
		"delete_page": `{"path":"Welcome.md"}`,
		"move_page":   `{"sourcePath":"Projects/_index.md","destinationPath":"Archive","update_links":true}`,
	} {
		b := open(t, fixture(), nil)
		k := changeRecorder{during: func() { b.put("Welcome.md", "edited") }}
		_, err := b.Call(t.Context(), tools.CallContext{Writes: &k}, tool, []byte(args))
		if e := tools.AsError(err); e == nil || e.Code != tools.Conflict || !slices.ContainsFunc(k.targets(), func(s string) bool { return strings.HasPrefix(s, "Welcome.md ") }) {
			t.Errorf("%s: %v, reported %v", tool, err, k.targets())
		}
		equal(t, tool, after(map[string]string{"Welcome.md": "edited"}), b.files())
		if _, err := os.Stat(filepath.Join(b.dir, "Archive", "Projects")); err == nil {
			t.Error("a folder of the move that was taken back is still there")
		}
	}
}

// What is no page moves along by its name, and what is nobody's business stays.
func TestMoveLeavesWhatIsNotOurs(t *testing.T) {
	b := open(t, fixture(), nil)
	b.put("Projects/.DS_Store", "x")
	b.put("Projects/b.conflict.md", "loser")
	call[MovePageOut](b, "move_page", `{"sourcePath":"Projects/_index.md","destinationPath":"Archive"}`)
	if b.get("Projects/.DS_Store") != "x" || b.get("Archive/Projects/b.conflict.md") != "loser" {
		t.Error("not as it should be")
	}
}
