package hub

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/hub/policy"
)

// SetPolicy replaces what a person lets agents do. Agents whose lists change are
// told, calls that wait for a person are judged again, and what was allowed for
// a session is forgotten.
func (h *Hub) SetPolicy(p *policy.Policy) {
	h.reload.Lock()
	defer h.reload.Unlock()
	former := h.policy.Load()
	if former.Digest() == p.Digest() {
		return
	}
	h.policy.Store(p)
	h.approvals.PolicyChanged()
	h.refreshToolsets(former.ByClient() || p.ByClient())
	h.snapshot.touch()
}

// describeGrants says in a few words what a client may do, where that differs
// from what the sources grant to every client; h.mu is held.
func (h *Hub) describeGrants(client policy.Client, scope string) string {
	p := h.policy.Load()
	if !p.ByClient() {
		return ""
	}
	var words []string
	for _, src := range h.inScopeLocked(scope) {
		effects := p.Effects(client, src.conf.Name, src.effects, src.maxEffects())
		if slices.Equal(effects, src.effects) {
			continue
		}
		list := make([]string, len(effects))
		for i, e := range effects {
			list[i] = string(e)
		}
		words = append(words, src.conf.Name+": "+cmp.Or(strings.Join(list, ", "), "nothing"))
	}
	return strings.Join(words, "; ")
}
