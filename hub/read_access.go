package hub

import (
	"context"
	"net/url"
	"strings"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A sourceRead is a read that is not a call of a tool: of a resource, a prompt or
// a completion.
type sourceRead struct {
	what  string   // in the policy, as the name of a tool
	texts []string // any of them may be a path
	// targets resolves what is read; nil: only the texts tell.
	targets func(context.Context, *sourceRef) []string
}

func newResourceRead(uri string) sourceRead {
	return sourceRead{what: "resources/read", texts: possiblePathsOfURI(uri)}
}

func (r sourceRead) policyRequest(client policy.Client, src *source) policy.Request {
	return policy.Request{
		Client: client, Source: src.conf.Name, SourceEffects: src.effects, MaxEffects: src.maxEffects(),
		Tool: r.what, Effect: tools.Reads, Texts: r.texts,
	}
}

// checkRead judges a read. It cannot wait for a person, so what would be asked is
// refused.
func checkRead(p *policy.Policy, q policy.Request) error {
	if p.AllowsAllGranted() {
		return nil
	}
	d := p.Decide(q)
	if d.Verdict == policy.Ask {
		return tools.Errorf(tools.Denied, "the user wants to be asked about this, and only calls of tools can wait for an answer").
			WithHint("Call the tool that reads it.")
	}
	if d.Verdict != policy.Allow {
		return errForbidden(d)
	}
	return nil
}

// possiblePathsOfURI are the paths that a URI may name: desk://notes/a/b%20c.md may name
// a/b c.md, or b c.md.
func possiblePathsOfURI(uri string) (names []string) {
	_, rest, ok := strings.Cut(uri, "://")
	if !ok {
		rest = uri
	}
	if whole, err := url.PathUnescape(rest); err == nil {
		rest = whole
	}
	for ok := rest != ""; ok; _, rest, ok = strings.Cut(rest, "/") {
		names = append(names, rest)
	}
	return names
}

// runReadOnSource runs f on a source for anything but a tool: with the same grant,
// deadline, slot, panic guard and log as [Hub.call], for what only reads.
func runReadOnSource[T any](
	ctx context.Context, h *Hub, by caller, src *source, r sourceRead, f func(context.Context, *sourceRef) (T, error),
) (T, error) {
	v, err := readSource(ctx, h, by, src, r, f)
	if err == nil {
		return v, nil
	}
	var none T
	e := tools.AsError(h.publicError(by.session, r.what, src, err))
	if src.kind == nil {
		return none, e
	}
	return none, &mcp.SourceError{Cause: e, Format: src.kind.Manifest().ErrorFormat}
}

func readSource[T any](
	ctx context.Context, h *Hub, by caller, src *source, r sourceRead, f func(context.Context, *sourceRef) (T, error),
) (T, error) {
	var none T
	if err := by.toolset.checkGrant(src, tools.Reads); err != nil {
		return none, err
	}
	p, q := h.policy.Load(), r.policyRequest(by.client, src)
	resolves := r.targets != nil && p.DependsOnPath(q)
	if !resolves {
		if err := checkRead(p, q); err != nil {
			return none, err
		}
	}
	return runOnSource(ctx, h.runner, runOptions{session: by.session}, src, func(ctx context.Context, open *sourceRef) (T, error) {
		if resolves {
			q.Targets = r.targets(ctx, open)
			if err := checkRead(p, q); err != nil {
				return none, err
			}
		}
		return f(ctx, open)
	})
}

// redactResult leaves out of an answer what it shows of pages that the policy does not
// let the caller read. approved: a person has let the call read what is asked
// about. That does not count for calls that others make: their rehearsal, which
// nobody has approved yet, must get the same answers.
func (h *Hub) redactResult(c *call, res tools.Result, approved bool) (tools.Result, error) {
	p := h.policy.Load()
	q := c.policyRequest(p)
	if c.tool.info.Redact == nil || !p.DependsOnPath(q) {
		return res, nil
	}
	q.Texts, q.TextsIncomplete = nil, false
	approved = c.decided.group == nil && (approved || c.session.hasAllowance(c.allowanceKey(p)))
	redacted := false
	covered := func(page string) bool {
		q.Targets = []string{page}
		v := p.Decide(q).Verdict
		denied := v == policy.Deny || v == policy.Ask && !approved
		redacted = redacted || denied
		return denied
	}
	without, err := c.tool.info.Redact(res, covered)
	if err != nil || !redacted {
		return res, err
	}
	without.Detail = res.Detail
	return without, nil
}
