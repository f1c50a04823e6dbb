// Package tools is the vocabulary of Lectern: a [System] is a kind of
// knowledge base, a [Source] is one opened System, and a [Tool] is one thing
// an agent may do with a Source.
//
// A System is declared once, as a value. The tools published over MCP,
// SKILL.md, the pages under docs/tools, the snapshots under tools/all/testdata,
// `lectern call`, the panel's Tools view and the suite in tools/toolstest all
// read that value, so they cannot contradict each other.
//
// The package does no I/O and knows nothing of MCP, HTTP or the terminal. Every
// System imports it, and so do hub, journal and the renderers in tools/doc. It
// is product code: the tools that developers use are pinned in dev.mod.
//
// Start reading at [Define] in tool.go, then [System] in system.go, then
// tools/toolstest/memo, the template of a System. Arguments are checked in
// validate.go; errors and their wire format are in error.go.
package tools

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// An Effect is what a tool can do to a Source. MCP hints, grants, policy and
// the journal all derive from it.
type Effect string

// The closed list of effects, from harmless to dangerous.
const (
	Reads   Effect = "read"   // changes nothing; the suite proves it
	Writes  Effect = "write"  // adds or replaces content
	Deletes Effect = "delete" // removes content
	Runs    Effect = "run"    // executes a script
	Admin   Effect = "admin"  // changes permissions; never granted by default
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

// Env is what the hub gives to a Source when it opens it. Every field is set
// unless its comment says otherwise.
type Env struct {
	// Name is the name of the source in the configuration, [a-z0-9-]+.
	Name string
	// Log writes to Lectern's log, which agents do not see: ids and sizes,
	// never content.
	Log *slog.Logger
	// Now is the wall clock.
	Now func() time.Time
	// Peer is the other application, for a System that declares [System].Peer;
	// nil for any other.
	Peer Peer
	// ResourceChanged announces that the resource with this URI has new
	// content. It never blocks and may be called from any goroutine.
	ResourceChanged func(uri string)
	// Privacy is what agents must not see. What it hides does not exist for
	// them: no answer may depend on it.
	Privacy Privacy
}

// A CallContext connects a running call to its caller: the agent, who sees
// progress and messages, and the journal, which records changes. Progress and
// Log never block, and do nothing after the call has ended.
type CallContext interface {
	// Progress reports done of total; a total of 0 means unknown. It reaches
	// the agent only when the call asked for progress.
	Progress(done, total float64, message string)
	// Log sends a message to the agent's log, when it wants that level.
	Log(level slog.Level, message string)
	// BeforeWrite must be called before anything is written, with everything
	// that the call is about to change, as far as that is known. When it
	// returns nil the Changes are on disk and writing may begin. When it
	// returns an error, the tool must write nothing and return that error
	// unchanged: this is also how a call is run to show a person what it would
	// do. A call with dry_run does not call it.
	BeforeWrite(ctx context.Context, changes ...Change) error
	// AfterWrite reports the After of a Change whose After was unknown.
	AfterWrite(target string, after State)
}

// NopCallContext is a CallContext that ignores everything.
type NopCallContext struct{}

// Progress implements [CallContext].
func (NopCallContext) Progress(float64, float64, string) {}

// Log implements [CallContext].
func (NopCallContext) Log(slog.Level, string) {}

// BeforeWrite implements [CallContext].
func (NopCallContext) BeforeWrite(context.Context, ...Change) error { return nil }

// AfterWrite implements [CallContext].
func (NopCallContext) AfterWrite(string, State) {}
