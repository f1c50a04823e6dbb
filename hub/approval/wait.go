package approval

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// progressEvery is how often a waiting client is told that its call waits.
const progressEvery = 5 * time.Second

// ErrDecideAgain ends a wait when the policy has changed meanwhile, or a Permit was
// given that covers the call: it must be judged again.
var ErrDecideAgain = errors.New("what the user allows changed while the call waited")

// A WaitingClient is how the calling program takes part while its call waits.
type WaitingClient struct {
	Progress func(done, total float64, message string)
	// Prompt asks the program's user while the call waits. Nil: it cannot, or
	// what it reports of its user is not trusted.
	Prompt Prompter
	// Forms says that the program asks its user between two calls: the wait is
	// answered with [FormRequiredError].
	Forms bool
	// Form is what the program brings back; nil: nothing.
	Form *Form
}

// WaitForDecision shows r to people until one of them decides, the time is over or ctx
// ends. Only an approval returns a Grant. The error is a [tools.Error],
// [ErrDecideAgain] or a [FormRequiredError].
func (q *Queue) WaitForDecision(ctx context.Context, r Request, c WaitingClient) (*Grant, error) {
	d, err := q.askForDecision(ctx, r, c)
	switch {
	case err != nil:
		if d.allow {
			q.RecordCallEnd(d.id, err, nil)
		}
		return nil, err
	case d.judgeAgain:
		return nil, ErrDecideAgain
	}
	if d.approves != nil {
		r = *d.approves
	}
	g := NewGrant(r, q.conf.Now, q.conf.Now().Add(q.conf.UseWithin))
	g.ID, g.Scope, g.Edited, g.Edit = d.id, d.scope, d.edited, d.summary
	return g, nil
}

func (q *Queue) askForDecision(ctx context.Context, r Request, c WaitingClient) (decision, error) {
	if f := c.Form; f != nil && !f.used && f.covers == r.Digest() {
		f.used = true
		return q.waitOnAfterForm(ctx, c, f)
	}
	if q.conf.Unattended && c.Prompt == nil && !c.Forms {
		return decision{}, errNobodyToAsk(r)
	}
	limit := q.conf.Timeout
	if c.Forms {
		limit = q.conf.FormTimeout
	}
	args := sha256.Sum256(r.Args)
	full := r.describeChanges()
	view := r.view(newID(), q.conf.Now(), limit, full)
	p := &pendingApproval{
		request: r, inForm: c.Forms, view: view, full: full, plan: r.plan(full), form: r.formContent(view, full), rule: r.alwaysRule(),
		args: hex.EncodeToString(args[:]), decision: make(chan decision, 1), call: r.Call, policy: r.Policy, text: full.edit,
	}
	if err := q.add(p); err != nil {
		return decision{}, err
	}
	q.conf.Changed()
	defer q.conf.Changed()
	if q.conf.OnApproval != nil {
		q.conf.OnApproval(view)
	}
	if c.Forms {
		return decision{}, q.issueForm(r, p)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.Prompt != nil {
		go q.prompt(ctx, c.Prompt, p)
	}
	d, err := q.await(ctx, c, p, limit)
	d.approves = &p.request // which is replaced only while p is pending
	q.logDecision(p, d, err)
	return d, err
}

func errNobodyToAsk(r Request) error {
	e := tools.Errorf(tools.Denied, "this call needs the user's approval (%s), and nobody can be asked here; nothing was changed", r.AskReason)
	if r.Setting == "" {
		return e.WithHint("Do not call again. Tell the user: `lectern policy explain` shows which setting decides.")
	}
	return e.WithHint("Do not call again. Tell the user: to allow it without asking, %s.", r.Setting)
}

// await returns the decision on p. One that was sent at the last moment counts.
func (q *Queue) await(ctx context.Context, c WaitingClient, p *pendingApproval, limit time.Duration) (decision, error) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		c.Progress(float64(n), 0, "waits for the user to approve it in Lectern")
		select {
		case <-tick.C:
		case d := <-p.decision:
			return d, d.err(ctx)
		case <-timeout.C:
			if !q.endWait(p.view.ID, status.TimedOut) {
				d := <-p.decision
				return d, d.err(ctx)
			}
			return decision{}, tools.Errorf(tools.Denied, "the call was not approved within %s; nothing was changed", limit.Round(time.Second)).
				WithHint("Tell the user: Lectern's panel and `lectern approve` show what waits. Then call again.")
		case <-ctx.Done():
			if !q.endWait(p.view.ID, status.ClientLeft) {
				d := <-p.decision
				return d, d.err(ctx)
			}
			return decision{}, ctx.Err()
		}
	}
}

// err is the error that the client gets for a decision that does not let its call run.
func (d decision) err(ctx context.Context) error {
	switch {
	case d.hubEnds:
		return errHubEnds()
	case ctx.Err() != nil:
		return ctx.Err()
	case d.allow || d.judgeAgain:
		return nil
	case d.displaced:
		return errTooManyPending()
	}
	e := tools.Errorf(tools.Denied, "the user refused the call; nothing was changed")
	if d.reason != "" {
		return e.WithHint("The user says: %s", d.reason)
	}
	return e.WithHint("Do not try again unless the user asks for it.")
}

// logDecision writes how a wait ended: ids and digests, no content.
func (q *Queue) logDecision(p *pendingApproval, d decision, err error) {
	outcome := "allowed"
	switch {
	case d.judgeAgain:
		outcome = "judged again"
	case err != nil:
		outcome = string(tools.AsError(err).Code)
	}
	q.conf.Log.LogAttrs(context.Background(), slog.LevelInfo, "approval",
		slog.String("component", "audit"), slog.String("id", p.view.ID), slog.String("session", p.view.Session),
		slog.String("client", p.view.Client),
		slog.Bool("proven", p.view.Proven), slog.String("tool", p.view.Tool), slog.String("source", p.view.Source),
		slog.String("outcome", outcome), slog.String("by", string(d.by)), slog.String("scope", string(d.scope)),
		slog.Bool("edited", d.edited != nil),
		slog.String("args", p.args))
}

func newID() string { return strings.ToLower(rand.Text()[:8]) }
