// Package approval holds the calls that wait for a person, and binds what the
// person answers to what they were shown.
//
// It is not the policy, which decides which calls wait (hub/policy), and it
// carries nothing out: the hub does, with a [Grant] in hand. It knows no
// protocol and no source. hub imports it, and so does the code that speaks to
// clients, which implements [Prompter] and reads [FilledForm].
//
// Start reading at [Queue.WaitForDecision], then [Grant.Use].
package approval

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// maxOutcomes is how many outcomes are remembered.
const maxOutcomes = 32

// MaxReasonCharacters bounds the reason for a refusal, in characters.
const MaxReasonCharacters = 500

// Config is what a Queue is made of. All fields but Unattended and
// OnApproval are required.
type Config struct {
	Timeout     time.Duration // for a person to answer
	FormTimeout time.Duration // for a client to come back with a form
	UseWithin   time.Duration // from an approval to the write that it allows
	Unattended  bool          // only the client can ask a person
	Log         *slog.Logger
	Now         func() time.Time
	// Changed is called when Pending or Outcomes return something else. It must
	// not block, nor must OnApproval.
	Changed func()
	// OnApproval is called for every call that begins to wait.
	OnApproval func(status.Approval)
}

// A Queue holds the pending approvals of a hub. It is in memory only: a call
// dies with its connection, and no approval outlives its call.
type Queue struct {
	conf Config

	mu       sync.Mutex
	closed   bool
	pending  map[string]*pendingApproval // by ID
	forms    map[string]*Form            // that clients have, by state
	permits  []*Permit                   // oldest first; replaced, never changed
	outcomes []outcome                   // the latest, oldest first
}

// An outcome is how a wait ended, and when.
type outcome struct {
	status.ApprovalOutcome

	at time.Time
}

// pendingApproval is one call that waits. The goroutine that takes it out of the map sends the
// decision, so only the first one counts.
type pendingApproval struct {
	request  Request
	inForm   bool // its client has a form, and no goroutine waits
	view     status.Approval
	full     changeDescription
	plan     status.Plan
	form     FormContent // what its client shows
	rule     policy.Rule // what the answer "always" writes
	args     string      // digest of the arguments
	call     policy.Request
	policy   string      // digest of that under which it is asked
	text     *textChange // what a person may edit; nil: nothing
	decision chan decision
}

// A decision ends a wait.
type decision struct {
	id         string // of the approval
	allow      bool
	scope      status.Scope
	reason     string // for a refusal
	by         status.By
	within     string           // of one for ten minutes
	edit       *status.TextEdit // of what is allowed; nil: it is allowed as it is
	edited     *tools.Change    // what that comes to; nil: what the call would write
	summary    status.PersonEdit
	approves   *Request // what it allows; nil: what was asked
	judgeAgain bool     // no one decided: the policy changed, or a Permit was given
	hubEnds    bool
	displaced  bool // by calls of others
}

// NewQueue makes a Queue without pending approvals.
func NewQueue(c Config) *Queue {
	return &Queue{conf: c, pending: map[string]*pendingApproval{}, forms: map[string]*Form{}}
}

// add enters p, or reports why no more calls may wait.
func (q *Queue) add(p *pendingApproval) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errHubEnds()
	}
	displaced, err := q.chooseDisplaced(p)
	if err != nil {
		return err
	}
	for _, id := range displaced {
		q.displace(id)
	}
	q.pending[p.view.ID] = p
	return nil
}

// endWait ends a wait without a decision; false: it has been decided.
func (q *Queue) endWait(id string, as status.Resolution) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, waits := q.pending[id]
	if waits {
		q.remove(id, status.ApprovalOutcome{Resolution: as})
	}
	return waits
}

// remove ends the wait of id. q.mu is held.
func (q *Queue) remove(id string, o status.ApprovalOutcome) {
	delete(q.pending, id)
	o.ID = id
	q.outcomes = append(q.outcomes, outcome{o, q.conf.Now()})
	if excess := len(q.outcomes) - maxOutcomes; excess > 0 {
		q.outcomes = slices.Delete(q.outcomes, 0, excess)
	}
}

func (q *Queue) removeAll(d decision, as status.Resolution) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, p := range q.pending {
		q.remove(id, status.ApprovalOutcome{Resolution: as})
		p.decision <- d
	}
}

// DecideAllAgain has every waiting call judged under the new policy: its Wait
// returns [ErrDecideAgain]. Permits end.
func (q *Queue) DecideAllAgain() {
	q.EndPermitsOf("")
	q.removeAll(decision{judgeAgain: true}, status.AskedAgain)
}

// Close refuses every pending approval and all that come later.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	for _, f := range q.forms {
		f.expiry.Stop()
	}
	clear(q.forms)
	q.endPermits(func(*Permit) bool { return true })
	q.mu.Unlock()
	q.removeAll(decision{hubEnds: true}, status.ClientLeft)
}

// Pending is what a person sees, oldest first.
func (q *Queue) Pending() []status.Approval {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := make([]status.Approval, 0, len(q.pending))
	for _, p := range q.pending {
		list = append(list, p.view)
	}
	slices.SortFunc(list, func(x, y status.Approval) int {
		return cmp.Or(x.Since.Compare(y.Since), strings.Compare(x.ID, y.ID))
	})
	return list
}

// Outcomes is how the latest approvals ended, oldest first.
func (q *Queue) Outcomes() []status.ApprovalOutcome {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := make([]status.ApprovalOutcome, len(q.outcomes))
	for i, o := range q.outcomes {
		list[i] = o.ApprovalOutcome
	}
	return list
}

