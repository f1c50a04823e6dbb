package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/typescript"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == typescript.ChildArgument {
		if err := typescript.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// testSystem is the System with a sandbox that stays open from one test to the next:
// to open one compiles the engine, which takes seconds under the race detector.
// TestSchedule opens and closes its own. The suite opens sources with equal workspaces.
var testSystem = sync.OnceValue(func() tools.Kind {
	shared := &sharedSandbox{}
	shared.use()
	return newSystem(shared, nil)
})

// openStore is a second look at the database of a source.
func openStore(t testing.TB, dir string) *notestore.Store {
	t.Helper()
	store, err := notestore.Open(context.Background(), notestore.Options{Database: filepath.Join(dir, databaseFile), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// serveAll makes requests as a person would, who sees everything.
func serveAll(t testing.TB, store *notestore.Store, requests ...notesapi.Request) {
	t.Helper()
	api := notesapi.New(notesapi.Options{Store: store})
	h := fnv.New64a()
	fmt.Fprint(h, requests) // equal requests, equal ids
	overlay := api.Begin(notesapi.Caller{Began: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Seed: h.Sum64()})
	for _, r := range requests {
		if a := overlay.Serve(t.Context(), r); a.Status >= 400 {
			t.Fatalf("%s %s: %d %s", r.Method, r.Path, a.Status, a.Body)
		}
	}
	if err := overlay.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// newWelcome is a folder with a store that has the workspaces named, filled.
func newWelcome(t testing.TB, workspaces ...string) (dir string, store *notestore.Store) {
	t.Helper()
	dir = t.TempDir()
	store = openStore(t, dir)
	for _, id := range workspaces {
		more, err := welcomeRequests(id)
		if err != nil {
			t.Fatal(err)
		}
		restored := notesapi.Request{Method: http.MethodPost, Path: "/workspaces", Body: fmt.Appendf(nil, `{"id":%q}`, id)}
		serveAll(t, store, append([]notesapi.Request{restored}, more...)...)
		path := "/workspaces/" + id + "/notes/pay-rent"
		edit(t, store, path, "# Pay the rent\n\n## Status\ndone\n")
		edit(t, store, path, "---\ntags: [team, money]\n---\n# Pay the rent\n\n## Status\npending\n\n## Due\n2025-12-01\n")
	}
	return dir, store
}

// edit writes a note as a person would, new or not.
func edit(t testing.TB, store *notestore.Store, path, markdown string) {
	t.Helper()
	now := notesapi.New(notesapi.Options{Store: store}).Begin(notesapi.Caller{}).Serve(context.Background(), notesapi.Request{Method: http.MethodGet, Path: path})
	var note struct {
		Revision string `json:"revision_id"`
	}
	if now.Status == http.StatusOK {
		if err := json.Unmarshal(now.Body, &note); err != nil {
			t.Fatal(err)
		}
		body := fmt.Appendf(nil, `{"markdown":%q,"parent_revision_id":%q}`, markdown, note.Revision)
		serveAll(t, store, notesapi.Request{Method: http.MethodPut, Path: path, Body: body})
		return
	}
	list, id := filepath.Split(path)
	serveAll(t, store, notesapi.Request{Method: http.MethodPost, Path: strings.TrimSuffix(list, "/"), Body: fmt.Appendf(nil, `{"id":%q,"markdown":%q}`, id, markdown)})
}

// digest is everything that notes, links and classes are now. The history is not
// part of it: an undo adds to that.
func digest(store *notestore.Store) string {
	ctx, all, h := context.Background(), store.Begin(notestore.View{}), sha256.New()
	workspaces, err := all.Documents(ctx, "", notestore.WorkspaceKind, "", 1000)
	if err != nil {
		return err.Error()
	}
	for _, ws := range workspaces {
		fmt.Fprintln(h, ws.Workspace, ws.Body)
		for _, kind := range []notestore.Kind{notestore.ClassKind, notestore.LinkKind, notestore.AttachmentKind, notestore.ScriptKind} {
			docs, err := all.Documents(ctx, ws.Workspace, kind, "", 1000)
			if err != nil {
				return err.Error()
			}
			for _, d := range docs {
				fmt.Fprintln(h, d.Kind, d.ID, d.Body, d.Source, d.Target)
			}
		}
		states := map[string]string{}
		var ids []string
		if err := all.Notes(ctx, ws.Workspace, notestore.Selection{}, 1000, func(r notestore.Record) bool {
			ids = append(ids, r.ID)
			return true
		}); err != nil {
			return err.Error()
		}
		for _, id := range ids {
			s, err := all.State(ctx, ws.Workspace+"/"+id)
			if err != nil {
				return err.Error()
			}
			states[id] = string(s.Data)
		}
		fmt.Fprintln(h, states) // a map is printed in the order of its keys
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestSystem(t *testing.T) {
	kind := testSystem()
	// While one source is open, the others have its sandbox.
	open, err := kind.Open(t.Context(), fmt.Appendf(nil, `{"folder":%q}`, t.TempDir()), tools.Env{Name: "first"})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if _, err := open.Call(t.Context(), tools.CallContext{}, "run_script", []byte(`{"code":"1","workspace_id":"first"}`)); err != nil {
		t.Fatal(err)
	}
	toolstest.Run(t, kind, func(t testing.TB) toolstest.Fixture {
		dir, store := newWelcome(t, "ws", "one", "two")
		put := func(id, text, tag string) {
			edit(t, store, "/workspaces/one/notes/"+id, "---\ntags: ["+tag+"]\n---\n"+text)
		}
		return toolstest.Fixture{
			Config: Config{Folder: tools.Folder(dir)},
			Digest: func() string { return digest(store) },
			URIs: []string{
				"ieapp://ws/notes/list", "ieapp://ws/notes/weekly-sync", "ieapp://ws/notes/weekly-sync/history", "ieapp://ws/classes", "ieapp://ws/links",
				"workspace://one/notes/list", "workspace://one/notes/pay-rent",
			},
			Names: []string{"ws", "one", "weekly-sync", "pay-rent", "welcome", "book-room", "Task", "Meeting", "team"},
			Edit: func(seed uint64) {
				put([]string{"pay-rent", "welcome"}[seed%2], fmt.Sprintf("# By hand %d\n\n## Status\ndone\n", seed), "hand")
			},
			Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "one/private*/**"}, {Tag: "secret"}}},
			Hide: func(round int) []string {
				put("private-plan", fmt.Sprintf("# Private plan\n\nSee [[weekly-sync]] %d.\n", round), "team")
				put("diary", fmt.Sprintf("# Diary\n\nDear [[welcome]] %d.\n", round), "secret")
				put("milky", fmt.Sprintf("# Milky\n\nNear [[pay-rent]] %d.\n", round), "secret/deep")
				return []string{"private-plan", "diary", "milky", "secret", "Private plan", "one/diary"}
			},
		}
	})
}
