package tui

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/lectern-mcp/lectern/tui/pane"
)

// paneTabs are the panes in the order of their tabs, and which of them is
// visible. It is a value: a change leaves earlier copies as they are.
type paneTabs struct {
	all     []tab
	current int
}

type tab struct {
	pane.Kind
	pane    pane.Pane
	pending pane.Query         // nil: nothing is being asked for it
	stop    context.CancelFunc // cancels that; nil: it cannot be
}

func (s paneTabs) visibleTab() tab { return s.all[s.current] }

// replacePane replaces the i-th pane.
func (s paneTabs) replacePane(i int, p pane.Pane) paneTabs {
	s.all = slices.Clone(s.all)
	s.all[i].pane = p
	return s
}

// changePanes changes the panes that are of type P.
func changePanes[P any](s paneTabs, change func(P) pane.Pane) paneTabs {
	s.all = slices.Clone(s.all)
	for i, t := range s.all {
		if p, ok := t.pane.(P); ok {
			s.all[i].pane = change(p)
		}
	}
	return s
}

// switchTo shows the i-th pane, counted round, and hides the one before.
func (s paneTabs) switchTo(i int) paneTabs {
	before := s.current
	if s.current = (i + len(s.all)) % len(s.all); s.current != before {
		return s.hideSecret(before)
	}
	return s
}

func (s paneTabs) hideSecret(i int) paneTabs {
	if p, ok := s.all[i].pane.(pane.SecretPane); ok {
		return s.replacePane(i, p.HideSecret())
	}
	return s
}

// showPane shows a pane by its name, and has it focus on something if that is named.
func (s paneTabs) showPane(to pane.OpenPane) paneTabs {
	i := slices.IndexFunc(s.all, func(t tab) bool { return t.Name == to.Pane })
	if i < 0 {
		return s
	}
	s = s.switchTo(i)
	if p, ok := s.all[i].pane.(pane.ItemPane); ok && to.Focus != "" {
		return s.replacePane(i, p.ShowItem(to.Focus))
	}
	return s
}

// isTyping reports whether keys go to a place for text in the visible pane.
func (s paneTabs) isTyping() bool {
	p, ok := s.visibleTab().pane.(pane.TypingPane)
	return ok && p.IsTyping()
}

func (s paneTabs) paste(text string) paneTabs {
	if p, ok := s.visibleTab().pane.(pane.TypingPane); ok {
		return s.replacePane(s.current, p.Paste(text))
	}
	return s
}

// setPendingQuery notes what is being asked for the i-th tab, and what cancels it. A
// nil Query: nothing any more.
func (s paneTabs) setPendingQuery(i int, q pane.Query, stop context.CancelFunc) paneTabs {
	s.all = slices.Clone(s.all)
	if before := s.all[i].stop; before != nil {
		before()
	}
	s.all[i].pending, s.all[i].stop = q, stop
	return s
}

// takeResult hands the result of a query to the i-th pane. If that is hidden by
// now it keeps nothing that must be hidden.
func (s paneTabs) takeResult(i int, r pane.Result) paneTabs {
	if s.all[i].pending == r.Query && !r.More {
		s = s.setPendingQuery(i, nil, nil)
	}
	if p, ok := s.all[i].pane.(pane.Querier); ok {
		s = s.replacePane(i, p.TakeResult(r))
	}
	if i != s.current {
		s = s.hideSecret(i)
	}
	return s
}

// statesToSave returns what the panes would like to find again, by their names.
func (s paneTabs) statesToSave() map[string]json.RawMessage {
	saved := map[string]json.RawMessage{}
	for _, t := range s.all {
		if p, ok := t.pane.(pane.StateSaver); ok {
			if b, err := json.Marshal(p.StateToSave()); err == nil {
				saved[t.Name] = b
			}
		}
	}
	return saved
}

// restore takes over what save returned, and shows the pane of that name.
func (s paneTabs) restore(current string, saved map[string]json.RawMessage) paneTabs {
	for i, t := range s.all {
		if t.Name == current {
			s.current = i
		}
		if p, ok := t.pane.(pane.StateSaver); ok && saved[t.Name] != nil {
			s = s.replacePane(i, p.RestoreState(saved[t.Name]))
		}
	}
	return s
}
