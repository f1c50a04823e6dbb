package tools

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"
)

// A CallContext is what a call brings along: who calls, and ways to reach the
// caller, the journal and other sources. It is a value: code that wraps one
// replaces a field of a copy. The zero value is a call of an unknown caller to
// whom nothing is reported, that may write, and that calls nothing else.
type CallContext struct {
	Identity Identity
	Notify   Notifier      // nil: progress and messages are dropped
	Writes   WriteObserver // nil: writes are neither judged nor recorded
	Sources  SourceCaller  // nil: the call may call no other tool
	// Began and Seed are the same each time that the hub runs a call: on drafts,
	// to find out what it would write, and then for good. A tool takes from them
	// the times and the random numbers of what it writes; otherwise it would
	// not write what a person approved.
	Began time.Time
	Seed  uint64
}

// A Notifier reaches the agent while its call runs. Its methods never block, and
// do nothing after the call has ended.
type Notifier interface {
	// Progress reports done of total; a total of 0 means unknown. It reaches
	// the agent only when the call asked for progress.
	Progress(done, total float64, message string)
	// Log sends a message to the agent's log, when it wants that level.
	Log(level slog.Level, message string)
}

// A WriteObserver stands before every write: policy, approval, circuit breaker
// and journal, or a dry run.
type WriteObserver interface {
	// BeforeWrite must be called before anything is written, with everything
	// that the call is about to change, as far as that is known. When it
	// returns nil the Changes are on disk and writing may begin. When it
	// returns an error, the tool must write nothing and return that error
	// unchanged: this is also how a call is run to show a person what it would
	// do. A call with dry_run does not call it. The caller holds no lock that
	// [Restorer].State needs.
	BeforeWrite(ctx context.Context, changes ...Change) error
	// AfterWrite reports that a target of BeforeWrite was written, and what it holds: the
	// After, with its revision, or what another application has made of it. It must be
	// called for each target that the call has written, also if the call then fails, and
	// for no other: one that was not reported when the tool returns was not written,
	// whatever it holds.
	AfterWrite(target string, after State)
	// OutcomeUnknown reports, in place of AfterWrite, that nobody can tell whether a target
	// was written: the connection to who writes it was lost.
	OutcomeUnknown(target string)
}

// A SourceCaller calls tools as the client of the outer call: grants, policy,
// privacy, journal and audit hold. The calls run in the slot and within the
// deadline of the outer call; what they write is asked about once and undone
// together. A tool holds no lock of its source while it calls. Only a tool with
// [Spec].Calls may call tools that write.
type SourceCaller interface {
	// Call runs a tool by the name that its System declares; an empty source is
	// the tool's own. Limited: more than 4 calls deep; how many there are is for the tool to bound.
	Call(ctx context.Context, source, tool string, args Arguments) (Result, error)
	// Sources lists what the client may read, in the order of the configuration.
	Sources() []SourceInfo
}

// Arguments are those of a call that a tool makes.
type Arguments struct {
	JSON json.RawMessage // empty: none
	// Input is what JSON was made of, nil: not known. A tool whose input has its type is
	// given it as it is, neither read nor checked once more: a System calls its own tools
	// with it.
	Input any
}

// SourceInfo is a source as another source sees it.
type SourceInfo struct {
	Name   string
	System *Manifest
}

// Progress calls [Notifier].Progress.
func (c CallContext) Progress(done, total float64, message string) {
	if c.Notify != nil {
		c.Notify.Progress(done, total, message)
	}
}

// Log calls [Notifier].Log.
func (c CallContext) Log(level slog.Level, message string) {
	if c.Notify != nil {
		c.Notify.Log(level, message)
	}
}

// BeforeWrite calls [WriteObserver].BeforeWrite.
func (c CallContext) BeforeWrite(ctx context.Context, changes ...Change) error {
	if c.Writes == nil {
		return nil
	}
	return c.Writes.BeforeWrite(ctx, changes...)
}

// AfterWrite calls [WriteObserver].AfterWrite.
func (c CallContext) AfterWrite(target string, after State) {
	if c.Writes != nil {
		c.Writes.AfterWrite(target, after)
	}
}

// OutcomeUnknown calls [WriteObserver].OutcomeUnknown.
func (c CallContext) OutcomeUnknown(target string) {
	if c.Writes != nil {
		c.Writes.OutcomeUnknown(target)
	}
}

// ReportWritten calls AfterWrite for changes that were written as BeforeWrite was told.
func (c CallContext) ReportWritten(changes ...Change) {
	for _, change := range changes {
		c.AfterWrite(change.Target, change.After)
	}
}

// Call calls [SourceCaller].Call; Denied without one.
func (c CallContext) Call(ctx context.Context, source, tool string, args json.RawMessage) (Result, error) {
	return c.callSource(ctx, source, tool, Arguments{JSON: args})
}

// CallWithInput is Call of a tool of the call's own source whose input is in.
func (c CallContext) CallWithInput(ctx context.Context, tool string, in JSONProvider) (Result, error) {
	return c.callSource(ctx, "", tool, Arguments{in.AppendJSON(nil), in})
}

func (c CallContext) callSource(ctx context.Context, source, tool string, args Arguments) (Result, error) {
	if c.Sources == nil {
		return Result{}, Errorf(Denied, "this call may not call other tools")
	}
	return c.Sources.Call(ctx, source, tool, args)
}

type callContextKey struct{}

// WithCallContext puts c into ctx for an [net/http.Handler], whose signature
// leaves no other way. Only the hub calls it.
func WithCallContext(ctx context.Context, c CallContext) context.Context {
	return context.WithValue(ctx, callContextKey{}, c)
}

// CallContextOf is what [WithCallContext] put into a request's context; the zero
// value if there is none. Only handlers call it: a tool gets its CallContext as
// an argument.
func CallContextOf(ctx context.Context) CallContext {
	c, _ := ctx.Value(callContextKey{}).(CallContext)
	return c
}
