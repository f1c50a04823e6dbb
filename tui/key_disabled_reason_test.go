package tui

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// state is everything that a key could have changed.
func (r *testPanel) state() string {
	return fmt.Sprint(r.m.View().Content, string(r.m.StateToSave()), r.hub.Actions(), r.hub.Previewed(), r.copied, r.saved, r.queries.asked, r.queries.ran, r.ended)
}

// typing reports whether letters are text now.
func (r *testPanel) typing() bool {
	p, ok := r.m.tabs.visibleTab().pane.(pane.TypingPane)
	return ok && p.IsTyping()
}

// at brings r to a screen of the table, with time for what waits there to be
// read.
func at(t *testing.T, c screen) *testPanel {
	t.Helper()
	r := newTestPanelWith(t, c.snap(), filledQueries(), 80, 24)
	r.log()
	c.goTo(r)
	r.wait(keyIgnoreDuration)
	return r
}

// listed are the keys that the help, or a form's own line, says work on the
// screen that r shows, by the title of their group.
func (r *testPanel) listed() map[string][]key.Binding {
	tab := r.m.tabs.visibleTab()
	switch {
	case r.m.over != nil:
		return map[string][]key.Binding{fmt.Sprintf("%T", r.m.over): r.m.over.keys()}
	case r.typing():
		return map[string][]key.Binding{tab.Name + ", typing": tab.pane.Bindings()}
	default:
		all := map[string][]key.Binding{}
		for _, g := range r.m.key.groups() {
			switch g.Title {
			case tab.Name:
				all[g.Title] = g.Keys
			case globalKeysTitle: // but for what means something else here
				all[g.Title] = slices.DeleteFunc(slices.Clone(g.Keys), func(b key.Binding) bool {
					return len(b.Keys()) > 0 && slices.ContainsFunc(tabKeys(r.m), func(own key.Binding) bool { return key.Matches(parseKey(b.Keys()[0]), own) })
				})
			}
		}
		return all
	}
}

// tabKeys are the keys that the help lists for the visible pane.
func tabKeys(m Model) []key.Binding {
	for _, g := range m.key.groups() {
		if g.Title == m.tabs.visibleTab().Name {
			return g.Keys
		}
	}
	return nil
}

// TestEveryKeyAnswers presses every key that is listed on every screen: it does
// something, or a sentence says why not. Every key of the help does something
// on one of them.
func TestEveryKeyAnswers(t *testing.T) {
	// A key is tried on every screen or on none.
	sampled := func(title string, b key.Binding) bool {
		return runtest.InSample(int(crc32.ChecksumIEEE([]byte(title+b.Help().Desc))), 3, 13)
	}
	worked := map[string]bool{}
	for _, c := range screens {
		synctestRun(t, c.name, func(t *testing.T) {
			r := at(t, c)
			for title, bindings := range r.listed() {
				for _, b := range bindings {
					if len(b.Keys()) == 0 || !sampled(title, b) {
						continue
					}
					r := at(t, c)
					k, before := parseKey(b.Keys()[0]), r.state()
					excused := r.m.helpKeyDisabledReason(title, b)
					r.send(k)
					switch does := r.state() != before; {
					case excused != "" && !strings.Contains(flat(r.screen()), flat(excused)):
						t.Errorf("%s, %s: not now because %q, which is not said:\n%s", c.name, k, excused, r.screen())
					case excused == "" && (does || key.Matches(k, r.m.key.Redraw)):
						worked[title+" "+b.Help().Desc] = true
					case !does && r.typing() && strings.Contains(r.screen(), "✗"): // it was said when it was pressed before
					case !does && b.Help().Desc == r.m.key.Waiting.Help().Desc && r.m.tabs.visibleTab().Name == pane.ChangesPane: // there already
					case !does && !r.m.key.isNavigation(k) && !slices.Contains(r.m.key.Tab.Keys(), k.String()):
						t.Errorf("%s, %s (%s) does nothing and says nothing:\n%s", c.name, k, b.Help().Desc, r.screen())
					}
				}
			}
		})
	}
	k := DefaultKeyMap()
	for _, g := range k.groups() {
		for _, b := range g.Keys {
			isPane := slices.ContainsFunc(New(Config{Now: func() time.Time { return noon }}).tabs.all, func(one tab) bool { return one.Name == g.Title })
			if (isPane || g.Title == globalKeysTitle) && sampled(g.Title, b) && !worked[g.Title+" "+b.Help().Desc] {
				t.Errorf("the help lists %s under %s: %s; it does nothing on any screen", b.Help().Key, g.Title, b.Help().Desc)
			}
		}
	}
}

