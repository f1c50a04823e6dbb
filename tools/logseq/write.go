package logseq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

const (
	// writeTimeout limits one write, and verifyTimeout the check of its
	// result. Together they are shorter than the deadline of the tool.
	writeTimeout   = 15 * time.Second
	verifyTimeout  = 5 * time.Second
	verifyInterval = time.Second
	// blockTimeout is added to writeTimeout for each block of a tree, which is
	// a call of Logseq's own, and treeTimeout is the deadline of a tool that
	// writes trees.
	blockTimeout = 80 * time.Millisecond
	treeTimeout  = writeTimeout + maxDrafts*blockTimeout + verifyTimeout + 10*time.Second
)

// Written is the part of an answer that all writes share.
type Written struct {
	Success  bool     `json:"success" jsonschema:"it was done; false on a dry run"`
	Verified bool     `json:"verified" jsonschema:"it was read back and is as requested"`
	DryRun   bool     `json:"dry_run,omitempty" jsonschema:"nothing was changed"`
	Warnings []string `json:"warnings,omitempty" jsonschema:"notes on the result"`
}

// dryRunResult is the answer of a dry run.
func dryRunResult(warnings ...string) Written { return Written{DryRun: true, Warnings: warnings} }

// A verification is the result of reading back what a write did.
type verification int

const (
	notApplied         verification = iota // the write did not happen
	partlyApplied                          // some of several blocks exist
	appliedDifferently                     // the result is not as requested
	applied                                // the result is as requested
)

// A writeRequest is one request that changes something, with a function that
// checks whether it did.
type writeRequest struct {
	method  string
	params  any
	verify  func(context.Context) (verification, error)
	details writeDetails // for the data of an error
	blocks  int          // how many it writes, if several
	// parts replace params where a write takes several requests, one after
	// another.
	parts []writePart
	// progress is called after each part with the number of blocks so far; nil:
	// nobody wants to know.
	progress func(done, total int)
}

// A writePart is one of several requests of a write.
type writePart struct {
	params any
	blocks int
}

// writeDetails is the data of an error from a write: whether the write
// happened, and what is needed to find out.
type writeDetails struct {
	Applied any      `json:"applied"` // true, false, "partly" or "unknown"
	UUID    UUID     `json:"uuid,omitempty"`
	Page    string   `json:"page_name,omitempty"`
	Done    []string `json:"done,omitempty"`   // earlier steps of the same call
	Logseq  any      `json:"logseq,omitempty"` // Logseq's own words
}

// lockWrites waits until no other write is running. The caller must call
// unlock.
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
	written, err := g.perform(ctx, w)
	if !isRefused(err) {
		finish(err)
	}
	return written, err
}

// isRefused reports whether a single write did nothing: what its targets hold then is
// others' work.
func isRefused(err error) bool {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return err != nil // it was not sent
	}
	details, tells := e.Data.(writeDetails)
	return !tells || details.Applied == false
}

// perform sends the request once and reads back what it did, because Logseq's
// answer alone proves nothing. If the outcome is not known, the error's data
// says so.
func (g *Graph) perform(ctx context.Context, w writeRequest) (Written, error) {
	if err := ctx.Err(); err != nil {
		return Written{}, err
	}
	session := g.pluginSession()
	done, err := sendParts(ctx, g, w)
	switch {
	case err == nil:
		return g.readBack(ctx, w)
	case outcomeUnknown(err):
		return Written{}, g.resolveOutcome(ctx, w, session, err)
	case done > 0:
		return Written{}, w.partlyDone(done, toolError(err))
	default:
		return Written{}, w.refused(ctx, toolError(err))
	}
}

// partlyWritten is what is applied of a write of which a part is there.
const partlyWritten = "partly"

// notDone is what is applied of a call whose last step did nothing.
func (w writeDetails) notDone() any {
	if len(w.Done) > 0 {
		return partlyWritten
	}
	return false
}

// sendParts sends the requests of a write, each with a time of its own, until
// one fails. done is how many blocks those before it have written.
func sendParts(ctx context.Context, g *Graph, w writeRequest) (done int, err error) {
	parts := w.parts
	if parts == nil {
		parts = []writePart{{w.params, w.blocks}}
	}
	for _, part := range parts {
		calling, cancel := context.WithTimeout(ctx, writeTimeout+time.Duration(part.blocks)*blockTimeout)
		err := g.peer.Call(calling, w.method, part.params, nil, false)
		cancel()
		if err != nil {
			return done, err
		}
		if done += part.blocks; w.progress != nil && len(parts) > 1 {
			w.progress(done, w.blocks)
		}
	}
	return done, nil
}

