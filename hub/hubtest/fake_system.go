// Package hubtest is what the tests of hub and hub/mcp share: a fake System whose
// tools do what a tool can do to a hub, a store for snapshots, a log, and a client
// of a stream. It does not know the hub, so that tests inside it can use it.
//
// Start reading at [NewFakeKind] and [Client].
package hubtest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A FakeSystemState is what the sources of a test stand on.
type FakeSystemState struct {
	mu          sync.Mutex
	unavailable map[string]bool // sources that cannot be opened, by name
	Started     chan string     // the name of each blocking call that has begun
	Free        chan struct{}   // lets a stubborn call return
	open        atomic.Int64
	env         map[string]tools.Env
}

// NewFakeSystemState makes a state in which every source can be opened.
func NewFakeSystemState() *FakeSystemState {
	return &FakeSystemState{
		unavailable: map[string]bool{}, Started: make(chan string, 10_000), Free: make(chan struct{}), env: map[string]tools.Env{},
	}
}

// CountOpenSources counts the sources that are open.
func (w *FakeSystemState) CountOpenSources() int { return int(w.open.Load()) }

// SetUnavailable makes a source impossible to open, or possible again.
func (w *FakeSystemState) SetUnavailable(name string, lost bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unavailable[name] = lost
}

func (w *FakeSystemState) unavailableError(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unavailable[name] {
		return tools.Errorf(tools.Unavailable, "the folder is gone")
	}
	return nil
}

// NotifyResourceChanged announces that a resource of a source changed.
func (w *FakeSystemState) NotifyResourceChanged(source, uri string) {
	w.mu.Lock()
	env := w.env[source]
	w.mu.Unlock()
	env.ResourceChanged(uri)
}

type fakeSystem struct {
	world *FakeSystemState
	name  string
}

func (d *fakeSystem) Close() error                { d.world.open.Add(-1); return nil }
func (d *fakeSystem) Check(context.Context) error { return d.world.unavailableError(d.name) }

type (
	emptyMessage struct{}
	textIn       struct {
		Text string `json:"text" jsonschema:"what to say"`
	}
	textOut struct {
		Text string `json:"text" jsonschema:"what was said"`
		From string `json:"from" jsonschema:"the source"`
	}
	countIn struct {
		Count int         `json:"count" jsonschema:"how many"`
		Limit tools.Limit `json:"limit,omitempty" jsonschema:"most entries"`
	}
)

func (d *fakeSystem) Say(_ context.Context, in textIn) (textOut, error) {
	return textOut{in.Text, d.name}, nil
}

func (d *fakeSystem) WriteNothing(_ context.Context, in textIn) (textOut, error) {
	return textOut{in.Text, d.name}, nil
}

func (d *fakeSystem) RemoveNothing(context.Context, emptyMessage) (emptyMessage, error) {
	return emptyMessage{}, nil
}

func (d *fakeSystem) Wait(ctx context.Context, _ emptyMessage) (emptyMessage, error) {
	d.world.Started <- "wait"
	<-ctx.Done()
	d.world.Started <- "ended"
	return emptyMessage{}, ctx.Err()
}

func (d *fakeSystem) IgnoreCancel(context.Context, emptyMessage) (emptyMessage, error) {
	d.world.Started <- "stubborn"
	<-d.world.Free
	return emptyMessage{}, nil
}

func (d *fakeSystem) Panic(context.Context, emptyMessage) (emptyMessage, error) {
	panic("the secret of note 7")
}

func (d *fakeSystem) FailWithSecret(context.Context, emptyMessage) (emptyMessage, error) {
	return emptyMessage{}, errors.New("open /home/me/secret: permission denied")
}

func (d *fakeSystem) AnswerNotFound(context.Context, emptyMessage) (emptyMessage, error) {
	return emptyMessage{}, tools.Errorf(tools.NotFound, "no page named x").WithHint("Search first.")
}

func (d *fakeSystem) AnswerLarge(_ context.Context, in countIn) (textOut, error) {
	return textOut{strings.Repeat("x", in.Count), d.name}, nil
}

func (d *fakeSystem) ReportProgress(_ context.Context, c tools.CallContext, in countIn) (emptyMessage, error) {
	for i := range in.Count {
		c.Progress(float64(i), float64(in.Count), "")
		c.Log(slog.LevelInfo, "step")
	}
	return emptyMessage{}, nil
}

