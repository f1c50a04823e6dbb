package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
)

// TestTranscripts plays whole sessions and compares every byte that comes
// back. In a section, `> ` is a line sent, `! ` a resource of the source notes
// that changes, `< ` a line hubtest.Frame. UPDATE=1 rewrites what is hubtest.Frame.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { transcript(t, file) })
	}
}

func transcript(t *testing.T, file string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	update := os.Getenv("UPDATE") != ""
	h := start(t, mcp.Limits{}, deskSource("notes"), hub.Source{Name: "safe", Kind: "desk", ReadOnly: true}, hub.Source{Name: "agenda", Kind: "org"})
	c := connect(t, h, "")
	for i, section := range a.Files {
		got := play(t, h, c, string(section.Data))
		if d := cmp.Diff(string(section.Data), got); d != "" && !update {
			t.Errorf("%s (-want +got):\n%s", section.Name, d)
		}
		a.Files[i].Data = []byte(got)
	}
	if update {
		if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// play sends a section's lines, one after the other, and returns the section
// as it went.
func play(t *testing.T, h *testHub, c *hubtest.Client, section string) string {
	t.Helper()
	var out strings.Builder
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "> "):
			fmt.Fprintln(&out, line)
			c.Send(line[2:])
			for last := !wantsAnswer(line[2:]); !last; {
				f := c.Recv()
				fmt.Fprintln(&out, "< "+f.Raw)
				last = f.Method == "" || f.Method == "notifications/subscriptions/acknowledged"
			}
		case strings.HasPrefix(line, "! "):
			fmt.Fprintln(&out, line)
			h.world.NotifyResourceChanged("notes", line[2:])
			fmt.Fprintln(&out, "< "+c.Recv().Raw)
		case strings.HasPrefix(line, "< "):
		default:
			t.Fatalf("a line of no kind: %q", line)
		}
	}
	return out.String()
}

// wantsAnswer is false for notifications alone.
func wantsAnswer(line string) bool {
	var m struct {
		ID     any
		Method string
	}
	return json.Unmarshal([]byte(line), &m) != nil || m.ID != nil || !strings.HasPrefix(m.Method, "notifications/")
}