// partlyDone is the error of a write that was refused after some of its parts
// were done.
func (w writeRequest) partlyDone(done int, err error) error {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return err
	}
	w.details.Applied = partlyWritten
	w.details.Done = append(slices.Clone(w.details.Done), fmt.Sprintf("%d of %d blocks written", done, w.blocks))
	return e.WithHint("Read the page, and add what is missing.").WithData(w.details)
}

// refused is the error of a write that Logseq refused, with what is there all
// the same: Logseq may refuse the last of several steps.
func (w writeRequest) refused(ctx context.Context, err error) error {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), verifyTimeout)
	defer cancel()
	saw, errRead := w.verify(ctx)
	w.details.Applied = w.details.notDone()
	switch {
	case errRead == nil && saw == applied:
		w.details.Applied = true
		e = e.WithHint("The change is there all the same: do not repeat the call.")
	case errRead == nil && saw != notApplied:
		w.details.Applied = partlyWritten
		e = e.WithHint("A part of the change is there: read it before you call again.")
	case e.Code != tools.Internal && len(w.details.Done) == 0:
		return err
	case len(w.details.Done) > 0 && e.Hint == "":
		e = e.WithHint("What data.done names is there. Read it, and add what is missing.")
	}
	if data, is := e.Data.(map[string]any); is {
		w.details.Logseq = data["logseq"]
	}
	return e.WithData(w.details)
}

// pluginSession identifies the connected instance of the plugin.
func (g *Graph) pluginSession() string {
	if a := g.hello(); a != nil {
		return a.Session
	}
	return ""
}

// readBack checks the graph after Logseq has answered.
func (g *Graph) readBack(ctx context.Context, w writeRequest) (Written, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), verifyTimeout)
	defer cancel()
	out := Written{Success: true}
	saw, err := w.verify(ctx)
	switch {
	case err != nil:
		out.Warnings = append(out.Warnings, "Logseq accepted the write, but it could not be read back; read it before you rely on it.")
	case saw == applied:
		out.Verified = true
	case saw == partlyApplied:
		w.details.Applied = partlyWritten
		return Written{}, tools.Errorf(tools.Internal, "Logseq answered, but did only part of it").
			WithHint("Read the page, and add what is missing.").WithData(w.details)
	case saw == appliedDifferently:
		out.Warnings = append(out.Warnings, "Logseq stored something other than requested; read it.")
	default:
		w.details.Applied = w.details.notDone()
		return Written{}, tools.Errorf(tools.Internal, "Logseq answered, but did nothing").
			WithHint("Ask the user whether Logseq shows an error, then try again.").WithData(w.details)
	}
	return out, nil
}

// resolveOutcome finds out whether a write happened that was not answered. If
// its result is missing, Logseq may still be working on it, unless the plugin
// was restarted meanwhile.
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
	e := &tools.Error{Code: tools.Timeout, Message: "Logseq did not answer in time"}
	if !isTimeout(cause) {
		e = &tools.Error{Code: tools.Unavailable, Message: "the connection to Logseq was lost before the answer"}
	}
	w.details.Applied = "unknown"
	switch {
	case err == nil && saw == applied:
		w.details.Applied = true
		e.Message += ", but the change is there"
		e.Hint = "Do not repeat the call."
	case err == nil && saw == partlyApplied:
		e.Message += "; part of the change is there, and the rest may follow"
		e.Hint = "Read the page before you add what is missing."
	case err == nil && saw == notApplied && session != "" && g.pluginSession() != session:
		w.details.Applied = w.details.notDone()
		e.Message += " and the change did not happen"
		e.Hint = "Call again."
	case err == nil && saw == notApplied:
		e.Message += "; the change is not there yet, but Logseq may still make it"
		e.Hint = "Read before you repeat the call. A Logseq whose window is hidden may be stalled: ask the user to show it."
	default:
		e.Message += "; it is not known whether the change happened"
		e.Hint = "Read before you repeat the call."
	}
	e.Cause = errors.New(cause.Error()) // without what it says of the outcome
	if w.details.Applied == "unknown" {
		e.Cause = errors.Join(tools.ErrOutcomeUnknown{}, cause)
	}
	g.log.Warn("write in doubt", "method", w.method, "applied", w.details.Applied)
	return e.WithData(w.details)
}

// isTimeout reports whether a call ran out of time, here or in the plugin,
// rather than losing its connection.
func isTimeout(err error) bool {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	}
	return e.Code == tools.Timeout || e.SpecCode == "TIMEOUT"
}

// verifyGone converts the error of reading something that was deleted.
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