// NotifyAfterAnswer goes on talking after it has answered.
func (d *fakeSystem) NotifyAfterAnswer(_ context.Context, c tools.CallContext, _ emptyMessage) (emptyMessage, error) {
	go func() {
		<-d.world.Free
		c.Progress(1, 1, "")
		c.Log(slog.LevelError, "late")
		d.world.Started <- "said"
	}()
	return emptyMessage{}, nil
}

func (d *fakeSystem) page(_ context.Context, uri string, vars map[string]string) (tools.Content, error) {
	switch vars["page"] {
	case "missing":
		return tools.Content{}, tools.Errorf(tools.NotFound, "no page named missing")
	case "twins":
		return tools.Content{}, tools.Errorf(tools.Conflict, "several pages are named twins")
	}
	if code := tools.Code(vars["page"]); slices.Contains(tools.Codes(), code) {
		return tools.Content{}, tools.Errorf(code, "this page is %s", code)
	}
	return tools.Content{Text: d.name + ":" + uri}, nil
}

func (d *fakeSystem) completePages(_ context.Context, _, prefix string) ([]string, error) {
	return []string{prefix + "1", prefix + "2"}, nil
}

// NewFakeKind is a System for tests of the hub: its tools do what a tool can do
// to a hub.
func NewFakeKind(w *FakeSystemState) tools.Kind {
	type wire struct {
		Error string `json:"error" jsonschema:"message"`
		Code  string `json:"code" jsonschema:"code"`
	}
	define := func(name string, e tools.Effect) tools.Spec[emptyMessage, emptyMessage] {
		return tools.Spec[emptyMessage, emptyMessage]{Name: name, Title: name, Doc: "Does " + name + ".", Effect: e}
	}
	spare := define("spare", tools.Reads)
	spare.OptIn = true
	return tools.Erase(tools.System[*fakeSystem, struct{}]{
		Name: "desk", Title: "Desk", Doc: "For tests.", RemoteKey: "url",
		Open: func(_ context.Context, _ struct{}, env tools.Env) (*fakeSystem, error) {
			if err := w.unavailableError(env.Name); err != nil {
				return nil, err
			}
			w.mu.Lock()
			w.env[env.Name] = env
			w.mu.Unlock()
			w.open.Add(1)
			return &fakeSystem{w, env.Name}, nil
		},
		ErrorFormat: tools.NewErrorFormat(map[tools.Code]string{tools.NotFound: "PAGE_MISSING"}, func(code string, e *tools.Error) wire {
			return wire{e.Message, code}
		}),
		Tools: []tools.Tool[*fakeSystem]{
			tools.Define(tools.Spec[textIn, textOut]{Name: "say", Title: "Say", Doc: "Says it again.", Effect: tools.Reads}, (*fakeSystem).Say),
			tools.Define(tools.Spec[textIn, textOut]{
				Name: "write", Title: "Write", Doc: "Writes it.", Effect: tools.Writes,
			}, (*fakeSystem).WriteNothing),
			tools.Define(define("remove", tools.Deletes), (*fakeSystem).RemoveNothing),
			tools.Define(define("wait", tools.Reads), (*fakeSystem).Wait),
			tools.Define(define("stubborn", tools.Reads), (*fakeSystem).IgnoreCancel),
			tools.Define(define("panic", tools.Reads), (*fakeSystem).Panic),
			tools.Define(define("break", tools.Reads), (*fakeSystem).FailWithSecret),
			tools.Define(define("miss", tools.Reads), (*fakeSystem).AnswerNotFound),
			tools.Define(tools.Spec[countIn, textOut]{Name: "big", Title: "Big", Doc: "Answers much.", Effect: tools.Reads},
				(*fakeSystem).AnswerLarge),
			tools.DefineWithContext(tools.Spec[countIn, emptyMessage]{Name: "count", Title: "Count", Doc: "Counts.", Effect: tools.Reads},
				(*fakeSystem).ReportProgress),
			tools.DefineWithContext(define("late", tools.Reads), (*fakeSystem).NotifyAfterAnswer),
			tools.Define(define("own", tools.Admin), (*fakeSystem).RemoveNothing),
			tools.Define(spare, (*fakeSystem).RemoveNothing),
		},
		Resources: []tools.Resource[*fakeSystem]{
			{Name: "index", Title: "Index", URI: "desk://{source}/index", MIME: "text/plain", Read: (*fakeSystem).resource},
			{
				Name: "page", Title: "Page", URI: "desk://{source}/pages/{page}", MIME: "text/plain", Read: (*fakeSystem).resource,
				Complete: (*fakeSystem).complete,
			},
		},
		Prompts: []tools.Prompt[*fakeSystem]{{
			Name: "greet", Title: "Greet", Doc: "Greets.", Arguments: []tools.PromptArgument{{Name: "who", Doc: "whom", Required: true}},
			Get: func(d *fakeSystem, _ context.Context, args map[string]string) ([]tools.Message, error) {
				return []tools.Message{{Content: tools.Content{Kind: tools.Text, Text: "Greet " + args["who"] + " from " + d.name}}}, nil
			},
		}},
	})
}

