package hub

import (
	"net/url"
	"strings"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// mayRead judges what reads without being a call of a tool: a resource, a
// prompt, a completion. uri is of what is read; empty: nothing is named. There
// is no way to wait for a person here, so what would be asked is refused.
func (h *Hub) mayRead(who policy.Client, src *source, what, uri string) error {
	p := h.policy.Load()
	if p.Plain() {
		return nil
	}
	d := p.Decide(policy.Request{
		Client: who, Source: src.conf.Name, Base: src.effects, Most: src.most(), Tool: what, Effect: tools.Reads, Named: namesIn(uri),
	})
	if d.Verdict == policy.Ask {
		return tools.Errorf(tools.Denied, "the user wants to be asked about this, which can be done for a tool alone").
			WithHint("Call the tool that reads it.")
	}
	if d.Verdict != policy.Allow {
		return forbidden(d)
	}
	return nil
}

// namesIn are the paths that a URI may name: desk://notes/a/b%20c.md may be
// about a/b c.md, and about b c.md.
func namesIn(uri string) (names []string) {
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
