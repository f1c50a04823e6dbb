package markdown

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// What agents are told is missing is named to the person who asks the doctor.
func TestDoctorNamesWhatCannotBeRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not allow these names")
	}
	b := open(t, map[string]string{"plain.md": "plain", "large.md": ""}, nil)
	n, ok := tools.As[*Notebook](b.OpenedSource)
	if !ok {
		t.Fatal("no notebook")
	}
	look := func() status.Check { return checkUnread(context.Background(), n) }
	if c := look(); c.Result != status.CheckOK || c.Detail != "2 pages" {
		t.Errorf("before: %+v", c)
	}
	if err := os.Truncate(filepath.Join(b.dir, "large.md"), 17<<20); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"esc\x1b[2J.md", "a~b.md", "~home.md"} {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte("x"), 0o600); err != nil {
			t.Skipf("this file system does not take %q: %v", name, err)
		}
	}
	c := look()
	if c.Result != status.CheckWarn || c.Fix == "" || c.Detail != `agents cannot read "esc\x1b[2J.md", "~home.md", "large.md"` {
		t.Errorf("after: %+v", c)
	}
	answer, ok := b.try("search_pages", `{"query":"plain"}`)
	if !ok || !strings.Contains(answer, `1 pages could not be read and were not searched: \"large.md\"; `+"`lectern doctor` tells the user.") ||
		!strings.Contains(answer, "2 files or folders have names") {
		t.Errorf("a search says %s", answer)
	}
}

// Names in a note are few and quoted.
func TestFirstNames(t *testing.T) {
	if got := firstNames([]string{"a", "b\n", "c", "d", "e", "f", "g"}); got != `"a", "b\n", "c", "d", "e", and 2 more` {
		t.Error(got)
	}
}
