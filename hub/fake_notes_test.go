package hub

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// fakeNotes is a Source that reports what it is about to change, as every one that
// writes does.
type fakeNotes struct {
	mu    sync.Mutex
	pages map[string]string
	// beforeWrite runs before a call that is not a dry run reports its Changes, as a
	// person's editor might.
	beforeWrite func(p *fakeNotes)
	writes      int
	// clockSkew is what the wall clock of its hub is ahead.
	clockSkew atomic.Int64
}

func (p *fakeNotes) Close() error                { return nil }
func (p *fakeNotes) Check(context.Context) error { return nil }

func (p *fakeNotes) State(_ context.Context, target string) (tools.State, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, there := p.pages[target]
	return tools.State{Exists: there, Data: []byte(text)}, nil
}

func (p *fakeNotes) Restore(context.Context, tools.CallContext, []tools.Change) error { return nil }

type (
	pageIn struct {
		Path string `json:"path" jsonschema:"the page"`
	}
	putIn struct {
		Path   string      `json:"path" jsonschema:"the page"`
		Text   string      `json:"text,omitempty" jsonschema:"its text"`
		DryRun bool        `json:"dry_run,omitempty" jsonschema:"change nothing"`
		Limit  tools.Limit `json:"limit,omitempty" jsonschema:"nothing"`
	}
	moveIn struct {
		From string `json:"from" jsonschema:"the page"`
		To   string `json:"to" jsonschema:"its new path"`
	}
	doneOut struct {
		Done bool `json:"done" jsonschema:"whether it was"`
	}
)

func (p *fakeNotes) Get(_ context.Context, in pageIn) (textOut, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return textOut{Text: p.pages[in.Path]}, nil
}

func (p *fakeNotes) Put(ctx context.Context, c tools.CallContext, in putIn) (doneOut, error) {
	if in.Path == "" {
		return doneOut{}, tools.Errorf(tools.Invalid, "path: is empty")
	}
	if in.DryRun {
		return doneOut{}, nil
	}
	err := p.change(ctx, c, map[string]*string{in.Path: &in.Text})
	return doneOut{err == nil}, err
}

// Sly writes although its call is a dry run.
func (p *fakeNotes) Sly(ctx context.Context, c tools.CallContext, in putIn) (doneOut, error) {
	err := p.change(ctx, c, map[string]*string{in.Path: &in.Text})
	return doneOut{err == nil}, err
}

// Twice reports in two parts.
func (p *fakeNotes) Twice(ctx context.Context, c tools.CallContext, in putIn) (doneOut, error) {
	if err := p.change(ctx, c, map[string]*string{in.Path: &in.Text}); err != nil {
		return doneOut{}, err
	}
	err := p.change(ctx, c, map[string]*string{in.Path + "2": &in.Text})
	return doneOut{err == nil}, err
}

func (p *fakeNotes) Drop(ctx context.Context, c tools.CallContext, in pageIn) (doneOut, error) {
	err := p.change(ctx, c, map[string]*string{in.Path: nil})
	return doneOut{err == nil}, err
}

func (p *fakeNotes) Move(ctx context.Context, c tools.CallContext, in moveIn) (doneOut, error) {
	s, err := p.State(ctx, in.From)
	if err != nil {
		return doneOut{}, err
	}
	err = p.change(ctx, c, map[string]*string{in.From: nil, in.To: new(string(s.Data))})
	return doneOut{err == nil}, err
}

func (p *fakeNotes) Run(context.Context, pageIn) (doneOut, error) { return doneOut{true}, nil }

