package approval

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Bounds of what may wait, in places. A call takes one, and one more for each
// megabyte that people are shown, or may edit.
const (
	maxSlotsPerProvenClient = 64  // of a client that has proved its name
	maxUnprovenSlots        = 128 // of all others together, because names are free
	maxSlotsPerOwner        = 64
	bytesPerQueueSlot       = 1 << 20
)

// A slotOwner shares a room of places with others: the sessions of a proven
// client share its room, and the names that are only claimed share one.
type slotOwner struct{ room, name string }

func (p *pendingApproval) slotOwner() slotOwner {
	if p.view.Proven {
		return slotOwner{"proven " + p.view.Client, p.view.Session}
	}
	return slotOwner{"claimed", strings.ToLower(p.view.Client)}
}

func (p *pendingApproval) slotCount() int {
	held := len(p.full.text)
	if p.text != nil {
		held += len(p.text.Before.Data) + len(p.text.After.Data)
	}
	return 1 + held/bytesPerQueueSlot
}

// chooseDisplaced returns the calls that must go so that p can wait. Nobody is refused
// because others fill the room: the one that holds most gives up what came last, as
// long as that leaves it with no less than the newcomer has. q.mu is held.
func (q *Queue) chooseDisplaced(p *pendingApproval) (displaced []string, err error) {
	who, limit := p.slotOwner(), maxSlotsPerProvenClient
	if !p.view.Proven {
		limit = maxUnprovenSlots
	}
	held, used := map[slotOwner]int{}, 0
	var latest []*pendingApproval // of the room, latest first
	for _, other := range q.pending {
		if h := other.slotOwner(); h.room == who.room {
			held[h] += other.slotCount()
			used += other.slotCount()
			latest = append(latest, other)
		}
	}
	slices.SortFunc(latest, func(a, b *pendingApproval) int {
		return cmp.Or(b.view.Since.Compare(a.view.Since), strings.Compare(a.view.ID, b.view.ID))
	})
	own := held[who] + p.slotCount()
	if own > max(maxSlotsPerOwner, p.slotCount()) {
		return nil, errTooManyPending()
	}
	for used+p.slotCount() > limit && used > 0 {
		most := slices.MaxFunc(slices.Collect(maps.Keys(held)), func(a, b slotOwner) int { return cmp.Compare(held[a], held[b]) })
		i := slices.IndexFunc(latest, func(other *pendingApproval) bool { return other.slotOwner() == most })
		if most == who || held[most]-latest[i].slotCount() < own {
			return nil, errTooManyPending()
		}
		displaced = append(displaced, latest[i].view.ID)
		held[most] -= latest[i].slotCount()
		used -= latest[i].slotCount()
		latest = slices.Delete(latest, i, i+1)
	}
	return displaced, nil
}

// displace refuses a call that waits. q.mu is held.
func (q *Queue) displace(id string) {
	p := q.pending[id]
	q.remove(id, status.ApprovalOutcome{Resolution: status.Displaced})
	p.decision <- decision{displaced: true}
}

func errTooManyPending() error {
	return tools.Errorf(tools.Limited, "too many calls wait for the user's approval").WithHint("Wait for answers before you call again.")
}
