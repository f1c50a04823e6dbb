package pane

import (
	"slices"

	"github.com/lectern-mcp/lectern/status"
)

// Size implements [Sizer].
func (p Sources) Size(w, h int) Pane {
	p.w, p.h = w, h
	if p.browse != nil {
		next := *p.browse
		next.w, next.h = w, h
		return p.opened(next)
	}
	return p
}

// Wants implements [Learner].
func (p Sources) Wants() Want {
	if p.browse == nil || !Running(p.snap) {
		return nil
	}
	return p.browse.wants()
}

// Learn implements [Learner].
func (p Sources) Learn(f Fact) Pane {
	if p.browse == nil {
		return p
	}
	return p.opened(p.browse.learn(f))
}

func (p Sources) opened(b browser) Sources {
	p.browse = &b
	return p
}

// look opens the selected source, at its search or at its pages.
func (p Sources) look(search bool) Sources {
	s, _ := p.selected()
	p.looks++
	b := newBrowser(p.keys, p.zone, s.Name, p.w, p.h).show(p.snap)
	b.turn = p.looks << 16 // what an earlier one asked comes to this one as nothing
	if search {
		b.at, b.search.typing, b.search.only = amongHits, true, true
	}
	return p.opened(b)
}

// browsed tells the browser of a snapshot. It is closed with its source, and
// asks another hub anew.
func (p Sources) browsed(s status.Snapshot) Sources {
	if p.browse == nil {
		return p
	}
	there := slices.ContainsFunc(s.Sources, func(one status.Source) bool { return one.Name == p.browse.source })
	if !there {
		p.browse = nil
		return p
	}
	next := p.browse.show(s)
	if again(p.snap, s) {
		next = next.again()
	}
	return p.opened(next)
}

// writesOf says how many of the calls may have changed something.
func writesOf(s status.Source) string {
	if s.Calls == 0 {
		return ""
	}
	return "; " + many(s.Calls-min(s.Writes, s.Calls), "read") + ", " + many(s.Writes, "write")
}
