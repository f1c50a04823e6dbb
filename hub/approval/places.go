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
	placesPerClient = 64  // of a client that has proved its name
	placesOfClaims  = 128 // of all others together, because names are free
	placesPerHolder = 64
	bytesPerPlace   = 1 << 20
)

// A placeHolder shares a room of places with others: the sessions of a proven
// client share its room, and the names that are only claimed share one.
type placeHolder struct{ room, name string }

func (p *pending) holder() placeHolder {
	if p.view.Proven {
		return placeHolder{"proven " + p.view.Client, p.view.Session}
	}
	return placeHolder{"claimed", strings.ToLower(p.view.Client)}
}

func (p *pending) places() int {
	held := len(p.full.text)
	if p.text != nil {
		held += len(p.text.Before.Data) + len(p.text.After.Data)
	}
	return 1 + held/bytesPerPlace
}

// makeRoom returns the calls that must go so that p can wait. Nobody is refused
// because others fill the room: the one that holds most gives up what came last, as
// long as that leaves it with no less than the newcomer has. q.mu is held.
func (q *Queue) makeRoom(p *pending) (displaced []string, err error) {
	who, limit := p.holder(), placesPerClient
	if !p.view.Proven {
		limit = placesOfClaims
	}
	held, used := map[placeHolder]int{}, 0
	var latest []*pending // of the room, latest first
	for _, other := range q.pending {
		if h := other.holder(); h.room == who.room {
			held[h] += other.places()
			used += other.places()
			latest = append(latest, other)
		}
	}
	slices.SortFunc(latest, func(a, b *pending) int {
		return cmp.Or(b.view.Since.Compare(a.view.Since), strings.Compare(a.view.ID, b.view.ID))
	})
	own := held[who] + p.places()
	if own > max(placesPerHolder, p.places()) {
		return nil, errTooManyPending()
	}
	for used+p.places() > limit && used > 0 {
		most := slices.MaxFunc(slices.Collect(maps.Keys(held)), func(a, b placeHolder) int { return cmp.Compare(held[a], held[b]) })
		i := slices.IndexFunc(latest, func(other *pending) bool { return other.holder() == most })
		if most == who || held[most]-latest[i].places() < own {
			return nil, errTooManyPending()
		}
		displaced = append(displaced, latest[i].view.ID)
		held[most] -= latest[i].places()
		used -= latest[i].places()
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
