package logseq

import (
	"context"
	"errors"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

const (
	// writeWithin bounds one write, settleWithin the look at what became of it
	// when the answer did not come. Both together end before the hub's deadline.
	writeWithin  = 15 * time.Second
	settleWithin = 5 * time.Second
	settleEvery  = time.Second
)

// Written is what every write answers besides its own.
type Written struct {
	Success  bool     `json:"success" jsonschema:"it was done; false on a dry run"`
	Verified bool     `json:"verified" jsonschema:"it was read back and found as asked"`
	DryRun   bool     `json:"dry_run,omitempty" jsonschema:"nothing was changed"`
	Warnings []string `json:"warnings,omitempty" jsonschema:"what to know about it"`
}

// rehearsed is the answer of a dry run.
func rehearsed(warnings ...string) Written { return Written{DryRun: true, Warnings: warnings} }

// A sight is what a look at the graph after a write shows.
type sight int

const (
	undone    sight = iota // as if the write had not happened
	partial                // some of several blocks are there
	different              // something happened, but not what was asked
	done                   // as asked
)

// A write is one request that changes something and the look that tells
// whether it did.
type write struct {
	method string
	in     any
	look   func(context.Context) (sight, error)
	facts  fate // what the error of a write that is in doubt says besides
}

// fate is the data of a write that ended in an error: whether it happened, and
// what is needed to look for it.
type fate struct {
	Applied any      `json:"applied"` // true, false or "unknown"
	UUID    UUID     `json:"uuid,omitempty"`
	Page    string   `json:"page_name,omitempty"`
	Done    []string `json:"done,omitempty"` // earlier steps of the same call
}

// begin waits for its turn to write. Whoever has it calls the func it answers.
func (g *Graph) begin(ctx context.Context) (func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case g.turn <- struct{}{}:
		return func() { <-g.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// write carries w out and reads back what became of it; an answer of Logseq's
// alone proves nothing. An error after which it is open whether the write
// happened says so in its data. It is never sent twice.
func (g *Graph) write(ctx context.Context, w write) (Written, error) {
	if err := ctx.Err(); err != nil {
		return Written{}, err
	}
	session := g.session()
	calling, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	err := g.peer.Call(calling, w.method, w.in, nil, false)
	switch {
	case err == nil:
		return g.verify(ctx, w)
	case unsure(err):
		return Written{}, g.settle(ctx, w, session, err)
	default:
		return Written{}, w.stepped(failure(err))
	}
}

// stepped adds to a refusal what earlier steps of the same call have done.
func (w write) stepped(err error) error {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok || len(w.facts.Done) == 0 {
		return err
	}
	w.facts.Applied = false
	return e.WithData(w.facts)
}

// session is the plugin instance that is connected.
func (g *Graph) session() string {
	if a := g.about(); a != nil {
		return a.Session
	}
	return ""
}

// verify looks at the graph after Logseq said yes.
func (g *Graph) verify(ctx context.Context, w write) (Written, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWithin)
	defer cancel()
	out := Written{Success: true}
	saw, err := w.look(ctx)
	switch {
	case err != nil:
		out.Warnings = append(out.Warnings, "Logseq said yes, but it could not be read back; look before you rely on it.")
	case saw == done:
		out.Verified = true
	case saw == partial:
		w.facts.Applied = "unknown"
		return Written{}, tools.Errorf(tools.Internal, "Logseq answered, but did only a part of it").
			WithHint("Read the page, and add what is missing.").WithData(w.facts)
	case saw == different:
		out.Warnings = append(out.Warnings, "Logseq stored something else than was asked; read it.")
	default:
		w.facts.Applied = false
		return Written{}, tools.Errorf(tools.Internal, "Logseq answered, but did nothing").
			WithHint("Ask the user whether Logseq shows an error, then try again.").WithData(w.facts)
	}
	return out, nil
}

// settle finds out whether a write happened whose answer never came. That it
// is not there yet proves little, because Logseq may still be at it; only when
// the plugin has been started anew can it not come any more.
func (g *Graph) settle(ctx context.Context, w write, session string, cause error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleWithin)
	defer cancel()
	saw, err := w.look(ctx)
	for tries := 1; (err != nil || saw == undone) && tries < 3; tries++ {
		select {
		case <-ctx.Done():
		case <-time.After(settleEvery):
			saw, err = w.look(ctx)
		}
	}
	e := &tools.Error{Code: tools.Timeout, Message: "Logseq did not answer in time", Cause: cause}
	if !outOfTime(cause) {
		e = &tools.Error{Code: tools.Unavailable, Message: "the connection to Logseq was lost before the answer", Cause: cause}
	}
	w.facts.Applied = "unknown"
	switch {
	case err == nil && saw == done:
		w.facts.Applied = true
		e.Message += ", but the change is there"
		e.Hint = "Do not repeat the call."
	case err == nil && saw == partial:
		e.Message += "; a part of the change is there, and the rest may come"
		e.Hint = "Read the page before you add what is missing."
	case err == nil && saw == undone && session != "" && g.session() != session:
		w.facts.Applied = false
		e.Message += " and the change did not happen"
		e.Hint = "Call again."
	case err == nil && saw == undone:
		e.Message += "; the change is not there yet, but Logseq may still make it"
		e.Hint = "Read before you repeat the call. A Logseq whose window is hidden may be stalled: ask the user to show it."
	default:
		e.Message += "; whether the change happened could not be found out"
		e.Hint = "Read before you repeat the call."
	}
	g.log.Warn("write in doubt", "method", w.method, "applied", w.facts.Applied)
	return e.WithData(w.facts)
}

// outOfTime tells a call whose time was up, here or at the plugin, from one
// whose connection was lost.
func outOfTime(err error) bool {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	}
	return e.Code == tools.Timeout || e.SpecCode == "TIMEOUT"
}

// gone turns the look for something that was deleted around.
func gone(err error) (sight, error) {
	switch {
	case err == nil:
		return undone, nil
	case absentIn(err):
		return done, nil
	default:
		return undone, err
	}
}
