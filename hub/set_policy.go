package hub

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/hub/policy"
)

// SetPolicy takes over what a person lets agents do. Agents whose lists change
// are told so, calls that wait for a person are judged anew, and what was
// allowed for a session is forgotten.
func (h *Hub) SetPolicy(p *policy.Policy) {
	h.reload.Lock()
	defer h.reload.Unlock()
	if h.policy.Load().Digest() == p.Digest() {
		return
	}
	h.policy.Store(p)
	h.approvals.end(ruling{again: true})
	h.mu.RLock()
	surfaces := h.surfaceList()
	h.mu.RUnlock()
	for _, sf := range surfaces {
		sf.publish(h.inScope(sf.scope))
	}
	h.picture.touch()
}

// request is a call as p judges it, as long as what it would change is not
// known.
func (c *call) request(p *policy.Policy, src *source, t *tool, args json.RawMessage) policy.Request {
	q := policy.Request{
		Client: c.client, Source: src.conf.Name, Base: src.effects, Most: src.most(),
		Tool: t.info.Name, Effect: cmp.Or(c.effect, t.info.Effect), Schema: t.digest,
	}
	if p.ByPath(q) {
		named, whole := policy.Named(args)
		q.Named, q.Anything = named, !whole
	}
	return q
}

// grantsOf says in a few words what a client may do, where that differs from
// what the sources grant to everybody; mu is held.
func (h *Hub) grantsOf(who policy.Client, scope string) string {
	p := h.policy.Load()
	if !p.ByClient() {
		return ""
	}
	var words []string
	for _, src := range h.inScopeLocked(scope) {
		may := p.Effects(who, src.conf.Name, src.effects, src.most())
		if slices.Equal(may, src.effects) {
			continue
		}
		list := make([]string, len(may))
		for i, e := range may {
			list[i] = string(e)
		}
		words = append(words, src.conf.Name+": "+cmp.Or(strings.Join(list, ", "), "nothing"))
	}
	return strings.Join(words, "; ")
}
