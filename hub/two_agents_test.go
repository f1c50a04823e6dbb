package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/internal/sqlstore/pgtest"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace"
)

var postgres pgtest.Server

// rounds is how often two agents write: 10,000 times in `make soak PART=notes`.
func rounds(t *testing.T) int {
	t.Helper()
	s := os.Getenv("ROUNDS")
	if s == "" {
		return runtest.Size(40, 16, 8)
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Two who write to one note at the same moment, each after both have read it, lose nothing: scripts,
// a tool, and a program over REST, with the same text or another. One of them is told that
// it is written, and it is; the other is told of a conflict, and nothing of it is left, in the
// note or in the journal.
func TestTwoAgentsLoseNothing(t *testing.T) {
	for name, database := range map[string]func(t *testing.T) string{
		"sqlite": func(*testing.T) string { return "" }, "postgres": func(t *testing.T) string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newTwoWriters(t, database(t))
			for round := range rounds(t) {
				revision := w.read().Revision
				texts := [2]string{fmt.Sprintf("round %d", round), fmt.Sprintf("round %d", round)}
				if round%4 == 3 {
					texts[1] += " of another"
				}
				written := w.writeBoth(round, revision, texts)
				winner := 0
				if written[1] == nil {
					winner = 1
				}
				if (written[0] == nil) == (written[1] == nil) {
					t.Fatalf("round %d: %v", round, written)
				}
				if lost := written[1-winner].Error(); !strings.Contains(lost, "changed in the meantime") || strings.Contains(lost, "taken back") {
					t.Errorf("round %d: the other was told: %s", round, lost)
				}
				text := texts[winner]
				if note := w.read(); note.Markdown != text || note.Revision == revision {
					t.Fatalf("round %d: %s was told that %q is written, and the note holds %q", round, w.names(round)[winner], text, note.Markdown)
				}
			}
			w.checkJournal(rounds(t))
			w.undoAll()
			if note := w.read(); note.Markdown != "start" {
				t.Errorf("after the undo of all the note holds %q", note.Markdown)
			}
		})
	}
}

// twoWriters write to the note n of the workspace ws.
type twoWriters struct {
	*testing.T
	hub    *testHub
	agents [2]*agent
	http   []string // headers of the program that writes over REST
	send   func(method, path, body string, header ...string) (*http.Response, string)
}