// TestKeysOfForms: what the help lists for a form or a question does something
// there.
func TestKeysOfForms(t *testing.T) {
	on := map[string]string{
		"Adding a source": "sources-add", "Pages of a source": "pages", "Permissions": "sources-grant", "Running a tool": "tools-answer", "Confirmation": "sources-remove", "Lists": "",
	}
	for _, g := range DefaultKeyMap().groups() {
		name, known := on[g.Title]
		isPane := slices.ContainsFunc(New(Config{Now: func() time.Time { return noon }}).tabs.all, func(one tab) bool { return one.Name == g.Title })
		if !known && !isPane && g.Title != globalKeysTitle {
			t.Errorf("on which screen do the keys of %q work?", g.Title)
		}
		for _, c := range screens {
			if c.name != name {
				continue
			}
			for _, b := range g.Keys {
				synctestRun(t, c.name+" "+b.Help().Desc, func(t *testing.T) {
					r := at(t, c)
					if c.name == "tools-answer" && b.Help().Desc == "next option" {
						r.press("tab", "tab", "tab")
					}
					before := r.state()
					r.send(parseKey(b.Keys()[0]))
					if r.state() == before && !strings.Contains(before, "✗ Enter an absolute path") {
						t.Errorf("%s does nothing:\n%s", b.Keys()[0], r.screen())
					}
				})
			}
		}
	}
}

// TestHelpIsSearched by the name of a key and by words.
func TestHelpIsSearched(t *testing.T) {
	for typed, want := range map[string][]string{
		"Q": {"stop the hub"}, "k": {"up"}, "/": {"filter the sources"}, "undo": {"undo the change", "undo all changes of its session"}, "DOCTOR": {"run all checks again"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newTestPanel(t, crowded(), 80, 24)
			r.press("?", typed)
			r.shows(want...)
			r.hides("go to one of the first nine panes")
		})
	}
}

// synctestRun runs test in a bubble of its own, so that the next one runs even when
// this one fails.
func synctestRun(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// flat is text without the breaks of lines.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestNoKeyIsHidden: a key that the help does not list for a pane says that it
// means nothing there.
func TestNoKeyIsHidden(t *testing.T) {
	var names []string
	for c := '!'; c <= '~'; c++ {
		names = append(names, string(c))
		if 'a' <= c && c <= 'z' {
			names = append(names, "ctrl+"+string(c))
		}
	}
	for _, c := range screens {
		synctestRun(t, c.name, func(t *testing.T) {
			r := at(t, c)
			if r.typing() || r.m.over != nil || !slices.Contains(everyModeScreens(t), c.name) {
				return
			}
			known := slices.Clone(r.m.key.groups()[1].Keys) // lists
			for _, bindings := range r.listed() {
				known = append(known, bindings...)
			}
			first := r.m
			for _, name := range names {
				k := parseKey(name)
				if name == "ctrl+c" || key.Matches(k, known...) {
					continue
				}
				r.m = first
				r.send(k)
				if said := strings.Contains(flat(r.screen()), "does nothing here"); !said && (!first.key.isNavigation(k) || r.m.View().Content != first.View().Content) {
					t.Errorf("%s: %s is not listed, and does not say so:\n%s", c.name, name, r.screen())
				}
			}
		})
	}
}
