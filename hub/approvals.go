package hub

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

const (
	mostWaiting   = 256 // calls that wait for a person, of all sessions
	mostOfSession = 64  // and of one
	sayEvery      = 5 * time.Second
	mostReason    = mcp.MaxReason
	mostEndings   = 32 // that are remembered
)

// approvals are the calls that wait for a person. They live in memory alone: a
// call dies with its connection, and nothing is granted by itself.
type approvals struct {
	mu      sync.Mutex
	closed  bool
	waiting map[string]*waiting
	forms   map[string]*form         // that clients have, by their state
	endings []status.ApprovalOutcome // the last, oldest first
}

// A waiting call. Whoever takes it out of the map answers it, so the first
// answer is the only one.
type waiting struct {
	shown   status.Approval
	plan    status.Plan
	rule    policy.Rule       // what an answer for good writes
	args    [sha256.Size]byte // digest of the arguments
	session *session
	answer  chan ruling // cap 1
}

// A ruling ends a wait.
type ruling struct {
	allow  bool
	scope  status.Scope
	reason string // of a no
	by     status.By
	again  bool // nobody did: judge anew
	gone   bool // the hub ends
}

// put adds w, or says why no more calls may wait.
func (a *approvals) put(w *waiting) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	ofSession := 0
	for _, other := range a.waiting {
		if other.session == w.session {
			ofSession++
		}
	}
	switch {
	case a.closed:
		return errHubEnds()
	case len(a.waiting) >= mostWaiting || ofSession >= mostOfSession:
		return tools.Errorf(tools.Limited, "too many calls wait for the user's approval").WithHint("Wait for answers before you call again.")
	}
	if a.waiting == nil {
		a.waiting = map[string]*waiting{}
	}
	a.waiting[w.shown.ID] = w
	return nil
}

func errHubEnds() error {
	return tools.Errorf(tools.Unavailable, "Lectern restarts, and nobody has approved the call; nothing was changed").WithHint("Call again; the user is asked anew.")
}

// take ends the wait for the caller to answer it; nil: it has ended.
func (a *approvals) take(id string, as status.Resolution) *waiting {
	w, _ := a.settle(id, func(*waiting) status.ApprovalOutcome { return status.ApprovalOutcome{Resolution: as} })
	return w
}

// settle is take where how it ends depends on what it is.
func (a *approvals) settle(id string, how func(*waiting) status.ApprovalOutcome) (*waiting, status.ApprovalOutcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.waiting[id]
	if w == nil {
		return nil, status.ApprovalOutcome{}
	}
	e := how(w)
	a.ended(id, e)
	return w, e
}

// ended notes what became of a wait. With the lock.
func (a *approvals) ended(id string, e status.ApprovalOutcome) {
	delete(a.waiting, id)
	e.ID = id
	a.endings = append(a.endings, e)
	if over := len(a.endings) - mostEndings; over > 0 {
		a.endings = slices.Delete(a.endings, 0, over)
	}
}

// end answers all that wait.
func (a *approvals) end(r ruling) {
	a.mu.Lock()
	defer a.mu.Unlock()
	as := status.AskedAgain
	if r.gone {
		as = status.ClientLeft
	}
	for id, w := range a.waiting {
		a.ended(id, status.ApprovalOutcome{Resolution: as})
		w.answer <- r
	}
}

func (a *approvals) close() {
	a.mu.Lock()
	a.closed = true
	for _, f := range a.forms {
		f.ends.Stop()
	}
	a.forms = nil
	a.mu.Unlock()
	a.end(ruling{gone: true})
}

// last is what became of those that a person saw, oldest first.
func (a *approvals) last() []status.ApprovalOutcome {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]status.ApprovalOutcome{}, a.endings...)
}

// list is what a person sees, oldest first.
func (a *approvals) list() []status.Approval {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]status.Approval, 0, len(a.waiting))
	for _, w := range a.waiting {
		list = append(list, w.shown)
	}
	slices.SortFunc(list, func(x, y status.Approval) int {
		return cmp.Or(x.Since.Compare(y.Since), strings.Compare(x.ID, y.ID))
	})
	return list
}

// wait shows q to people until one answers, its time is over or ctx ends. A
// ruling without an error is a yes, or again. A client that asks its user
// between two calls is answered with the form instead.
func (h *Hub) wait(ctx context.Context, c *call, q question) (ruling, error) {
	if f := c.form; f != nil && f.covers == q.covers() {
		c.form = nil
		return h.resume(ctx, c, f)
	}
	byForm := c.forms && q.policy.Elicits(c.client, q.source.conf.Name)
	within := h.limits.Approval
	if byForm {
		within = h.limits.Form
	}
	w := &waiting{
		shown: q.shown(c, h.now(), within), plan: q.plan(c), rule: q.rule(c), args: sha256.Sum256(q.args),
		session: c.session, answer: make(chan ruling, 1),
	}
	if err := h.approvals.put(w); err != nil {
		return ruling{}, err
	}
	h.picture.touch()
	defer h.picture.touch()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if h.asks != nil {
		h.asks(w.shown)
	}
	if byForm {
		return ruling{}, h.handOut(c, q, w)
	}
	h.elicit(ctx, c, w)
	r, err := h.await(ctx, c, w, within)
	h.receipt(w, r, err)
	if err != nil {
		return ruling{}, err
	}
	return r, nil
}

