package approval

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A Form is what a client asks its user between two calls: the call is answered
// with a [FormRequiredError] and ends, and the client makes the same call again with a
// [FilledForm].
//
// The state is random and names the Form, and the Form says what was asked:
// of what comes back only the user's answer is believed, and that only as far as
// the client is trusted with it. While the client has the form the call stays
// pending in the panel. The first answer counts, when the client comes back; if
// it never does, nothing runs.
type Form struct {
	queue   *Queue
	pending *pendingApproval
	call    Digest // of what the client sends; see Request.callDigest
	covers  Digest // of the request
	expiry  *time.Timer

	decided  bool // before the client came back
	decision decision
	used     bool // the wait went on with it
}

// A FormRequiredError is the error of a call that is answered with a form: the client
// shows it to its user and makes the same call again with the answer.
type FormRequiredError struct {
	State string // comes back in [FilledForm]
	FormContent
}

// Error implements error.
func (*FormRequiredError) Error() string { return "the client has to ask its user and call again" }

// A FilledForm is what a client brings back for a [FormRequiredError]. Nothing of it
// is proven.
type FilledForm struct {
	State  string
	Answer FormAnswer
}

// issueForm gives the client its form. The call goes on to wait without it.
func (q *Queue) issueForm(r Request, p *pendingApproval) error {
	state := rand.Text()
	f := &Form{queue: q, pending: p, call: r.callDigest(), covers: r.Digest()}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errHubEnds()
	}
	q.forms[state] = f
	f.expiry = time.AfterFunc(q.conf.FormTimeout, func() {
		if q.takeForm(state, nil) != nil {
			f.endPendingWait(status.TimedOut, tools.Errorf(tools.Timeout, "the client did not come back"))
		}
	})
	return &FormRequiredError{state, p.form}
}

// takeForm removes a form that matches, or any; nil: there is none, and one that
// does not match stays.
func (q *Queue) takeForm(state string, match func(*Form) bool) *Form {
	q.mu.Lock()
	defer q.mu.Unlock()
	f := q.forms[state]
	if f == nil || match != nil && !match(f) {
		return nil
	}
	f.expiry.Stop()
	delete(q.forms, state)
	return f
}

// AcceptForm accepts the form of a call that comes again. The error says why the
// call may not run: the form is unknown or expired, it was about another call,
// or the user refused. Call [Form.Discard] when the call has been judged.
func (q *Queue) AcceptForm(filled FilledForm, r Request) (*Form, error) {
	call := r.callDigest()
	f := q.takeForm(filled.State, func(f *Form) bool {
		return f.pending.view.Session == r.Session && f.call == call && !isExpired(q.conf.Now(), f.pending.view.Until)
	})
	if f == nil {
		return nil, tools.Errorf(tools.Conflict, "the question to the user has expired, or was about another call; nothing was changed").
			WithHint("Call again from the start; the user is asked again.")
	}
	q.answerForm(f.pending, filled.Answer)
	select {
	case f.decision = <-f.pending.decision:
		f.decided = true
	default:
	}
	if f.decided && !f.decision.allow && !f.decision.judgeAgain { // a refusal stands, whatever the policy says by now
		err := f.decision.err(context.Background())
		q.logDecision(f.pending, f.decision, err)
		return nil, err
	}
	return f, nil
}

// Discard ends the wait of a form that the call did not need, or that asked
// something else than what is asked now.
func (f *Form) Discard() {
	if !f.used {
		f.endPendingWait(status.AskedAgain, tools.Errorf(tools.Conflict, "the question changed"))
	}
}

// waitOnAfterForm goes on with the wait: with the decision, or, when the form was closed
// without one, in the panel.
func (q *Queue) waitOnAfterForm(ctx context.Context, c WaitingClient, f *Form) (d decision, err error) {
	defer q.conf.Changed()
	if d = f.decision; !f.decided {
		now := q.conf.Now()
		limit := min(q.conf.Timeout, f.pending.view.Until.Sub(now))
		q.mu.Lock()
		f.pending.view.Until = now.Add(limit)
		q.mu.Unlock()
		q.conf.Changed()
		d, err = q.await(ctx, c, f.pending, limit)
	}
	q.logDecision(f.pending, d, err)
	return d, err
}

func (f *Form) endPendingWait(as status.Resolution, why error) {
	if !f.queue.endWait(f.pending.view.ID, as) {
		f.queue.RecordCallEnd(f.pending.view.ID, why, nil)
	}
	f.queue.logDecision(f.pending, f.decision, why)
	f.queue.conf.Changed()
}

// EndSessionForms ends the waits whose forms a session has.
func (q *Queue) EndSessionForms(session string) {
	q.mu.Lock()
	var states []string
	for state, f := range q.forms {
		if f.pending.view.Session == session {
			states = append(states, state)
		}
	}
	q.mu.Unlock()
	for _, state := range states {
		if f := q.takeForm(state, nil); f != nil {
			f.endPendingWait(status.ClientLeft, tools.Errorf(tools.Timeout, "the session ended"))
		}
	}
}
