package pane

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// Activity shows each call of a tool as it ends, the newest first. It keeps the
// last 10,000 and draws only the rows in sight. Drawing is in activity_draw.go.
type Activity struct {
	keys Keys
	zone *time.Location
	snap status.Snapshot

	ring   *callRing // shared with copies of this value
	follow bool      // the newest is selected, whatever comes
	at     uint64    // the number of the selected call, unless it follows
	errors bool      // those that failed stand first
	totals bool
	open   bool // the selected call has the whole pane

	filter Field
	typing bool   // keys go to the filter
	before string // the filter before this one, for ↑
}

// NewActivity returns an Activity that shows times of zone.
func NewActivity(k Keys, zone *time.Location) Activity {
	return Activity{keys: k, zone: zone, ring: newCallRing(), follow: true}
}

// Show implements [Pane].
func (p Activity) Show(s status.Snapshot) Pane {
	p.snap = s
	return p
}

// See implements [Witness].
func (p Activity) See(calls []status.Call) Pane {
	for _, c := range calls {
		p.ring.add(c)
	}
	return p
}

// Seek implements [Seeker]: it shows only the calls of the source part.
func (p Activity) Seek(part string) Pane {
	p.ring.look(sieve{part, p.ring.sieve.needle})
	return p
}

// Typing implements [Paster].
func (p Activity) Typing() bool { return p.typing }

// Paste implements [Paster].
func (p Activity) Paste(text string) Pane {
	if p.typing {
		p.filter = p.filter.Insert(text)
		p.search()
	}
	return p
}

func (p Activity) search() { p.ring.look(sieve{p.ring.sieve.source, p.filter.Value()}) }

func (p Activity) order() order { return order{p.ring, p.errors} }

// position is where the selected call stands.
func (p Activity) position() int {
	if p.follow {
		return 0
	}
	return p.order().find(p.at)
}

// turn selects what stands at i; the top means to follow.
func (p Activity) turn(i int) Activity {
	o := p.order()
	i = clamp(i, o.len())
	p.follow = i == 0 && !p.errors || o.len() == 0
	if o.len() > 0 {
		p.at = o.at(i)
	}
	return p
}

func (p Activity) selected() (status.Call, bool) {
	if p.order().len() == 0 {
		return status.Call{}, false
	}
	return *p.ring.at(p.order().at(p.position())), true
}

// Key implements [Pane].
func (p Activity) Key(k Press) (Pane, Intent) {
	if p.typing {
		return p.filterKey(k), nil
	}
	if why := p.Why(k.KeyPressMsg); why != "" {
		return p, Say{why}
	}
	if moved, ok := p.move(k); ok {
		return moved, nil
	}
	switch {
	case key.Matches(k, p.keys.Filter):
		p.before, p.filter, p.typing = p.filter.Value(), NewField(p.ring.sieve.needle), true
	case key.Matches(k, p.keys.Back) && p.open:
		p.open = false
	case key.Matches(k, p.keys.Back) && p.ring.sieve.needle != "":
		p.before, p.filter = p.filter.Value(), Field{}
		p.search()
	case key.Matches(k, p.keys.Enter):
		p.open = !p.open
		p = p.stay()
	case key.Matches(k, p.keys.Errors):
		p.errors = !p.errors
		p = p.turn(0)
	case key.Matches(k, p.keys.Totals):
		p.totals = !p.totals
	case key.Matches(k, p.keys.Part):
		p.ring.look(sieve{p.nextSource(), p.ring.sieve.needle})
	case key.Matches(k, p.keys.Copy):
		return p, p.copy()
	case p.keys.saves(k, Running(p.snap)):
		return p, p.save()
	default:
		return p, Pass{}
	}
	return p, nil
}

// stay stops following, with the same call selected.
func (p Activity) stay() Activity {
	if p.follow && p.order().len() > 0 {
		p.at, p.follow = p.order().at(0), false
	}
	return p
}

func (p Activity) move(k Press) (Activity, bool) {
	if key.Matches(k, p.keys.Follow) {
		if p.follow {
			return p.stay(), true
		}
		p.follow, p.errors = true, false
		return p, true
	}
	if i, ok := p.keys.moved(k, p.position(), p.order().len(), k.H-4); ok {
		return p.turn(i), true
	}
	return p, false
}

func (p Activity) filterKey(k Press) Pane {
	p.filter, p.typing = p.keys.filtered(k, p.filter, p.before)
	p.search()
	return p
}

// nextSource is the source after the one that is shown; after the last, all.
func (p Activity) nextSource() string {
	i := slices.Index(p.ring.sources, p.ring.sieve.source) + 1
	if i >= len(p.ring.sources) {
		return ""
	}
	return p.ring.sources[i]
}

func (p Activity) copy() Intent {
	c, _ := p.selected()
	return Copy{What: "the call", Text: p.line(c)}
}

func (p Activity) save() Intent {
	o := p.order()
	var b strings.Builder
	for i := range o.len() {
		b.WriteString(p.line(*p.ring.at(o.at(i))))
		b.WriteByte('\n')
	}
	return Save{What: many(uint64(o.len()), "call"), Name: "lectern-calls.log", Text: b.String()}
}

// line is c as it is copied and saved.
func (p Activity) line(c status.Call) string {
	result := "ok"
	if c.Code != "" {
		result = c.Code
	}
	return theme.Plain(fmt.Sprintf("%s %s %s %s %s %s %s asked=%d answered=%d changes=%s", c.Time.In(p.zone).Format(time.RFC3339), c.Client, c.Source,
		c.Tool, c.Effect, c.Duration, result, c.RequestBytes, c.ResponseBytes, strings.Join(c.Changes, ",")))
}

// Keys implements [Pane].
func (p Activity) Keys() []key.Binding {
	if p.typing {
		return []key.Binding{named(p.keys.Enter, "keep the filter"), named(p.keys.Back, "drop it"), named(p.keys.Recall, "the filter before")}
	}
	follow, look := named(p.keys.Follow, "follow"), named(p.keys.Enter, "look into it")
	if p.follow {
		follow = named(p.keys.Follow, "pause")
	}
	if p.open {
		look = named(p.keys.Back, "back to the list")
	}
	keys := []key.Binding{p.keys.Filter, follow, look, p.keys.Errors, p.keys.Totals, named(p.keys.Part, "source"), p.keys.Copy, p.keys.saveKey(Running(p.snap))}
	if p.ring.sieve.needle != "" && !p.open {
		keys = append([]key.Binding{named(p.keys.Back, "drop the filter")}, keys...)
	}
	return keys
}