func (p *fakeNotes) change(ctx context.Context, c tools.CallContext, to map[string]*string) error {
	if _, dryRun := c.Writes.(*tools.DryRun); !dryRun && p.beforeWrite != nil {
		p.beforeWrite(p)
	}
	var changes []tools.Change
	for _, target := range slices.Sorted(maps.Keys(to)) {
		before, err := p.State(ctx, target)
		if err != nil {
			return err
		}
		change := tools.Change{Target: target, Before: before}
		if text := to[target]; text != nil {
			change.After = tools.State{Exists: true, Data: []byte(*text)}
		}
		changes = append(changes, change)
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writes++
	for _, change := range changes {
		if change.After.Exists {
			p.pages[change.Target] = string(change.After.Data)
		} else {
			delete(p.pages, change.Target)
		}
	}
	return nil
}

// edit is a person's.
func (p *fakeNotes) edit(path, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[path] = text
}

func (p *fakeNotes) holds(path string) string {
	s, _ := p.State(context.Background(), path)
	return string(s.Data)
}

func notesKind(p *fakeNotes) tools.Kind {
	return tools.Erase(tools.System[*fakeNotes, struct{}]{
		Name: "notes", Title: "Notes", Doc: "For tests.",
		Open: func(context.Context, struct{}, tools.Env) (*fakeNotes, error) { return p, nil },
		Tools: []tools.Tool[*fakeNotes]{
			tools.Define(tools.Spec[pageIn, textOut]{Name: "get", Title: "Get", Doc: "Gets.", Effect: tools.Reads}, (*fakeNotes).Get),
			tools.DefineWithContext(tools.Spec[putIn, doneOut]{Name: "put", Title: "Put", Doc: "Puts.", Effect: tools.Writes}, (*fakeNotes).Put),
			tools.DefineWithContext(tools.Spec[putIn, doneOut]{Name: "sly", Title: "Sly", Doc: "Puts.", Effect: tools.Writes}, (*fakeNotes).Sly),
			tools.DefineWithContext(tools.Spec[putIn, doneOut]{Name: "twice", Title: "Twice", Doc: "Puts twice.", Effect: tools.Writes}, (*fakeNotes).Twice),
			tools.DefineWithContext(tools.Spec[pageIn, doneOut]{Name: "drop", Title: "Drop", Doc: "Drops.", Effect: tools.Deletes}, (*fakeNotes).Drop),
			tools.DefineWithContext(tools.Spec[moveIn, doneOut]{Name: "move", Title: "Move", Doc: "Moves.", Effect: tools.Writes}, (*fakeNotes).Move),
			tools.Define(tools.Spec[pageIn, doneOut]{Name: "run", Title: "Run", Doc: "Runs.", Effect: tools.Runs}, (*fakeNotes).Run),
			tools.Define(tools.Spec[pageIn, doneOut]{Name: "own", Title: "Own", Doc: "Owns.", Effect: tools.Admin}, (*fakeNotes).Run),
		},
	})
}

// A notesHub is a hub on one fakeNotes, source notes.
type notesHub struct {
	*testHub
	t     testing.TB
	notes *fakeNotes
}

func startNotes(t testing.TB, grants []policy.Grant, rules []policy.Rule, limits Limits) *notesHub {
	t.Helper()
	return startNotesOn(t, hubtest.NewBoard(), grants, rules, limits)
}

func startNotesOn(t testing.TB, on SnapshotStore, grants []policy.Grant, rules []policy.Rule, limits Limits) *notesHub {
	t.Helper()
	p := &fakeNotes{pages: map[string]string{"a": "one\n", "Journal/today": "secret plans\n"}}
	log := &hubtest.Log{}
	h := New(Config{
		Systems: []tools.Kind{notesKind(p)}, Sources: []Source{{Name: "notes", Kind: "notes"}}, Limits: limits,
		Now:     func() time.Time { return time.Now().Add(time.Duration(p.clockSkew.Load())) },
		Version: "1", Skill: "1", State: on, Log: slog.New(slog.NewTextHandler(log, nil)), Policy: policy.New(grants, rules),
	})
	if err := h.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return &notesHub{&testHub{h, hubtest.NewFakeSystemState(), nil, log}, t, p}
}

// An asker is one agent without a wire.
type testAgent struct {
	h   *notesHub
	s   *session
	who policy.Client
}

func (h *notesHub) agent(who policy.Client) *testAgent {
	s := h.sessions.newLocal("", "")
	s.Introduce(who.Name, "")
	if who.Proven {
		s.Proven = who.Name
	}
	return &testAgent{h, s, who}
}

type callOutcome struct {
	res tools.Result
	err *tools.Error
}

// begin calls a tool and delivers its outcome.
func (a *testAgent) startCall(ctx context.Context, tool, args string) <-chan callOutcome {
	out := make(chan callOutcome, 1)
	go func() {
		res, err := a.h.call(ctx, caller{a.s, a.who, a.h.toolsetOf(a.who), tools.ViaStdio}, mcp.Call{Tool: tool, Args: json.RawMessage(args)})
		out <- callOutcome{res, tools.AsError(err)}
	}()
	return out
}

// waiting is the one call that waits for a person.
func (h *notesHub) onlyPending() status.Approval {
	h.t.Helper()
	list := h.Approvals().Pending()
	if len(list) != 1 {
		h.t.Fatalf("%d calls wait, want one", len(list))
	}
	return list[0]
}

func (h *notesHub) answer(id string, allow bool, a status.Answer) {
	h.t.Helper()
	if err := h.Approvals().Answer(id, allow, a); err != nil {
		h.t.Fatal(err)
	}
}

func outcomeCode(o callOutcome) tools.Code {
	if o.err == nil {
		return "ok"
	}
	return o.err.Code
}

func askWrites() []policy.Grant {
	return []policy.Grant{{Source: "notes", Ask: []tools.Effect{tools.Writes, tools.Deletes, tools.Runs}}}
}

var cursor = policy.Client{Name: "cursor"}

func checkOutcome(t testing.TB, o callOutcome, want tools.Code, words string) {
	t.Helper()
	if outcomeCode(o) != want || o.err != nil && !strings.Contains(o.err.Message+". "+o.err.Hint, words) {
		t.Errorf("got %s (%v), want %s with %q", outcomeCode(o), o.err, want, words)
	}
}
