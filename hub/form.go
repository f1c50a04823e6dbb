package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A form is a question that a client puts to its user between two calls. In
// the modern era a server sends no requests: a call that must wait is answered
// with the form and a state, and ends; the client makes the same call again
// with what its user said and the state.
//
// The state is random and names this row, and the row alone says what was
// asked: nothing is believed of what comes back but the user's answer, and
// that only as far as the client is trusted with it. While the form is out the
// call waits in the panel as others do. Whoever answers first is heard, when
// the client comes back; if it never does, nothing runs.
type form struct {
	waiting *waiting
	call    binding // the words of the call: see [wordsOf]
	covers  binding // all that a yes covers
	ends    *time.Timer

	answered bool // by anybody, before it came back
	ruling   ruling
}

func isFormOut(err error) bool {
	_, is := errors.AsType[*mcp.FormRequest](err)
	return is
}

// wordsOf digests a call as it was sent, which can be compared before it is
// known what it would change.
func wordsOf(c *call, src *source, t *tool, args []byte) binding {
	return bind(c.client, src.conf.Name, t, withDefaults(t.info.In, args), nil, "")
}

// handOut answers a call with its form. The wait goes on without it.
func (h *Hub) handOut(c *call, q question, w *waiting) error {
	state := rand.Text()
	f := &form{waiting: w, call: wordsOf(c, q.source, q.tool, q.args), covers: q.covers()}
	h.approvals.mu.Lock()
	defer h.approvals.mu.Unlock()
	if h.approvals.closed {
		return errHubEnds()
	}
	if h.approvals.forms == nil {
		h.approvals.forms = map[string]*form{}
	}
	h.approvals.forms[state] = f
	f.ends = time.AfterFunc(h.limits.Form, func() {
		if f := h.approvals.takeForm(state, func(*form) bool { return true }); f != nil {
			h.voids(f, status.TimedOut, tools.Errorf(tools.Timeout, "the client did not come back"))
		}
	})
	h.notWritten(c, q.tool.info.Effect)
	return &mcp.FormRequest{State: state, Message: elicitation(w)}
}

// takeForm takes a form that is right out of those that are out; nil: there is
// none. What is not right stays.
func (a *approvals) takeForm(state string, right func(*form) bool) *form {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.forms[state]
	if f == nil || !right(f) {
		return nil
	}
	f.ends.Stop()
	delete(a.forms, state)
	return f
}

// comesBack finds what was asked about a call that brings a form, or says why
// it may not run: there is no such question, it was about another call, or the
// answer is no.
func (h *Hub) comesBack(c *call, src *source, t *tool, args []byte) (*form, error) {
	words := wordsOf(c, src, t, args)
	f := h.approvals.takeForm(c.filled.State, func(f *form) bool {
		return f.waiting.session == c.session && f.call == words && !over(h.now(), f.waiting.shown.Until)
	})
	if f == nil {
		return nil, tools.Errorf(tools.Conflict, "what the user was asked is over, or was about another call; nothing was changed").
			WithHint("Call again from the start; the user is asked anew.")
	}
	if c.filled.Answer.Given {
		_ = h.answer(f.waiting.shown.ID, rulingOf(c.filled.Answer)) // somebody else was first
	}
	select {
	case f.ruling = <-f.waiting.answer:
		f.answered = true
	default:
	}
	if f.answered && !f.ruling.allow && !f.ruling.again { // before policy: it may have changed, and a no stays one
		_, err := h.heard(context.Background(), f.ruling)
		h.receipt(f.waiting, f.ruling, err)
		return nil, err
	}
	return f, nil
}

// resume goes on where the form left off: with the answer, or in the panel
// alone when the form was closed without one.
func (h *Hub) resume(ctx context.Context, c *call, f *form) (r ruling, err error) {
	defer h.picture.touch()
	if r = f.ruling; !f.answered {
		now := h.now()
		within := min(h.limits.Approval, f.waiting.shown.Until.Sub(now))
		h.approvals.until(f.waiting, now.Add(within))
		h.picture.touch()
		r, err = h.await(ctx, c, f.waiting, within)
	}
	h.receipt(f.waiting, r, err)
	return r, err
}

// until changes how long w waits, if it does.
func (a *approvals) until(w *waiting, end time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting[w.shown.ID] == w { // else somebody answers just now
		w.shown.Until = end
	}
}

// voids ends the wait of a form that nobody will come back with, or that asks
// what is no longer the question.
func (h *Hub) voids(f *form, as status.Resolution, why error) {
	h.approvals.take(f.waiting.shown.ID, as)
	h.receipt(f.waiting, f.ruling, why)
	h.picture.touch()
}

// voidsOf ends those of a session that is over.
func (h *Hub) voidsOf(s *session) {
	h.approvals.mu.Lock()
	var of []string
	for state, f := range h.approvals.forms {
		if f.waiting.session == s {
			of = append(of, state)
		}
	}
	h.approvals.mu.Unlock()
	for _, state := range of {
		if f := h.approvals.takeForm(state, func(*form) bool { return true }); f != nil {
			h.voids(f, status.ClientLeft, tools.Errorf(tools.Timeout, "the session ended"))
		}
	}
}
