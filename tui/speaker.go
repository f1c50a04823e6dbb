package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// A Speaker is the panel for who hears it instead of looking at it: the same
// panes and keys, but nothing is drawn. What a key leads to, and what changes
// by itself and matters, is appended as plain lines: no border, no colour, no
// cursor movement, no line said twice. Run it with tea.WithoutRenderer.
type Speaker struct {
	m    Model
	tell func(line string)
	last []string // what the pane, or what lies over it, said
	tab  int
	over bool
	form bool // keys were text
	note string
}

// spokenWidth is how long a spoken line may be, in cells: nothing that has
// room of its own is cut.
const spokenWidth = 1000

// firstLines is how much of the end of the log is said at first.
const firstLines = 30

// NewSpeaker returns the panel that says what it shows by tell, line by line,
// in order.
func NewSpeaker(c Config, tell func(line string)) Speaker {
	c.NoColor = true
	m := New(c)
	m.theme.Match = theme.Style{} // what a filter found is not what is selected
	m.mouse = false
	return Speaker{m: m.sized(spokenWidth, pane.ReadHeight+10), tell: tell, tab: -1}
}

// Farewell is [Model.Farewell].
func (s Speaker) Farewell() string { return s.m.Farewell() }

// Init implements tea.Model. The terminal is asked nothing: what it answered
// would be heard.
func (s Speaker) Init() tea.Cmd {
	s.tell("Lectern " + s.m.cfg.Version + " for screen readers. Tab goes to the next pane, question mark lists the keys, q quits.")
	return s.m.fx.watch()
}

// View implements tea.Model: there is nothing to draw.
func (s Speaker) View() tea.View { return tea.View{} }

// Update implements tea.Model. It speaks here rather than in a command, for
// commands run side by side and what is said has an order.
func (s Speaker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case tea.WindowSizeMsg, tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.MouseMsg:
		return s, nil
	}
	before, seen := s.m, s.m.seen
	next, cmd := s.m.Update(msg)
	s.m = next.(Model) //nolint:forcetypeassert // a Model's Update returns a Model
	switch msg.(type) {
	case changedMsg, lostMsg:
		if !seen {
			return s.read(), cmd
		}
		for _, line := range changes(before.snap, s.m.snap) {
			s.tell(line)
		}
		if text := before.ended(s.m.snap); text != "" && !s.m.lost {
			s.tell(theme.Plain(text) + ".")
			s.note = s.m.notice.text
		}
		if s.over != (s.m.over != nil) {
			return s.read(), cmd
		}
		s.last = s.lines() // a key says what is new after it, not what has changed meanwhile
	case linesMsg:
		s = s.stream(pane.LogsTab)
	case callsMsg:
		s = s.stream(pane.ActivityTab)
	case factMsg:
		s = s.stream(s.m.tabs[s.m.current].name)
	case tea.KeyPressMsg:
		return s.answer(), cmd
	default:
		return s.read(), cmd
	}
	return s, cmd
}

// answer says what a key led to, and if that is nothing says so: who does not
// see the screen cannot tell a key that did nothing from one that was not heard.
func (s Speaker) answer() Speaker {
	said, tell := false, s.tell
	s.tell = func(line string) {
		said = true
		tell(line)
	}
	s = s.read()
	s.tell = tell
	if !said && s.m.fx.ctx.Err() == nil {
		tell("Nothing changed.")
	}
	return s
}

// stream says what came by itself, if the pane of that name is in sight. How
// its first line changes, which counts, is no news.
func (s Speaker) stream(tab string) Speaker {
	lines := s.lines()
	if s.m.tabs[s.m.current].name == tab && s.tab == s.m.current && s.m.over == nil && len(lines) > 0 {
		for _, line := range s.fresh(lines[1:]) {
			s.tell(line)
		}
	}
	if s.m.over == nil {
		s.last = lines
	}
	return s
}

// read says what is new since it last did: all of another pane, else the lines
// that were not there.
func (s Speaker) read() Speaker {
	lines := s.lines()
	over, form := s.m.over != nil, s.m.typing()
	switch name := s.m.tabs[s.m.current].name; {
	case over && !s.over:
		s.all(lines)
		s.keys(s.m.over.keys())
	case s.tab != s.m.current:
		s.tell(fmt.Sprintf("%s, pane %d of %d.", name, s.m.current+1, len(s.m.tabs)))
		s.all(lines)
	case !over && s.over, !form && s.form:
		s.tell("Back in " + name + ".")
		s.selected(lines)
	default:
		s.news(lines)
	}
	if form && !s.form && !over {
		s.keys(s.m.tabs[s.m.current].pane.Keys())
	}
	s.tab, s.over, s.form, s.last = s.m.current, over, form, lines
	if n := s.m.notice; n.text != s.note {
		if s.note = n.text; n.text != "" {
			s.tell(theme.Plain(n.text))
		}
	}
	return s
}

// keys says which keys mean something in what has opened.
func (s Speaker) keys(keys []key.Binding) {
	all := make([]string, len(keys))
	for i, b := range keys {
		all[i] = words(b.Help().Key) + ": " + b.Help().Desc
	}
	s.tell("Keys: " + strings.Join(all, "; ") + ".")
}

func (s Speaker) all(lines []string) {
	if n := len(lines) - firstLines; n > 0 && s.m.over == nil && s.m.tabs[s.m.current].name == pane.LogsTab {
		s.tell(many(n, "line") + " before these.")
		lines = lines[n:]
	}
	for _, line := range lines {
		s.tell(line)
	}
}

func (s Speaker) selected(lines []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, selectedWord) {
			s.tell(line)
		}
	}
}

// mostLeft is how many lines are said of what a search leaves.
const mostLeft = 12

// news says the lines that were not there before. Of what is found by typing it
// says the best, or how much there is, or all when that is little.
func (s Speaker) news(lines []string) {
	fresh := s.fresh(lines)
	typed := slices.IndexFunc(fresh, func(line string) bool { return strings.HasPrefix(line, typingWord) })
	if typed < 0 || !s.over {
		s.all(fresh)
		return
	}
	s.tell(fresh[typed])
	switch best := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, selectedWord) }); {
	case best:
		s.selected(lines)
		return
	case len(lines) > mostLeft:
		s.tell(many(len(lines)-2, "line") + " found.") // but for title and search
		return
	}
	for _, line := range lines[1:] {
		if line != fresh[typed] {
			s.tell(line)
		}
	}
}

// fresh are the lines that were not said last. One that is selected no more is
// no news.
func (s Speaker) fresh(lines []string) []string {
	old, chosen := map[string]int{}, map[string]bool{}
	for _, line := range s.last {
		old[unmarked(line)]++
		chosen[line] = true
	}
	var fresh []string
	for _, line := range lines {
		known := old[unmarked(line)] > 0
		old[unmarked(line)]--
		if !known || strings.HasPrefix(line, selectedWord) && !chosen[line] {
			fresh = append(fresh, line)
		}
	}
	return fresh
}

// lines are what is uppermost, as words.
func (s Speaker) lines() []string {
	if !s.m.seen {
		return []string{"Looking for the hub."}
	}
	w, h := s.m.room()
	var drawn []string
	if s.m.over != nil {
		drawn = s.m.over.view(s.m.theme, w, h)
		drawn = drawn[:max(0, len(drawn)-1)] // its keys are said when it opens
	} else {
		drawn = strings.Split(s.m.tabs[s.m.current].pane.View(s.m.theme, w, pane.ReadHeight), "\n")
	}
	var lines []string
	for _, line := range drawn {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if text := spoken(line); text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}
