package pane

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// Changes shows the calls that wait for a person, and below them what agents
// wrote, by session. What the selected one would change, or changed, stands
// beside it. Drawing is in changes_draw.go, what is read of the journal in
// changes_book.go.
type Changes struct {
	keys Keys
	zone *time.Location
	snap status.Snapshot

	plans map[string]leaf // of approvals, by ID; replaced, never changed
	book  book
	at    choice
	open  bool // the text of the selected has the whole pane
	top   int  // its first row in sight

	refusing string // the approval that is being refused; empty: none
	reason   Field
}

// A choice says what is selected: an approval or a Change, by its ID.
type choice struct {
	waits bool
	id    string
}

// NewChanges returns a Changes that shows times of zone.
func NewChanges(k Keys, zone *time.Location) Changes {
	return Changes{keys: k, zone: zone, book: newBook()}
}

// Show implements [Pane]. The selection stays where it is while that is there.
func (p Changes) Show(s status.Snapshot) Pane {
	if again(p.snap, s) {
		p.book, p.plans = newBook(), nil
	}
	place := p.position()
	p.snap = s
	kept := map[string]leaf{}
	for id, l := range p.plans {
		if p.approval(id) >= 0 {
			kept[id] = l
		}
	}
	p.plans = kept
	return p.hold(place)
}

// again reports whether now is of another hub than before, or of the same
// after it was away.
func again(before, now status.Snapshot) bool {
	return before.Hub.PID != now.Hub.PID || !before.Hub.Started.Equal(now.Hub.Started) || !Running(before) && Running(now)
}

// hold selects what there is at position i if the selected is gone.
func (p Changes) hold(i int) Changes {
	if at := p.position(); at >= 0 && p.at.id != "" {
		return p
	}
	return p.turn(i)
}

// turn selects what there is at position i.
func (p Changes) turn(i int) Changes {
	i = clamp(i, p.len())
	before := p.at
	switch waiting := len(p.snap.Approvals); {
	case p.len() == 0:
		p.at = choice{}
	case i < waiting:
		p.at = choice{true, p.snap.Approvals[i].ID}
	default:
		p.at = choice{false, p.book.at(i - waiting).ID}
	}
	if p.at != before {
		p.top = 0
	}
	return p
}

func (p Changes) len() int { return len(p.snap.Approvals) + p.book.len() }

// position is where the selected is among all; -1: nowhere.
func (p Changes) position() int {
	if p.at.waits {
		return p.approval(p.at.id)
	}
	if i := p.book.find(p.at.id); i >= 0 {
		return len(p.snap.Approvals) + i
	}
	return -1
}

func (p Changes) approval(id string) int {
	return slices.IndexFunc(p.snap.Approvals, func(a status.Approval) bool { return a.ID == id })
}

// Seek implements [Seeker]: part is the ID of an approval; one that is not
// there means the first.
func (p Changes) Seek(part string) Pane { return p.turn(max(0, p.approval(part))) }

// Wants implements [Learner].
func (p Changes) Wants() Want {
	if p.at.waits {
		if _, known := p.plans[p.at.id]; !known {
			return PlanOf{p.at.id}
		}
	}
	if w := p.book.wants(p.at); w != nil && Running(p.snap) {
		return w
	}
	return nil
}

// Learn implements [Learner].
func (p Changes) Learn(f Fact) Pane {
	place := p.position()
	if w, ok := f.Want.(PlanOf); ok {
		l := newLeaf()
		if f.Err != nil {
			l = l.with(leafRisk, "What it would change is not known: "+f.Err.Error())
		}
		l = l.plan(f.Plan)
		if i := p.approval(w.Approval); i >= 0 {
			l = l.with(leafTitle, "its arguments").with(leafDim, p.snap.Approvals[i].Args)
		}
		plans := map[string]leaf{w.Approval: l}
		for id, l := range p.plans {
			if id != w.Approval {
				plans[id] = l
			}
		}
		p.plans = plans
		return p
	}
	p.book = p.book.learn(f)
	return p.hold(place)
}

// See implements [Witness]: a call that wrote makes the book old.
func (p Changes) See(calls []status.Call) Pane {
	for _, c := range calls {
		if len(c.Changes) > 0 {
			p.book.turn++
			return p
		}
	}
	return p
}

// Done implements [Actor].
func (p Changes) Done(a status.Action, err error) Pane {
	if err == nil && (a.Verb == status.UndoChanges || a.Verb == status.Allow) {
		p.book.turn++
	}
	return p
}

// Typing implements [Paster].
func (p Changes) Typing() bool { return p.refusing != "" }

// Paste implements [Paster].
func (p Changes) Paste(text string) Pane {
	if p.refusing != "" {
		p.reason = p.reason.Insert(text)
	}
	return p
}

