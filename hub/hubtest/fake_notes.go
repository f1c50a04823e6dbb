package hubtest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/tools"
)

// A FakeNotes is a Source that reports what it is about to change, as every one that
// writes does.
type FakeNotes struct {
	mu    sync.Mutex
	pages map[string]string
	// BeforeWrite runs before a call that is not a dry run reports its Changes, as a
	// person's editor might.
	BeforeWrite func(p *FakeNotes)
	Writes      int // calls that wrote
	// ClockOffset is what the wall clock of its hub is ahead.
	ClockOffset atomic.Int64
}

// NewFakeNotes makes a source with two pages.
func NewFakeNotes() *FakeNotes {
	return &FakeNotes{pages: map[string]string{"a": "one\n", "Journal/today": "secret plans\n"}}
}

func (p *FakeNotes) Close() error                { return nil }
func (p *FakeNotes) Check(context.Context) error { return nil }

func (p *FakeNotes) State(_ context.Context, target string) (tools.State, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, there := p.pages[target]
	return tools.State{Exists: there, Data: []byte(text)}, nil
}

func (p *FakeNotes) Restore(context.Context, tools.CallContext, []tools.Change) error { return nil }

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

// AuditDetails implements [tools.AuditProvider].
func (o doneOut) AuditDetails() map[string]any { return map[string]any{"done": o.Done} }

func (p *FakeNotes) Get(_ context.Context, in pageIn) (textOut, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return textOut{Text: p.pages[in.Path]}, nil
}

func (p *FakeNotes) Put(ctx context.Context, c tools.CallContext, in putIn) (doneOut, error) {
	if in.Path == "" {
		return doneOut{}, tools.Errorf(tools.Invalid, "path: is empty")
	}
	if in.DryRun {
		return doneOut{}, nil
	}
	to := map[string]*string{in.Path: &in.Text}
	if folder, _, in := strings.Cut(in.Path, "/"); in && p.Text(folder+"/") == "" {
		to[folder+"/"] = new("folder")
	}
	err := p.change(ctx, c, to)
	return doneOut{err == nil}, err
}

// writeDespiteDryRun writes although its call is a dry run.
func (p *FakeNotes) writeDespiteDryRun(ctx context.Context, c tools.CallContext, in putIn) (doneOut, error) {
	err := p.change(ctx, c, map[string]*string{in.Path: &in.Text})
	return doneOut{err == nil}, err
}

// writeInTwoParts reports in two parts.
func (p *FakeNotes) writeInTwoParts(ctx context.Context, c tools.CallContext, in putIn) (doneOut, error) {
	if err := p.change(ctx, c, map[string]*string{in.Path: &in.Text}); err != nil {
		return doneOut{}, err
	}
	err := p.change(ctx, c, map[string]*string{in.Path + "2": &in.Text})
	return doneOut{err == nil}, err
}

func (p *FakeNotes) deletePage(ctx context.Context, c tools.CallContext, in pageIn) (doneOut, error) {
	err := p.change(ctx, c, map[string]*string{in.Path: nil})
	return doneOut{err == nil}, err
}

func (p *FakeNotes) Move(ctx context.Context, c tools.CallContext, in moveIn) (doneOut, error) {
	s, err := p.State(ctx, in.From)
	if err != nil {
		return doneOut{}, err
	}
	err = p.change(ctx, c, map[string]*string{in.From: nil, in.To: new(string(s.Data))})
	return doneOut{err == nil}, err
}

func (p *FakeNotes) RunNothing(context.Context, pageIn) (doneOut, error) { return doneOut{true}, nil }

func (p *FakeNotes) change(ctx context.Context, c tools.CallContext, to map[string]*string) error {
	if _, dryRun := c.Writes.(*tools.DryRun); !dryRun && p.BeforeWrite != nil {
		p.BeforeWrite(p)
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
	p.Writes++
	for _, change := range changes {
		if change.After.Exists {
			p.pages[change.Target] = string(change.After.Data)
		} else {
			delete(p.pages, change.Target)
		}
	}
	c.ReportWritten(changes...)
	return nil
}

// EditAsPerson writes a page as a person does.
func (p *FakeNotes) EditAsPerson(path, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[path] = text
}

// Text is the text of a page; empty: it does not exist.
func (p *FakeNotes) Text(path string) string {
	s, _ := p.State(context.Background(), path)
	return string(s.Data)
}

// NotesKind is the System of p, named notes.
func NotesKind(p *FakeNotes) tools.Kind {
	return tools.Erase(tools.System[*FakeNotes, struct{}]{
		Name: "notes", Title: "Notes", Doc: "For tests.",
		Open: func(context.Context, struct{}, tools.Env) (*FakeNotes, error) { return p, nil },
		Tools: []tools.Tool[*FakeNotes]{
			tools.Define(tools.Spec[pageIn, textOut]{Name: "get", Title: "Get", Doc: "Gets.", Effect: tools.Reads}, (*FakeNotes).Get),
			tools.DefineWithContext(tools.Spec[putIn, doneOut]{Name: "put", Title: "Put", Doc: "Puts.", Effect: tools.Writes}, (*FakeNotes).Put),
			tools.DefineWithContext(tools.Spec[putIn, doneOut]{Name: "sly", Title: "Sly", Doc: "Puts.", Effect: tools.Writes},
				(*FakeNotes).writeDespiteDryRun),
			tools.DefineWithContext(tools.Spec[putIn, doneOut]{Name: "twice", Title: "Twice", Doc: "Puts twice.", Effect: tools.Writes},
				(*FakeNotes).writeInTwoParts),
			tools.DefineWithContext(tools.Spec[pageIn, doneOut]{Name: "drop", Title: "Drop", Doc: "Drops.", Effect: tools.Deletes},
				(*FakeNotes).deletePage),
			tools.DefineWithContext(tools.Spec[moveIn, doneOut]{Name: "move", Title: "Move", Doc: "Moves.", Effect: tools.Writes},
				(*FakeNotes).Move),
			tools.Define(tools.Spec[pageIn, doneOut]{Name: "run", Title: "Run", Doc: "Runs.", Effect: tools.Runs}, (*FakeNotes).RunNothing),
			tools.Define(tools.Spec[pageIn, doneOut]{Name: "own", Title: "Own", Doc: "Owns.", Effect: tools.Admin}, (*FakeNotes).RunNothing),
		},
	})
}
