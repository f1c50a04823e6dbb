package hub

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A leave says that a call may be carried out, and with what in hand.
type leave struct {
	args json.RawMessage // the call runs on the very bytes that were judged
	// check looks at what the call is about to change; its error stops it. Nil:
	// it may change what it likes.
	check func([]tools.Change) error
	// asked says that a person said yes to this very call.
	asked bool
}

// caller is c with the check before it.
func (l leave) caller(c tools.CallContext) tools.CallContext {
	if l.check == nil {
		return c
	}
	return checked{c, l.check}
}

type checked struct {
	tools.CallContext
	check func([]tools.Change) error
}

// BeforeWrite implements [tools.CallContext]: what is refused here reaches nobody.
func (c checked) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	if err := c.check(changes); err != nil {
		return err
	}
	return c.CallContext.BeforeWrite(ctx, changes...)
}

// decide is the one place where policy says allow, ask or deny, and where a
// call waits for a person. Without a policy, what is granted is allowed.
func (h *Hub) decide(ctx context.Context, c *call, src *source, t *tool, args json.RawMessage) (leave, error) {
	if c.filled != nil {
		var err error
		if c.form, err = h.comesBack(c, src, t, args); err != nil {
			return leave{}, err
		}
		defer func() {
			if c.form != nil { // the call did not have to wait, or not for what the form says
				h.voids(c.form, status.AskedAgain, tools.Errorf(tools.Conflict, "the question changed"))
			}
		}()
	}
	if h.policy.Load().Plain() && h.blown(c.client, c.effect) == "" {
		return leave{args: args}, nil
	}
	for {
		l, again, err := h.judge(ctx, c, src, t, args)
		if !again {
			return l, err
		}
	}
}

// judge is decide under one policy; again: that changed while a person was
// asked.
func (h *Hub) judge(ctx context.Context, c *call, src *source, t *tool, args json.RawMessage) (l leave, again bool, err error) {
	p := h.policy.Load()
	q := c.request(p, src, t, args)
	d := p.Decide(q)
	blown := h.blown(c.client, c.effect)
	switch {
	case d.Verdict == policy.Deny:
		return l, false, forbidden(d)
	case isDry(t.info, args):
		return leave{args: args, check: changesNothing}, false, nil
	case d.Verdict == policy.Allow && blown == "" && !p.ByPath(q):
		return leave{args: args}, false, nil
	}
	full := withDefaults(t.info.In, args)
	r, err := h.rehearse(ctx, c, src, t, full)
	if err != nil {
		return l, false, err
	}
	if r.known {
		q.Targets = targets(r.changes)
		d = p.Decide(q)
	}
	switch {
	case d.Verdict == policy.Deny:
		return l, false, forbidden(d)
	case r.known && len(r.changes) == 0:
		return leave{args: full, check: changesNothing}, false, nil
	case blown == "" && (d.Verdict == policy.Allow || c.session.stands(standing(p, src, t))):
		return leave{args: full, check: h.rejudged(p, q)}, false, nil
	}
	return h.ask(ctx, c, question{policy: p, request: q, source: src, tool: t, args: full, rehearsal: r, why: cmp.Or(blown, d.Why)})
}

// rejudged checks what a call that need not wait is about to change.
func (h *Hub) rejudged(p *policy.Policy, q policy.Request) func([]tools.Change) error {
	return func(changes []tools.Change) error {
		q := q
		q.Targets = targets(changes)
		if d := p.Decide(q); d.Verdict == policy.Deny {
			return forbidden(d)
		}
		return nil
	}
}

func changesNothing([]tools.Change) error {
	return tools.Errorf(tools.Conflict, "the call was to change nothing, and is about to").WithHint("Read again, then call again.")
}

func forbidden(d policy.Decision) error {
	return tools.Errorf(tools.Denied, "the user's policy forbids this").WithHint("Ask the user; `lectern policy explain` tells them which rule it is.").WithData(
		map[string]any{"granted": d.Granted})
}

// standing names what is allowed for a session: one tool of one source, as long
// as its declaration and the policy are the same.
func standing(p *policy.Policy, src *source, t *tool) string {
	return src.conf.Name + "/" + t.info.Name + "/" + t.digest + "/" + p.Digest()
}

func (s *session) stands(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allowed[what]
}

func (s *session) allow(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.allowed == nil {
		s.allowed = map[string]bool{}
	}
	s.allowed[what] = true
}

func targets(changes []tools.Change) []string {
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Target
	}
	return names
}

// isDry reports whether a call of a tool that knows dry_run asks for it.
func isDry(info tools.ToolInfo, args json.RawMessage) bool {
	if info.In.Properties["dry_run"] == nil {
		return false
	}
	var in struct {
		Dry bool `json:"dry_run"`
	}
	return json.Unmarshal(args, &in) == nil && in.Dry
}

// withDefaults writes arguments in one form: keys sorted, numbers as they were
// written, what the schema defaults filled in. What is no object stays; the
// tool refuses it.
func withDefaults(in *jsonschema.Schema, args json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if d.Decode(&object) != nil || object == nil {
		return args
	}
	for name, p := range in.Properties {
		if _, given := object[name]; !given && p.Default != nil {
			object[name] = p.Default
		}
	}
	b, err := json.Marshal(object)
	if err != nil {
		return args
	}
	return b
}

// A question is a call that a person is asked about.
type question struct {
	policy    *policy.Policy
	request   policy.Request
	source    *source
	tool      *tool
	args      json.RawMessage
	rehearsal rehearsed
	why       string
}

// covers digests what a yes to q is a yes to.
func (q question) covers() binding {
	return bind(q.request.Client, q.source.conf.Name, q.tool, q.args, q.rehearsal.changes, q.policy.Digest())
}

// holdsUnder is the digest of the policy under which a yes to q is used. One
// that has come since and lets the call pass unasked takes nothing from it: an
// answer for good becomes such a rule while its own call goes on.
func (h *Hub) holdsUnder(c *call, q question, changes []tools.Change) string {
	p := h.policy.Load()
	now := c.request(p, q.source, q.tool, q.args)
	now.Targets = targets(changes)
	if p.Digest() != q.policy.Digest() && p.Decide(now).Verdict == policy.Allow {
		return q.policy.Digest()
	}
	return p.Digest()
}

// ask waits for a person and returns what their yes covers.
func (h *Hub) ask(ctx context.Context, c *call, q question) (l leave, again bool, err error) {
	r, err := h.wait(ctx, c, q)
	if err != nil || r.again {
		return l, r.again, err
	}
	bound := func(changes []tools.Change) binding {
		return bind(c.client, q.source.conf.Name, q.tool, q.args, changes, h.holdsUnder(c, q, changes))
	}
	tk := newTicket(q.covers(), h.now(), h.limits.Deadline)
	if r.scope == status.ForSession {
		c.session.allow(standing(q.policy, q.source, q.tool))
	}
	if q.rehearsal.known {
		return leave{args: q.args, check: func(changes []tools.Change) error { return tk.use(h.now(), bound(changes)) }, asked: true}, false, nil
	}
	if err := tk.use(h.now(), bound(nil)); err != nil {
		return l, false, err
	}
	return leave{args: q.args, check: h.rejudged(q.policy, q.request), asked: true}, false, nil
}
