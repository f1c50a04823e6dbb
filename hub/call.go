package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A call is what an agent asks for.
type call struct {
	session *session
	client  policy.Client
	view    *view
	tool    string // as published in view
	args    json.RawMessage
	effect  tools.Effect // empty: not known yet
	reason  string       // why the agent makes it; empty: it does not say
	caller  tools.CallContext
	changes *journal.Recorder // of what the call changes; nil: it reads
	elicit  elicitor          // nil: the client cannot ask its user while the call waits
	forms   bool              // it can between two calls
	filled  *mcp.FilledForm   // the form it brings back; nil: none
	form    *form             // and what that is about, until the call waits for it
}

// call is the way of every call of every agent to a source. It is a plain
// sequence, because the order is the security policy and must be readable in
// one screen. Its error is a [tools.Error], in the words of no System, or the
// form that the client is answered with.
func (h *Hub) call(ctx context.Context, c call) (res tools.Result, t *tool, err error) {
	began := h.now()
	var src *source
	defer func() {
		err = h.told(c, src, err)
		h.audit(c, t, src, began, res, err)
	}()

	t, ok := c.view.tools[c.tool]
	if !ok {
		return res, nil, c.view.missing(c.tool)
	}
	src, args, err := t.choice.pick(t.of, c.args)
	if err != nil {
		return res, t, err
	}
	if err = c.view.grant(src, t.info.Effect); err != nil {
		return res, t, err
	}
	if err = h.allowance(&c, t.info.Effect); err != nil {
		return res, t, err
	}
	if c.effect, err = h.effect(ctx, &c, src, t, args); err != nil {
		return res, t, err
	}
	if err = c.view.grant(src, c.effect); err != nil {
		return res, t, err
	}
	leave, err := h.decide(ctx, &c, src, t, args) // may wait for a person
	if err != nil {
		return res, t, err
	}

	ctx, cancel := context.WithTimeout(ctx, h.limits.Deadline)
	defer cancel()
	release, err := c.session.slots.take(ctx)
	if err != nil {
		return res, t, err
	}
	c.changes = h.listen(&c, src, t)
	res, err = within(ctx, src, h.begins(release), func(open *lease) (tools.Result, error) { return h.run(ctx, &c, src, t, open, leave) })
	if err != nil {
		return tools.Result{}, t, err
	}
	if err = capSize(res, t.info, h.limits.Answer); err != nil {
		return tools.Result{}, t, err
	}
	return res, t, nil
}

// grant says whether the person who configured the source allows the effect.
func (v *view) grant(src *source, e tools.Effect) error {
	if v.may(src, e) {
		return nil
	}
	if src.grants(e) {
		return tools.Errorf(tools.Denied, "this client may not %s in source %s", e, src.conf.Name).
			WithHint("Ask the user; `lectern grants` shows them what they granted.")
	}
	if src.conf.ReadOnly {
		return tools.Errorf(tools.Denied, "source %s is read-only for agents", src.conf.Name).
			WithHint("Ask the user; they decide it in Lectern's configuration.")
	}
	return tools.Errorf(tools.Denied, "agents may not %s in source %s", e, src.conf.Name).
		WithHint("Ask the user; they decide it in Lectern's configuration.")
}

// within runs f on the opened source, behind the panic guard. It returns when
// ctx ends even if f does not heed it; done runs when f has returned, so that
// what f holds stays counted.
func within[T any](ctx context.Context, src *source, done func(), f func(*lease) (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	finished := make(chan outcome, 1)
	go func() {
		defer done()
		v, err := leased(ctx, src, f)
		finished <- outcome{v, err}
	}()
	select {
	case o := <-finished:
		return o.v, o.err
	case <-ctx.Done():
	}
	select { // an answer that is there already counts
	case o := <-finished:
		return o.v, o.err
	default:
		var none T
		return none, ctx.Err()
	}
}

// leased runs f on the opened source, behind the panic guard.
func leased[T any](ctx context.Context, src *source, f func(*lease) (T, error)) (T, error) {
	return protected(func() (T, error) {
		open, leave, err := src.acquire(ctx)
		if err != nil {
			var none T
			return none, err
		}
		defer leave()
		return f(open)
	})
}

// capSize holds the bound for one answer. What is too much is refused rather
// than cut: half a JSON object is of no use.
func capSize(r tools.Result, info tools.ToolInfo, most int) error {
	size := r.Size()
	if size <= most {
		return nil
	}
	e := tools.Errorf(tools.Limited, "the answer has %d bytes, more than the %d that fit", size, most)
	if _, ok := info.In.Properties["limit"]; ok {
		return e.WithHint("Ask for less: use a smaller limit, and offset for the rest.")
	}
	return e.WithHint("Ask for less.")
}

// told makes err what an agent may see and leaves the rest to the log.
func (h *Hub) told(c call, src *source, err error) error {
	if isFormOut(err) {
		return err
	}
	e := tools.AsError(err)
	if e == nil {
		return nil
	}
	if e.Code == tools.Internal {
		h.log.Error("call failed", "part", "hub", "session", c.session.ID, "tool", c.tool, "source", nameOf(src),
			"err", err, "cause", e.Cause, "stack", stackOf(err))
	}
	return e
}

// audit writes who called what, for how long and with what outcome: never
// arguments or content.
func (h *Hub) audit(c call, t *tool, src *source, began time.Time, res tools.Result, err error) {
	now := h.now()
	h.calls.Add(1)
	c.session.CountCall(c.tool, now)
	code, effect := "", tools.Effect("")
	if isFormOut(err) {
		code = status.Asked
	} else if e := tools.AsError(err); e != nil {
		code = string(e.Code)
		h.failures.Add(1)
	}
	if t != nil {
		effect = cmp.Or(c.effect, t.info.Effect)
	}
	if src != nil {
		src.calls.Add(1)
		if effect != "" && effect != tools.Reads {
			src.writes.Add(1)
		}
	}
	done := status.Call{
		Time: began, Session: c.session.ID, Client: mcp.Shorten(c.session.ClientName()), Source: nameOf(src), Tool: mcp.Shorten(c.tool),
		Effect: string(effect), Duration: now.Sub(began), RequestBytes: len(c.args), ResponseBytes: res.Size(), Code: code, Changes: c.changes.IDs(),
	}
	h.ring.add(done)
	h.record(c, t, done)
	attrs := []slog.Attr{
		slog.String("part", "audit"), slog.String("session", done.Session), slog.String("client", done.Client),
		slog.String("tool", done.Tool), slog.String("source", done.Source), slog.String("effect", done.Effect),
		slog.Duration("duration", done.Duration), slog.Int("bytes", done.ResponseBytes), slog.String("code", cmp.Or(code, "ok")),
	}
	if len(done.Changes) > 0 {
		attrs = append(attrs, slog.String("changes", strings.Join(done.Changes, " ")))
	}
	h.log.LogAttrs(context.Background(), slog.LevelInfo, "call", attrs...)
	h.picture.touch()
}

func nameOf(s *source) string {
	if s == nil {
		return ""
	}
	return s.conf.Name
}

// Call runs a tool, by its specification's name, on one source, the way of an
// agent: grants, limits and audit hold. Its error is a [tools.Error].
func (h *Hub) Call(ctx context.Context, source, tool string, args json.RawMessage) (tools.Result, error) {
	by, _, err := h.byHand(source)
	if err != nil {
		return tools.Result{}, err
	}
	res, _, err := h.call(ctx, call{session: by.session, client: by.who, view: by.view, tool: tool, args: args, caller: tools.NopCallContext{}})
	return res, err
}