func (h *Hub) await(ctx context.Context, c *call, w *waiting, within time.Duration) (ruling, error) {
	over := time.NewTimer(within)
	defer over.Stop()
	say := time.NewTicker(sayEvery)
	defer say.Stop()
	for said := 0; ; said++ {
		c.caller.Progress(float64(said), 0, "waits for the user to approve it in Lectern")
		select {
		case <-say.C:
		case r := <-w.answer:
			return h.heard(ctx, r)
		case <-over.C:
			if h.approvals.take(w.shown.ID, status.TimedOut) == nil { // somebody answers just now
				return h.heard(ctx, <-w.answer)
			}
			return ruling{}, tools.Errorf(tools.Denied, "nobody approved the call within %s; nothing was changed", within.Round(time.Second)).
				WithHint("Tell the user: Lectern's panel and `lectern approve` show what waits. Then call again.")
		case <-ctx.Done():
			if h.approvals.take(w.shown.ID, status.ClientLeft) == nil { // whatever was answered: nobody waits for the outcome
				return h.heard(ctx, <-w.answer)
			}
			return ruling{}, ctx.Err()
		}
	}
}

func (h *Hub) heard(ctx context.Context, r ruling) (ruling, error) {
	switch {
	case r.gone:
		return r, errHubEnds()
	case ctx.Err() != nil:
		return r, ctx.Err()
	case r.allow || r.again:
		return r, nil
	}
	e := tools.Errorf(tools.Denied, "the user refused the call; nothing was changed")
	if r.reason != "" {
		return r, e.WithHint("The user says: %s", r.reason)
	}
	return r, e.WithHint("Do not try again unless the user asks for it.")
}

// receipt logs how a wait ended: ids and digests, no content.
func (h *Hub) receipt(w *waiting, r ruling, err error) {
	outcome := "allowed"
	switch {
	case r.again:
		outcome = "policy changed"
	case err != nil:
		outcome = string(tools.AsError(err).Code)
	}
	h.log.LogAttrs(context.Background(), slog.LevelInfo, "approval",
		slog.String("part", "audit"), slog.String("id", w.shown.ID), slog.String("session", w.shown.Session), slog.String("client", w.shown.Client),
		slog.Bool("proven", w.shown.Proven), slog.String("tool", w.shown.Tool), slog.String("source", w.shown.Source),
		slog.String("outcome", outcome), slog.String("by", string(r.by)), slog.String("scope", string(r.scope)), slog.String("args", hex.EncodeToString(w.args[:])))
}

// Answer says yes or no to the Approval with this ID. Only the first answer
// counts, and none after its time.
func (h *Hub) Answer(id string, allow bool, a status.Answer) error {
	return h.answer(id, ruling{allow: allow, scope: cmp.Or(a.Scope, status.Once), reason: a.Reason, by: status.ByPerson})
}

func (h *Hub) answer(id string, r ruling) error {
	verb := map[bool]string{true: "allow", false: "refuse"}[r.allow]
	if !slices.Contains([]status.Scope{status.Once, status.ForSession, status.Always}, r.scope) {
		return fmt.Errorf("%s call: %q is no scope; it is once, session or always", verb, r.scope)
	}
	if reason := []rune(r.reason); len(reason) > mostReason {
		return fmt.Errorf("%s call: the reason has %d characters, at most %d reach an agent", verb, len(reason), mostReason)
	}
	now := h.now()
	w, e := h.approvals.settle(id, r.ending(now))
	if w == nil {
		return fmt.Errorf("%s call: no call waits as %s; it was answered, gave up or never was", verb, id)
	}
	h.picture.touch() // who waits for a form has nobody else to do it
	if e.Resolution == status.TimedOut {
		w.answer <- ruling{reason: "the time for an answer was over"}
		return fmt.Errorf("%s call: the time of %s was over; nothing was done", verb, id)
	}
	w.answer <- r
	return nil
}

// ending is what r makes of a wait at a moment.
func (r ruling) ending(now time.Time) func(*waiting) status.ApprovalOutcome {
	return func(w *waiting) status.ApprovalOutcome {
		switch {
		case over(now, w.shown.Until):
			return status.ApprovalOutcome{Resolution: status.TimedOut}
		case r.allow:
			return status.ApprovalOutcome{Resolution: status.Allowed, By: r.by}
		default:
			return status.ApprovalOutcome{Resolution: status.Refused, By: r.by}
		}
	}
}

// Approval is a call that waits, what it would change, and the rule that an
// answer for good writes.
func (h *Hub) Approval(id string) (a status.Approval, plan status.Plan, always policy.Rule, ok bool) {
	h.approvals.mu.Lock()
	defer h.approvals.mu.Unlock()
	w := h.approvals.waiting[id]
	if w == nil {
		return a, plan, always, false
	}
	return w.shown, w.plan, w.rule, true
}

func newApprovalID() string { return strings.ToLower(rand.Text()[:8]) }
