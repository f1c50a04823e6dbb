package folder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A commit tells what it has made: all of it, nothing, or where it could not be taken back what
// stands. A folder that others have made, or that must stay, it has not made.
func TestCommitTellsWhatItHasWritten(t *testing.T) {
	disk := errors.New("the disk fails")
	for name, c := range map[string]struct {
		fails   string // writes of files that fail, by FILE=CONTENT
		by      func(dir string) error
		want    string
		unknown bool
	}{
		"all": {want: "New/ New/a.md Old/ Old/a.md b.md c.md"},
		"others": {
			by: func(dir string) error {
				return errors.Join(os.Mkdir(filepath.Join(dir, "New"), 0o700), os.WriteFile(filepath.Join(dir, "Old", "more"), nil, 0o600))
			},
			want: "New/a.md Old/a.md b.md c.md",
		},
		"nothing":  {fails: "c.md=C"},
		"a part":   {fails: "c.md=C b.md=b", want: "New/ New/a.md Old/a.md b.md"},
		"not told": {fails: "c.md=C", unknown: true},
		"edited":   {by: func(dir string) error { return os.WriteFile(filepath.Join(dir, "c.md"), []byte("other"), 0o600) }},
		"the same": {by: func(dir string) error { return os.WriteFile(filepath.Join(dir, "c.md"), []byte("C"), 0o600) }},
	} {
		t.Run(name, func(t *testing.T) {
			v, dir := openWith(t, map[string]string{"Old/a.md": "a", "b.md": "b", "c.md": "c"})
			d := NewDraft(v, noModes, 1000)
			must(t, d.MoveFile("Old/a.md", "New/a.md"))
			must(t, second(nil, func() error { _, err := d.RemoveEmpty("Old"); return err }()))
			must(t, d.SetContent("b.md", []byte("B")))
			must(t, d.SetContent("c.md", []byte("C")))
			write := func(root *os.Root, file string, before, after State) error {
				if now, err := root.ReadFile(file); before.Exists && (err != nil || string(now) != string(before.Data)) {
					return &ConflictError{file}
				}
				switch fails := slices.Contains(strings.Fields(c.fails), file+"="+string(after.Data)); {
				case fails && c.unknown:
					return &OutcomeUnknownError{file, disk}
				case fails:
					return disk
				}
				return testWriter(root, file, before, after)
			}
			if c.by != nil {
				must(t, c.by(dir))
			}
			committer := NewCommitter(v, write, func(*os.Root) (uint32, uint32, error) { return noModes() }, isTestTemp)
			written, err := committer.Commit(d, func([]Change) error { return nil })
			var targets []string
			for _, w := range written {
				targets = append(targets, w.Target)
			}
			if got := strings.Join(targets, " "); got != c.want {
				t.Errorf("written %q, want %q (%v)", got, c.want, err)
			}
			_, partly := errors.AsType[*PartlyWrittenError](err)
			unknown, isUnknown := errors.AsType[*OutcomeUnknownError](err)
			if partly != (name == "a part") || isUnknown != c.unknown || isUnknown && unknown.Target != "c.md" {
				t.Errorf("got %v", err)
			}
		})
	}
}