func (d *fakeSystem) resource(ctx context.Context, uri string, vars map[string]string) (tools.Content, error) {
	return d.page(ctx, uri, vars)
}

func (d *fakeSystem) complete(ctx context.Context, variable, prefix string) ([]string, error) {
	return d.completePages(ctx, variable, prefix)
}

// NewFakeOrgKind has names in the form that keeps its System's.
func NewFakeOrgKind(w *FakeSystemState) tools.Kind {
	return tools.Erase(tools.System[*fakeSystem, struct{}]{
		Name: "org", Title: "Org", Doc: "For tests.",
		Open: func(_ context.Context, _ struct{}, env tools.Env) (*fakeSystem, error) {
			w.open.Add(1)
			return &fakeSystem{w, env.Name}, nil
		},
		Tools: []tools.Tool[*fakeSystem]{tools.Define(tools.Spec[textIn, textOut]{
			Name: "org-say", Title: "Say", Doc: "Says it.", Effect: tools.Reads,
		},
			(*fakeSystem).Say)},
	})
}

// A FakeSnapshotStore is a SnapshotStore that tests wait for.
type FakeSnapshotStore struct {
	notifyingMutex
	snapshot status.Snapshot
	problems map[string]status.Problem
}

// NewFakeSnapshotStore makes an empty store.
func NewFakeSnapshotStore() *FakeSnapshotStore {
	return &FakeSnapshotStore{problems: map[string]status.Problem{}}
}

// Update implements hub.SnapshotStore.
func (b *FakeSnapshotStore) Update(f func(*status.Snapshot)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(&b.snapshot)
	b.notifyWaiters()
}

// WaitFor returns when the snapshot is ok.
func (b *FakeSnapshotStore) WaitFor(t testing.TB, ok func(status.Snapshot) bool) {
	t.Helper()
	b.waitUntil(t, func() bool { return ok(b.snapshot) })
}

func (b *FakeSnapshotStore) RaiseProblem(p status.Problem) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems[p.Code+" "+p.Component] = p
}

func (b *FakeSnapshotStore) ClearProblem(code, component string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.problems, code+" "+component)
}

// Problem returns the problem raised as "code component".
func (b *FakeSnapshotStore) Problem(key string) (status.Problem, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p, ok := b.problems[key]
	return p, ok
}

// LastSnapshot returns the last snapshot.
func (b *FakeSnapshotStore) LastSnapshot() status.Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.snapshot
}

// A Log keeps what was written to it, and tests wait for it.
type Log struct {
	b strings.Builder
	notifyingMutex
}

func (s *Log) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notifyWaiters()
	return s.b.Write(p)
}

// WaitFor returns when text has been written.
func (s *Log) WaitFor(t testing.TB, text string) {
	t.Helper()
	s.waitUntil(t, func() bool { return strings.Contains(s.b.String(), text) })
}

// notifyingMutex is a mutex with a way to wait for a change of what it guards.
type notifyingMutex struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next change; nil: no test waits
}

// notifyWaiters is called with mu held.
func (w *notifyingMutex) notifyWaiters() {
	if w.next != nil {
		close(w.next)
		w.next = nil
	}
}

func (w *notifyingMutex) waitUntil(t testing.TB, ok func() bool) {
	t.Helper()
	timeout := time.After(runtest.Timeout)
	for {
		w.mu.Lock()
		done := ok()
		if w.next == nil {
			w.next = make(chan struct{})
		}
		next := w.next
		w.mu.Unlock()
		if done {
			return
		}
		select {
		case <-next:
		case <-timeout:
			t.Fatal("it did not happen")
		}
	}
}

func (s *Log) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