func newTwoWriters(t *testing.T, database string) *twoWriters {
	t.Helper()
	j := journal.New(journal.Options{Dir: t.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	options := fmt.Appendf(nil, `{"folder":%q}`, t.TempDir())
	if database != "" {
		options = []byte(`{"database":"env:DATABASE"}`)
	}
	h := startWith(t, hub.Config{
		Systems: []tools.Kind{workspace.System()}, Journal: j, Sources: []hub.Source{{Name: "ws", Kind: "workspace", Options: options}},
		Policy:       policy.New([]policy.Grant{{Effects: tools.Effects()}}, nil),
		Limits:       hub.Limits{Computing: 2}, // two scripts run at the same time
		VerifyClient: func(r *http.Request) string { return r.Header.Get("X-Client") },
		Reveal:       func(context.Context, tools.Secret) (string, error) { return database, nil },
	})
	w := &twoWriters{T: t, hub: h, send: serveRoutes(t, h.Hub).Do, http: []string{"Authorization", "Bearer client", "X-Client", "program"}}
	for i := range w.agents {
		w.agents[i] = newAgent(t, h, policy.Client{Name: fmt.Sprint("agent", i), Proven: true})
	}
	w.agents[0].mustCall("write_note", `{"note_id":"n","markdown":"start"}`)
	return w
}

type readNote struct {
	Markdown string
	Revision string `json:"revision_id"`
}

func (w *twoWriters) read() (n readNote) {
	w.Helper()
	if err := json.Unmarshal(w.agents[0].mustCall("read_note", `{"note_id":"n"}`), &n); err != nil {
		w.Fatal(err)
	}
	return n
}

func (*twoWriters) names(round int) [2]string {
	return [][2]string{{"a script", "a script"}, {"a program", "a script"}, {"a tool", "a script"}}[round%3]
}

// writeBoth has two write at the same time, from the same revision. The error of one is nil if it
// was told that its text is written.
func (w *twoWriters) writeBoth(round int, revision string, texts [2]string) (told [2]error) {
	w.Helper()
	args := func(text string) string { return fmt.Sprintf(`"markdown":%q,"parent_revision_id":%q`, text, revision) }
	script := func(i int) <-chan callOutcome {
		code := fmt.Sprintf(`kb.notes.get("n"); kb.notes.update("n", {%s})`, args(texts[i]))
		in, err := json.Marshal(map[string]string{"workspace_id": "ws", "code": code})
		if err != nil {
			w.Fatal(err)
		}
		return w.agents[i].startCall("run_script", string(in))
	}
	var first <-chan callOutcome
	second := script(1)
	switch w.names(round)[0] {
	case "a program":
		r, body := w.send("PUT", "/workspaces/ws/notes/n", "{"+args(texts[0])+"}", w.http...)
		if r.StatusCode != http.StatusOK {
			told[0] = fmt.Errorf("%d %s", r.StatusCode, body)
		}
	case "a tool":
		first = w.agents[0].startCall("write_note", `{"note_id":"n",`+args(texts[0])+"}")
	default:
		first = script(0)
	}
	for i, out := range []<-chan callOutcome{first, second} {
		if out == nil {
			continue
		}
		if got := <-out; got.code != "ok" {
			told[i] = fmt.Errorf("%s %s", got.code, got.text)
		}
	}
	return told
}

// What a script deletes and what it writes is written at once: both are recorded, or neither.
func TestScriptDeletesAndWritesAtOnce(t *testing.T) {
	w := newTwoWriters(t, "")
	last := func() (all []string) {
		t.Helper()
		found, err := w.hub.Changes().List(t.Context(), status.Filter{Source: "ws"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found.Changes[:len(found.Changes)-1] {
			all = append(all, c.Action+" "+c.Target+" "+string(c.Outcome))
		}
		return all
	}
	run := func(code string) callOutcome {
		in, err := json.Marshal(map[string]string{"workspace_id": "ws", "code": code})
		if err != nil {
			t.Fatal(err)
		}
		return w.agents[0].call("run_script", string(in))
	}
	if got := run(`kb.notes.delete("n"); kb.notes.create({id:"n",markdown:"x"}); kb.notes.delete("n"); throw 1`); got.code == "ok" || len(last()) > 0 {
		t.Errorf("a script that failed: %v, %q", got, last())
	}
	if got := run(`kb.notes.delete("n"); kb.notes.create({id:"m",markdown:"x"})`); got.code != "ok" {
		t.Fatal(got)
	}
	if got := strings.Join(last(), ", "); got != "create ws/m written, delete ws/n written" {
		t.Errorf("recorded %q", got)
	}
}

// Where the answer to a commit is lost, the source looks whether the note has the revision. If it
// has not, nobody knows: that is recorded, nothing is taken back, and the agent is told.
func TestLostCommitOfANote(t *testing.T) {
	way := postgres.NewFaultConnection(t)
	w := newTwoWriters(t, way.URL)
	for name, c := range map[string]struct {
		lose        func()
		tool, args  string
		text, state string // what the agent is told; empty: that it is written
	}{
		"a tool, its answer":   {way.InterruptAnswer, "write_note", `{"note_id":"n1","markdown":"made"}`, "", "n1 written"},
		"a tool, its commit":   {way.InterruptCommit, "write_note", `{"note_id":"n2","markdown":"lost"}`, "may or may not have been written", "n2 unknown"},
		"a script, its commit": {way.InterruptCommit, "run_script", `{"workspace_id":"ws","code":"kb.notes.create({id:'n3',markdown:'lost'})"}`, "except ws/n3", "n3 unknown"},
		"a script, its answer": {way.InterruptAnswer, "run_script", `{"workspace_id":"ws","code":"kb.notes.create({id:'n4',markdown:'made'})"}`, "", "n4 written"},
	} {
		c.lose()
		got := w.agents[0].call(c.tool, c.args)
		if (got.code == "ok") != (c.text == "") || !strings.Contains(got.text, c.text) {
			t.Errorf("%s: %s %s", name, got.code, got.text)
		}
		found, err := w.hub.Changes().List(t.Context(), status.Filter{Source: "ws", Limit: 1})
		if err != nil || len(found.Changes) != 1 {
			t.Fatal(found, err)
		}
		if last := strings.TrimPrefix(found.Changes[0].Target, "ws/") + " " + string(found.Changes[0].Outcome); last != c.state {
			t.Errorf("%s: recorded as %s, want %s", name, last, c.state)
		}
	}
}

// checkJournal checks that the journal has what was written, and nothing else.
func (w *twoWriters) checkJournal(rounds int) {
	w.Helper()
	found, err := w.hub.Changes().List(w.Context(), status.Filter{Source: "ws", Limit: 2 * (rounds + 1)})
	if err != nil || len(found.Changes) != rounds+1 {
		w.Fatalf("%d changes are recorded, want %d (%v)", len(found.Changes), rounds+1, err)
	}
	for _, c := range found.Changes {
		if c.Outcome != status.Written {
			w.Errorf("a change by %s is recorded as %s", c.Client, c.Outcome)
		}
	}
}

// undoAll undoes all writes but the first.
func (w *twoWriters) undoAll() {
	w.Helper()
	found, err := w.hub.Changes().List(w.Context(), status.Filter{Source: "ws", Limit: 1 << 20})
	if err != nil {
		w.Fatal(err)
	}
	var ids []string
	for _, c := range found.Changes[:len(found.Changes)-1] {
		ids = append(ids, c.ID)
	}
	if err := w.hub.Changes().Undo(w.Context(), status.Filter{IDs: ids}); err != nil {
		w.Fatal(err)
	}
}
