package hub

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/tools"
)

// takeBackTimeout bounds how long a call is answered later because what it wrote
// is taken back.
const takeBackTimeout = 10 * time.Second

// A compositeCall is a call that makes others, with those: they are decided and asked
// about as one, and carried out completely or not at all. An undo over several
// sources is one too, without calls within.
type compositeCall struct {
	hub      *Hub
	lead     *call
	recorded *journal.Group // nil: there is no journal, or it is an undo, which the journal completes by itself

	planned  bool // it was rehearsed: only these steps are carried out, in this order
	approved bool // by a person
	steps    []compositeStep
	permits  approval.Permits // that were in force when it was rehearsed

	settled chan struct{} // closed when what it wrote is kept or taken back

	running sync.RWMutex // held for reading by the calls within, and for good when the lead has ended
	mu      sync.Mutex
	wrote   atomic.Bool // something was written, which is taken back unless it is kept
	next    int         // of steps
	failure error       // why the group cannot succeed any more; nil: it can
	ends    []func()    // record what became of the writes of each call
	written writtenTargets
}

// A compositeStep is one write of a call, or a read that a person is asked about.
type compositeStep struct {
	source, tool string
	args         [sha256.Size]byte // of the canonical arguments
	changes      []tools.Change    // nil: it reads
}

func newCompositeCall(h *Hub, lead *call) *compositeCall {
	g := &compositeCall{hub: h, lead: lead, settled: make(chan struct{})}
	if h.changes.journal != nil && lead.tool.ownChanges == nil {
		g.recorded = h.changes.journal.NewGroup()
	}
	return g
}

func newCompositeStep(c *call, changes []tools.Change) compositeStep {
	return compositeStep{c.source.conf.Name, c.tool.info.Name, sha256.Sum256(c.canonical(c.tool.info.In)), changes}
}

// equal reports whether carrying out the one is what was shown of the other.
func (s compositeStep) equal(other compositeStep) bool {
	return s.source == other.source && s.tool == other.tool && s.args == other.args && slices.EqualFunc(s.changes, other.changes, equalChanges)
}

func equalChanges(a, b tools.Change) bool {
	return a.Target == b.Target && equalStates(a.Before, b.Before) && a.AfterUnknown == b.AfterUnknown && (a.AfterUnknown ||
		equalStates(a.After, b.After))
}

func equalStates(a, b tools.State) bool {
	return a.Exists == b.Exists && a.Mode == b.Mode && string(a.Data) == string(b.Data)
}

func (g *compositeCall) isLedBy(c *call) bool { return g != nil && g.lead == c }

// authorizeNestedCall is authorizeCall for the calls of a group that was decided before.
func (g *compositeCall) authorizeNestedCall(c *call) (authorization, error) {
	if !g.planned {
		if allowsWithoutAsking(g.hub, c) {
			return authorization{args: c.raw}, nil
		}
		return authorization{}, g.fail(tools.Errorf(tools.Conflict, "the user's policy changed while the call was carried out").
			WithHint("Call again."))
	}
	p := g.hub.policy.Load()
	d := p.Decide(c.policyRequest(p))
	switch {
	case d.Verdict == policy.Deny:
		return authorization{}, g.fail(errForbidden(d))
	case c != g.lead && needsApprovalUsingPermits(c, p, d, g.permits):
		if err := g.takeNextStep(newCompositeStep(c, nil)); err != nil {
			return authorization{}, err
		}
	}
	return authorization{args: c.raw, check: g.stepChecker(c), approved: g.approved}, nil
}

func (g *compositeCall) stepChecker(c *call) writeCheck {
	return func(_ context.Context, _ tools.Restorer, changes []tools.Change) error {
		return g.takeNextStep(newCompositeStep(c, changes))
	}
}

// takeNextStep is for a step that is about to be carried out: it must be the next one.
func (g *compositeCall) takeNextStep(s compositeStep) error {
	g.mu.Lock()
	matches := g.failure == nil && g.next < len(g.steps) && g.steps[g.next].equal(s)
	if matches {
		g.next++
	}
	g.mu.Unlock()
	if matches {
		return nil
	}
	return g.fail(g.notAsPlannedError())
}

func (g *compositeCall) notAsPlannedError() error {
	if g.approved {
		return tools.Errorf(tools.Conflict, "what the call would change is not what the user approved").
			WithHint("Read again, then call again; the user is asked again.")
	}
	return tools.Errorf(tools.Conflict, "what the call would change is no longer what was planned; something else changed it").
		WithHint("Read again, then call again.")
}

// fail remembers the first error that must end the group, even if a tool goes on
// after it, and returns that.
func (g *compositeCall) fail(err error) error {
	if g == nil || err == nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failure == nil {
		g.failure = err
	}
	return g.failure
}

// endRecorder records what became of the writes of a call whose tool has returned. In a
// group that waits for the end of the group: what one of its calls has announced another
// may write, so that all of it is written at once.
func (g *compositeCall) endRecorder(c *call, err error) {
	recorder := c.record.recorder // that of another try, if the call is made again
	if recorder == nil {
		return
	}
	end := func() { recorder.End(err) }
	if _, panicked := errors.AsType[*panicError](err); panicked {
		end = recorder.Interrupt
	}
	if g == nil || g.recorded == nil {
		end()
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ends = append(g.ends, end)
}

// finish is called when the tool of the lead has returned. It waits for calls
// that are still on their way; what they wrote is kept if all is well, or else
// taken back.
func (g *compositeCall) finish(ctx context.Context, err error) error {
	g.running.Lock()
	g.mu.Lock()
	left := len(g.steps) - g.next
	if g.failure != nil {
		err = g.failure
	}
	g.mu.Unlock()
	if err == nil && left > 0 {
		err = g.notAsPlannedError()
	}
	if g.recorded == nil {
		return err
	}
	takenBack := true
	defer func() { g.hub.unsettled.end(g, takenBack) }()
	for _, end := range g.ends {
		end()
	}
	if err == nil && !g.lead.decided.gate.begin() {
		err = errTimeOver
	}
	if err == nil {
		if err = g.recorded.KeepChanges(); err == nil {
			takenBack = false
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeBackTimeout)
	defer cancel()
	done := g.recorded.TakeBack(ctx, g.hub.changes.openRestorer)
	if takenBack = done.Changed; !takenBack {
		return err
	}
	e := *tools.AsError(err)
	e.Applied = false
	e.Message += "; what it had changed was taken back"
	if len(done.Left) > 0 {
		e.Message += ", except " + strings.Join(done.Left, ", ")
		e.Applied, e.Hint = "unknown", "Tell the user what is left."
	}
	g.hub.log.Warn("took back a call that failed", "component", g.lead.source.conf.Name, "session", g.lead.session.ID,
		"tool", g.lead.tool.info.Name, "left", len(done.Left))
	return &e
}
