// Package tools is the vocabulary of Lectern: a [System] is a kind of
// knowledge base, a [Source] is one opened System, and a [Tool] is one thing
// an agent may do with a Source.
//
// A System is declared once, as a value. The MCP surface, SKILL.md, the pages
// under docs/tools, the snapshots under tools/all/testdata, `lectern call`,
// the panel's Tools view and the suite in tools/toolstest all read that value,
// so none of them can say something the others do not.
//
// The package does no I/O and knows nothing of MCP, HTTP or the terminal; it
// is imported by every System, by hub and by the renderers in tools/doc. It is
// product code: the tools that developers use are pinned in dev.mod.
//
// Start reading at [Define], then [System], then tools/toolstest/memo, the
// living template of a System.
package tools

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// An Effect says what a tool can do to a Source. It is the only place where
// that is said: MCP hints, grants, policy and the journal derive from it.
type Effect string

// The closed list of effects, from harmless to dangerous.
const (
	Reads   Effect = "read"   // changes nothing; proved by the suite
	Writes  Effect = "write"  // adds or replaces content
	Deletes Effect = "delete" // removes content
	Runs    Effect = "run"    // executes a script
	Admin   Effect = "admin"  // changes who may do what; never granted by default
)

// Effects lists every Effect in the order shown to people.
func Effects() []Effect { return []Effect{Reads, Writes, Deletes, Runs, Admin} }

// A Source is one opened knowledge base. Its other methods are its tools.
type Source interface {
	io.Closer
	// Check reports why the source cannot serve now, or nil. It is cheap: the
	// hub calls it every few seconds.
	Check(ctx context.Context) error
}

// Env is what the outside gives to a Source when it is opened. Every field is
// set, except where it says so.
type Env struct {
	// Name is the name of the source in the configuration, [a-z0-9-]+.
	Name string
	// Log is for the log, never for an agent: ids and sizes, no content.
	Log *slog.Logger
	// Now is the wall clock.
	Now func() time.Time
	// Peer is the other application, for a System that declares [System].Peer;
	// nil for any other.
	Peer Peer
	// ResourceChanged announces that the resource with this URI has new content. It
	// never blocks and may be called from any goroutine.
	ResourceChanged func(uri string)
	// Privacy says what agents must not see. What it hides does not exist for
	// them: no answer may depend on it.
	Privacy Privacy
}

// A CallContext is the outside of one call, for tools that have something to say
// before they return. Progress and Log never block and are safe after the call
// has ended, when they do nothing.
type CallContext interface {
	// Progress reports done of total; a total of 0 means unknown. It reaches
	// the agent only when the call asked for progress.
	Progress(done, total float64, message string)
	// Log sends a message to the agent's log, when it wants that level.
	Log(level slog.Level, message string)
	// BeforeWrite comes before everything that changes a target, with all that the
	// call is about to change, as far as it is known. When it returns nil the
	// Changes are on disk and the write may begin; its error must be returned as
	// it is and nothing written, also because a call may only be rehearsed, to
	// show a person what it would do. A dry run does not call it.
	BeforeWrite(ctx context.Context, changes ...Change) error
	// AfterWrite tells the After of a Change that was Open.
	AfterWrite(target string, after State)
}

// NopCallContext is the Caller of calls that nobody listens to.
type NopCallContext struct{}

// Progress implements [CallContext].
func (NopCallContext) Progress(float64, float64, string) {}

// Log implements [CallContext].
func (NopCallContext) Log(slog.Level, string) {}

// BeforeWrite implements [CallContext]: whatever changes, nobody remembers.
func (NopCallContext) BeforeWrite(context.Context, ...Change) error { return nil }

// AfterWrite implements [CallContext].
func (NopCallContext) AfterWrite(string, State) {}
