package hub_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// fakeFiles is a crashSource that hides files by name and writes several.
type fakeFiles struct {
	*crashSource

	privacy tools.Privacy
}

// HidesChange implements [tools.ChangeFilter].
func (c *fakeFiles) HidesChange(_ context.Context, change tools.Change) (bool, error) {
	return c.privacy.Hides(tools.Page{Path: change.Target}), nil
}

type fileIn struct {
	Files map[string]string `json:"files" jsonschema:"texts by name; an empty one removes the file"`
}

// File writes files, in the order of their names.
func (c *fakeFiles) File(ctx context.Context, to tools.CallContext, in fileIn) (none, error) {
	var changes []tools.Change
	for _, name := range slices.Sorted(maps.Keys(in.Files)) {
		text := in.Files[name]
		before, err := c.State(ctx, name)
		if err != nil {
			return none{}, err
		}
		changes = append(changes, tools.Change{Target: name, Before: before, After: tools.State{Exists: text != "", Data: []byte(text)}})
	}
	return none{}, c.change(ctx, to, changes)
}

// List is named like a tool of the hub.
func (c *fakeFiles) List(context.Context, none) (none, error) { return none{}, nil }

func filesKind(dir string, more ...tools.Tool[*fakeFiles]) tools.Kind {
	return tools.Erase(tools.System[*fakeFiles, struct{}]{
		Name: "files", Title: "Files", Doc: "For tests.",
		Open: func(_ context.Context, _ struct{}, env tools.Env) (*fakeFiles, error) {
			return &fakeFiles{&crashSource{dir: filepath.Join(dir, env.Name)}, env.Privacy}, nil
		},
		Tools: append([]tools.Tool[*fakeFiles]{
			tools.DefineWithContext(tools.Spec[fileIn, none]{Name: "file", Title: "File", Doc: "Writes files.", Effect: tools.Writes}, (*fakeFiles).File),
		}, more...),
	})
}

// filesHub is a hub with fakeFiles, a journal and the tools for own changes.
type filesHub struct {
	*testHub
	t   *testing.T
	dir string
}

func startFiles(t *testing.T, change func(*hub.Config)) *filesHub {
	t.Helper()
	dir, log := t.TempDir(), &hubtest.Log{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	j := journal.New(journal.Options{Dir: filepath.Join(dir, "journal"), Now: time.Now, Log: logger})
	conf := hub.Config{
		Systems: []tools.Kind{filesKind(dir)}, Sources: []hub.Source{{Name: "notes", Kind: "files"}},
		Version: "1", Skill: "1", State: hubtest.NewFakeSnapshotStore(), Now: time.Now, Log: logger, Journal: j, OwnChanges: true,
	}
	if change != nil {
		change(&conf)
	}
	for _, s := range conf.Sources {
		if err := os.MkdirAll(filepath.Join(dir, s.Name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	h := hub.New(conf)
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return &filesHub{&testHub{Hub: h, log: log}, t, dir}
}

// id is the ID of the nth Change of anybody, of which the first is the oldest.
func (o *filesHub) id(n int) string {
	o.t.Helper()
	found, err := o.Changes().List(o.t.Context(), status.Filter{})
	if err != nil || len(found.Changes) < n {
		o.t.Fatalf("%d changes, %v", len(found.Changes), err)
	}
	return found.Changes[len(found.Changes)-n].ID
}

// holds is what a file of notes holds; empty: it is not there.
func (o *filesHub) holds(name string) string {
	data, err := os.ReadFile(filepath.Join(o.dir, "notes", name))
	if err != nil {
		return ""
	}
	return string(data)
}

// edit is a person at work.
func (o *filesHub) edit(name, text string) {
	o.t.Helper()
	if err := os.WriteFile(filepath.Join(o.dir, "notes", name), []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
}

// A filesAgent is an agent of a filesHub.
type filesAgent struct{ *agent }

func (o *filesHub) agent(who policy.Client) filesAgent {
	return filesAgent{newAgent(o.t, o.testHub, who)}
}

func (a filesAgent) list(args string) tools.ListChangesOut {
	a.t.Helper()
	var out tools.ListChangesOut
	if err := json.Unmarshal(a.mustCall("list_changes", args), &out); err != nil {
		a.t.Fatal(err)
	}
	return out
}

// ids are those of the own Changes, newest first.
func (a filesAgent) ids() []string {
	a.t.Helper()
	ids := []string{}
	for _, change := range a.list(`{}`).Changes {
		ids = append(ids, change.ID)
	}
	return ids
}
