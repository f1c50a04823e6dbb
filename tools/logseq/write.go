package logseq

import (
	"context"
	"errors"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

const (
	// writeTimeout bounds one write, verifyTimeout the look at what became of it
	// when the answer did not come. Both together end before the hub's deadline.
	writeTimeout   = 15 * time.Second
	verifyTimeout  = 5 * time.Second
	verifyInterval = time.Second
)

// Written is what every write answers besides its own.
type Written struct {
	Success  bool     `json:"success" jsonschema:"it was done; false on a dry run"`
	Verified bool     `json:"verified" jsonschema:"it was read back and found as asked"`
	DryRun   bool     `json:"dry_run,omitempty" jsonschema:"nothing was changed"`
	Warnings []string `json:"warnings,omitempty" jsonschema:"what to know about it"`
}

// dryRunResult is the answer of a dry run.
func dryRunResult(warnings ...string) Written { return Written{DryRun: true, Warnings: warnings} }

// A verification is what a look at the graph after a write shows.
type verification int

const (
	notApplied         verification = iota // as if the write had not happened
	partlyApplied                          // some of several blocks are there
	appliedDifferently                     // something happened, but not what was asked
	applied                                // as asked
)

// A writeRequest is one request that changes something and the look that tells
// whether it did.
type writeRequest struct {
	method  string
	params  any
	verify  func(context.Context) (verification, error)
	details writeDetails // what the error of a write that is in doubt says besides
}

// writeDetails is the data of a write that ended in an error: whether it happened, and
// what is needed to look for it.
type writeDetails struct {
	Applied any      `json:"applied"` // true, false or "unknown"
	UUID    UUID     `json:"uuid,omitempty"`
	Page    string   `json:"page_name,omitempty"`
	Done    []string `json:"done,omitempty"` // earlier steps of the same call
}

// lockWrites waits for its turn to write. Whoever has it calls the func it answers.
func (g *Graph) lockWrites(ctx context.Context) (func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case g.writeLock <- struct{}{}:
		return func() { <-g.writeLock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// change reports what a write will change, performs it and reports what the
// targets then hold.
func (g *Graph) change(ctx context.Context, c tools.CallContext, w writeRequest, changes ...plannedChange) (Written, error) {
	finish, err := g.reportChanges(ctx, c, changes...)
	if err != nil {
		return Written{}, err
	}
	defer finish()
	return g.perform(ctx, w)
}

// perform carries w out and reads back what became of it; an answer of Logseq's
// alone proves nothing. An error after which it is open whether the write
// happened says so in its data. It is never sent twice.
func (g *Graph) perform(ctx context.Context, w writeRequest) (Written, error) {
	if err := ctx.Err(); err != nil {
		return Written{}, err
	}
	session := g.pluginSession()
	calling, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := g.peer.Call(calling, w.method, w.params, nil, false)
	switch {
	case err == nil:
		return g.readBack(ctx, w)
	case outcomeUnknown(err):
		return Written{}, g.resolveOutcome(ctx, w, session, err)
	default:
		return Written{}, w.withDetails(toolError(err))
	}
}

// withDetails adds to a refusal what earlier steps of the same call have done.
func (w writeRequest) withDetails(err error) error {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok || len(w.details.Done) == 0 {
		return err
	}
	w.details.Applied = false
	return e.WithData(w.details)
}

// pluginSession is the plugin instance that is connected.
func (g *Graph) pluginSession() string {
	if a := g.hello(); a != nil {
		return a.Session
	}
	return ""
}

// readBack looks at the graph after Logseq said yes.
func (g *Graph) readBack(ctx context.Context, w writeRequest) (Written, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), verifyTimeout)
	defer cancel()
	out := Written{Success: true}
	saw, err := w.verify(ctx)
	switch {
	case err != nil:
		out.Warnings = append(out.Warnings, "Logseq said yes, but it could not be read back; look before you rely on it.")
	case saw == applied:
		out.Verified = true
	case saw == partlyApplied:
		w.details.Applied = "unknown"
		return Written{}, tools.Errorf(tools.Internal, "Logseq answered, but did only a part of it").
			WithHint("Read the page, and add what is missing.").WithData(w.details)
	case saw == appliedDifferently:
		out.Warnings = append(out.Warnings, "Logseq stored something else than was asked; read it.")
	default:
		w.details.Applied = false
		return Written{}, tools.Errorf(tools.Internal, "Logseq answered, but did nothing").
			WithHint("Ask the user whether Logseq shows an error, then try again.").WithData(w.details)
	}
	return out, nil
}

// resolveOutcome finds out whether a write happened whose answer never came. That it
// is not there yet proves little, because Logseq may still be at it; only when
// the plugin has been started anew can it not come any more.
func (g *Graph) resolveOutcome(ctx context.Context, w writeRequest, session string, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), verifyTimeout)
	defer cancel()
	saw, err := w.verify(ctx)
	for tries := 1; (err != nil || saw == notApplied) && tries < 3; tries++ {
		select {
		case <-ctx.Done():
		case <-time.After(verifyInterval):
			saw, err = w.verify(ctx)
		}
	}
	e := &tools.Error{Code: tools.Timeout, Message: "Logseq did not answer in time", Cause: cause}
	if !isTimeout(cause) {
		e = &tools.Error{Code: tools.Unavailable, Message: "the connection to Logseq was lost before the answer", Cause: cause}
	}
	w.details.Applied = "unknown"
	switch {
	case err == nil && saw == applied:
		w.details.Applied = true
		e.Message += ", but the change is there"
		e.Hint = "Do not repeat the call."
	case err == nil && saw == partlyApplied:
		e.Message += "; a part of the change is there, and the rest may come"
		e.Hint = "Read the page before you add what is missing."
	case err == nil && saw == notApplied && session != "" && g.pluginSession() != session:
		w.details.Applied = false
		e.Message += " and the change did not happen"
		e.Hint = "Call again."
	case err == nil && saw == notApplied:
		e.Message += "; the change is not there yet, but Logseq may still make it"
		e.Hint = "Read before you repeat the call. A Logseq whose window is hidden may be stalled: ask the user to show it."
	default:
		e.Message += "; whether the change happened could not be found out"
		e.Hint = "Read before you repeat the call."
	}
	g.log.Warn("write in doubt", "method", w.method, "applied", w.details.Applied)
	return e.WithData(w.details)
}

// isTimeout tells a call whose time was up, here or at the plugin, from one
// whose connection was lost.
func isTimeout(err error) bool {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	}
	return e.Code == tools.Timeout || e.SpecCode == "TIMEOUT"
}

// verifyGone turns the look for something that was deleted around.
func verifyGone(err error) (verification, error) {
	switch {
	case err == nil:
		return notApplied, nil
	case isNotFound(err):
		return applied, nil
	default:
		return notApplied, err
	}
}
