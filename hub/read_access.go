package hub

import (
	"context"
	"net/url"
	"strings"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// checkRead judges a read that is not a call of a tool: of a resource, a prompt
// or a completion. uri names what is read; empty: nothing. Such a read cannot
// wait for a person, so what would be asked is refused.
func checkRead(p *policy.Policy, client policy.Client, src *source, what, uri string) error {
	if p.HasNoRules() {
		return nil
	}
	d := p.Decide(policy.Request{
		Client: client, Source: src.conf.Name, SourceEffects: src.effects, MaxEffects: src.maxEffects(),
		Tool: what, Effect: tools.Reads, Texts: pathsIn(uri),
	})
	if d.Verdict == policy.Ask {
		return tools.Errorf(tools.Denied, "the user wants to be asked about this, and only calls of tools can wait for an answer").
			WithHint("Call the tool that reads it.")
	}
	if d.Verdict != policy.Allow {
		return forbidden(d)
	}
	return nil
}

// pathsIn are the paths that a URI may name: desk://notes/a/b%20c.md may name
// a/b c.md, or b c.md.
func pathsIn(uri string) (names []string) {
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

// readSource runs f on a source for anything but a tool: with the same grant,
// deadline, slot, panic guard and log as [Hub.call], for what only reads.
func readSource[T any](
	ctx context.Context, h *Hub, by caller, src *source, what, uri string, f func(context.Context, *sourceRef) (T, error),
) (T, error) {
	var none T
	if err := by.toolset.checkGrant(src, tools.Reads); err != nil {
		return none, err
	}
	if err := checkRead(h.policy.Load(), by.client, src, what, uri); err != nil {
		return none, err
	}
	v, err := runOnSource(ctx, h.runner, slot{session: by.session}, src, f)
	if err != nil {
		return none, h.publicError(by.session, what, src, err)
	}
	return v, nil
}