// Key implements [Pane].
func (p Changes) Key(k Press) (Pane, Intent) {
	if p.refusing != "" {
		return p.reasonKey(k)
	}
	if why := p.Why(k.KeyPressMsg); why != "" {
		return p, Say{why}
	}
	if next, ok := p.move(k); ok {
		return next, nil
	}
	switch {
	case key.Matches(k, p.keys.Refresh):
		p.book.turn++
		p.plans = nil
		return p, Say{"The journal is read again."}
	case key.Matches(k, p.keys.Allow, p.keys.AllowSession, p.keys.AllowAlways, p.keys.Refuse):
		return p.answer(k)
	case key.Matches(k, p.keys.Undo, p.keys.UndoSession):
		return p, p.undo(key.Matches(k, p.keys.UndoSession))
	case key.Matches(k, p.keys.Copy):
		return p, Copy{What: "the difference", Text: p.text().String()}
	}
	return p, Pass{}
}

func (p Changes) move(k Press) (Changes, bool) {
	i, page := p.position(), max(1, k.H/2)
	switch {
	case key.Matches(k, p.keys.Enter):
		p.open = !p.open
	case key.Matches(k, p.keys.Back) && p.open:
		p.open = false
	case p.open && key.Matches(k, p.keys.Down):
		p = p.scroll(1, k)
	case p.open && key.Matches(k, p.keys.Up):
		p = p.scroll(-1, k)
	case key.Matches(k, p.keys.PageDown):
		p = p.scroll(page, k)
	case key.Matches(k, p.keys.PageUp):
		p = p.scroll(-page, k)
	case p.open && key.Matches(k, p.keys.First):
		p.top = 0
	case p.open && key.Matches(k, p.keys.Last):
		p = p.scroll(1<<30, k)
	case key.Matches(k, p.keys.Down):
		p = p.turn(i + 1)
	case key.Matches(k, p.keys.Up):
		p = p.turn(i - 1)
	case key.Matches(k, p.keys.First):
		p = p.turn(0)
	case key.Matches(k, p.keys.Last):
		p = p.turn(p.len())
	default:
		return p, false
	}
	return p, true
}

func (p Changes) scroll(d int, k Press) Changes {
	w, h := p.inside(k.W, k.H)
	p.top = max(0, min(p.top+d, p.text().height(w)-h))
	return p
}

// answer is what a person says to the selected approval.
func (p Changes) answer(k Press) (Pane, Intent) {
	a := status.Action{Verb: status.Allow, Target: p.at.id, Answer: &status.Answer{Scope: status.Once}}
	switch {
	case key.Matches(k, p.keys.Refuse):
		p.refusing, p.reason = p.at.id, Field{}
		return p, nil
	case key.Matches(k, p.keys.AllowSession):
		a.Answer.Scope = status.ForSession
	case key.Matches(k, p.keys.AllowAlways):
		a.Answer.Scope = status.Always
	}
	return p, wish(a)
}

// reasonKey types the reason of a refusal. The line stays when the approval is
// over meanwhile: what is typed must not become keys that answer another.
func (p Changes) reasonKey(k Press) (Pane, Intent) {
	switch {
	case key.Matches(k, p.keys.Back):
		p.refusing = ""
	case key.Matches(k, p.keys.Enter):
		id := p.refusing
		p.refusing = ""
		if p.approval(id) < 0 {
			return p, Say{"It does not wait any more."}
		}
		return p, wish(status.Action{Verb: status.Refuse, Target: id, Answer: &status.Answer{Reason: p.reason.Value()}})
	default:
		p.reason, _ = p.reason.Key(k.KeyPressMsg)
	}
	return p, nil
}

func (p Changes) undo(session bool) Intent {
	c, _ := p.book.get(p.at.id)
	if session {
		return wish(status.Action{Verb: status.UndoChanges, Filter: &status.Filter{Session: c.Session}})
	}
	return wish(status.Action{Verb: status.UndoChanges, Filter: &status.Filter{IDs: []string{c.ID}}})
}

// text is what the selected would change, or changed.
func (p Changes) text() leaf {
	if p.at.waits {
		if i := p.approval(p.at.id); i >= 0 {
			return p.asked(p.snap.Approvals[i])
		}
		return leaf{}
	}
	return p.book.diff(p.at.id)
}

// asked is all that is known of an approval.
func (p Changes) asked(a status.Approval) leaf {
	l, known := p.plans[a.ID]
	if !known {
		return newLeaf().with(leafDim, "Asking what it would change …")
	}
	return l
}

// Keys implements [Pane].
func (p Changes) Keys() []key.Binding {
	switch {
	case p.refusing != "":
		return []key.Binding{named(p.keys.Enter, "refuse"), named(p.keys.Back, "do not")}
	case p.len() == 0:
		return []key.Binding{p.keys.Refresh}
	}
	turn := named(p.keys.Enter, "read it")
	if p.open {
		turn = named(p.keys.Back, "back to the list")
	}
	if p.at.waits {
		return []key.Binding{p.keys.Allow, p.keys.Refuse, p.keys.AllowSession, p.keys.AllowAlways, turn}
	}
	return []key.Binding{p.keys.Undo, p.keys.UndoSession, turn, p.keys.Copy, p.keys.Refresh}
}

func (p Changes) selected(t theme.Theme, c choice) theme.Theme {
	if p.at == c {
		return t.On()
	}
	return t
}