// RecordCallEnd notes how the call ended that was allowed as id: with an error, or
// with the Changes that have these IDs. Of one that has ended, or that is not
// remembered, nothing is noted.
func (q *Queue) RecordCallEnd(id string, err error, changes []string) {
	end := status.CallEnd{Changes: changes[:min(len(changes), maxShownTargets)]}
	if e := tools.AsError(err); e != nil {
		end.Code, end.Message = string(e.Code), truncateWithNote(e.Message, maxShownArgsBytes)
	}
	q.setCallEnd(id, end)
}

// RecordAskedAgain notes that the call that was allowed as id wrote nothing,
// because what it would change had changed, and that the person is asked again.
func (q *Queue) RecordAskedAgain(id string) {
	q.setCallEnd(id, status.CallEnd{
		Code: string(tools.Conflict), Message: "what it would change is different from what was shown", AskedAgain: true,
	})
}

func (q *Queue) setCallEnd(id string, end status.CallEnd) {
	defer q.conf.Changed()
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.outcomes {
		o := &q.outcomes[i]
		if o.ID == id && o.Resolution == status.Allowed && o.Call == nil {
			end.Duration = q.conf.Now().Sub(o.at)
			o.Call = &end
		}
	}
}

// Get is a pending approval, the plan of its call, and the rule that the answer
// "always" writes.
func (q *Queue) Get(id string) (a status.Approval, plan status.Plan, always policy.Rule, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.pending[id]
	if p == nil {
		return a, plan, always, false
	}
	return p.view, p.plan, p.rule, true
}

// Answer approves or refuses a pending call for a person. Only the first answer
// counts, and none that comes after the approval's Until.
func (q *Queue) Answer(id string, allow bool, a status.Answer) error {
	return q.answer(id, decision{
		allow: allow, scope: cmp.Or(a.Scope, status.Once), within: a.Within, edit: a.Edit, reason: a.Reason, by: status.ByPerson,
	})
}

func (q *Queue) answer(id string, d decision) error {
	verb := map[bool]string{true: "allow", false: "refuse"}[d.allow]
	if !slices.Contains([]status.Scope{status.Once, status.ForSession, status.Always, status.Timed}, d.scope) {
		return fmt.Errorf("%s call: invalid scope %q (want once, ten-minutes, session or always)", verb, d.scope)
	}
	if n := len([]rune(d.reason)); n > MaxReasonCharacters {
		return fmt.Errorf("%s call: the reason has %d characters; the limit is %d", verb, n, MaxReasonCharacters)
	}
	defer q.conf.Changed() // while the client has a form, no goroutine waits that would call it
	q.mu.Lock()
	defer q.mu.Unlock()
	d.id = id
	p := q.pending[id]
	if p == nil {
		return fmt.Errorf("%s call: no call waits as %s; it was answered, timed out or never existed", verb, id)
	}
	if err := d.resolveScopeAndEdit(p); err != nil {
		return fmt.Errorf("%s call: %w", verb, err)
	}
	switch {
	case d.allow && CheckAllowedScope(p.view, d.scope) != nil:
		return fmt.Errorf("%s call: %w", verb, CheckAllowedScope(p.view, d.scope))
	case isExpired(q.conf.Now(), p.view.Until):
		q.remove(id, status.ApprovalOutcome{Resolution: status.TimedOut})
		p.decision <- decision{reason: "the time for an answer was over"}
		return fmt.Errorf("%s call: %s had timed out; nothing was changed", verb, id)
	case d.allow:
		q.remove(id, status.ApprovalOutcome{Resolution: status.Allowed, By: d.by, PersonEdit: d.summary})
		if d.scope == status.Timed {
			q.grantPermit(p, d.within)
		}
	default:
		q.remove(id, status.ApprovalOutcome{Resolution: status.Refused, By: d.by})
	}
	p.decision <- d
	return nil
}

// resolveScopeAndEdit works out what a yes to p reaches and writes, or reports why it is none.
func (d *decision) resolveScopeAndEdit(p *pendingApproval) (err error) {
	switch {
	case !d.allow:
		return nil
	case d.scope == status.Timed:
		d.within, err = resolvePermitPattern(p.view, d.within)
	}
	if err != nil || d.edit == nil {
		return err
	}
	if d.scope != status.Once {
		return errors.New("an edited call can be allowed only once")
	}
	d.edited, err = p.text.editedChange(*d.edit)
	if d.edited != nil {
		d.summary.Edited = true
		if n := len(d.edit.Hunks); n > 0 {
			d.summary.Hunks, d.summary.LeftOut = len(p.text.hunks), len(p.text.hunks)-n
		}
	}
	return err
}

// CheckAllowedScope reports why a cannot be allowed as far as scope reaches: a yes that
// lasts would be used by every program that claims the same name.
func CheckAllowedScope(a status.Approval, scope status.Scope) error {
	switch {
	case scope == status.Once || scope == status.Timed || !a.OnlyOnce:
		return nil
	case !a.Proven:
		return fmt.Errorf("%s comes from %s, which has not proved its name, so it can be allowed only once; "+
			"a client that `lectern client install` connects proves its name", a.ID, status.ClientLabel(a.Client, false))
	}
	return fmt.Errorf("%s makes other calls, so it can be allowed only once at a time", a.ID)
}

// ErrClosed is the cause of the error of a call that waited, or was to wait, when its queue
// was closed.
var ErrClosed = errors.New("the hub shuts down")

func errHubEnds() error {
	e := tools.Errorf(tools.Unavailable, "the hub ended before the call was approved; nothing was changed").
		WithHint("Call again; the user is asked again.")
	e.Applied, e.Cause = false, ErrClosed
	return e
}
