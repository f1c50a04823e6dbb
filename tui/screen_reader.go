package tui

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A ScreenReader is the panel for who hears it instead of looking at it: the same
// panes and keys, but nothing is drawn. It begins with what waits and what is wrong,
// and then stops: what a key leads to, and of what comes by itself a question, a
// problem and the end of what was answered, are appended as plain lines: no border,
// no colour, no cursor movement, no line said twice. Lines of the log and calls that
// come are heard when a key asks for them. Run it with tea.WithoutRenderer.
type ScreenReader struct {
	m    Model
	say  func(line string)
	last []string // what the pane, or what lies over it, said
	tab  int
	over bool
	form bool // keys were text
	note string
}

// screenReaderWidth is how long a spoken line may be, in cells: nothing that has
// room of its own is cut.
const screenReaderWidth = 1000

// maxFirstSpokenLogLines is how much of the end of the log is said at first.
const maxFirstSpokenLogLines = 30

// NewScreenReader returns the panel that says what it shows by tell, line by
// line, in order.
func NewScreenReader(c Config, tell func(line string)) ScreenReader {
	c.NoColor = true
	m := New(c)
	m.theme.Match = theme.Style{} // what a filter found is not what is selected
	m.mouse, m.spoken, m.tabs.current = false, true, 0
	return ScreenReader{m: m.resize(screenReaderWidth, widget.ScreenReaderHeight+10), say: tell, tab: -1}
}

// ExitMessage is [Model.ExitMessage].
func (s ScreenReader) ExitMessage() string { return s.m.ExitMessage() }

// Init implements tea.Model. The terminal is asked nothing: what it answered
// would be heard.
func (s ScreenReader) Init() tea.Cmd {
	s.say("Lectern " + s.m.cfg.Version + " for screen readers. Tab goes to the next pane, question mark lists the keys, q quits.")
	return s.m.fx.watchStatus()
}

// View implements tea.Model: there is nothing to draw.
func (s ScreenReader) View() tea.View { return tea.View{} }

// Update implements tea.Model. It speaks here rather than in a command, for
// commands run side by side and what is said has an order.
func (s ScreenReader) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case tea.WindowSizeMsg, tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.MouseMsg:
		return s, nil
	}
	before, seen := s.m, s.m.hasSnapshot
	next, cmd := s.m.Update(msg)
	s.m = next.(Model) //nolint:forcetypeassert // a Model's Update returns a Model
	switch msg := msg.(type) {
	case snapshotMsg, disconnectedMsg:
		switch {
		case !seen && s.m.hasSnapshot && s.m.over == nil:
			return s.sayInitialStatus(), cmd
		case !seen:
			return s.sayUpdates(), cmd
		}
		for _, line := range snapshotEvents(before.snap, s.m.snap) {
			s.say(line)
		}
		if text := before.approvals.endedText(before.snap, s.m.snap); text != "" && !s.m.lost {
			s.say(theme.Sanitize(text) + ".")
			s.note = s.m.notice.text
		}
		if s.over != (s.m.over != nil) {
			return s.sayUpdates(), cmd
		}
		s.last = s.lines() // a key says what is new after it, not what has changed meanwhile
	case streamBatchMsg[status.Line], streamBatchMsg[status.Call]:
		if _, waits := s.m.over.(firstCallView); waits {
			return s.sayUpdates(), cmd
		}
		if s.m.over == nil {
			s.last = s.lines()
		}
	case resultMsg:
		s = s.sayQueryResult()
	case tea.KeyPressMsg:
		if before.over == nil && s.m.over == nil && !before.tabs.isTyping() && key.Matches(msg, s.m.key.Tab) &&
			before.tabs.current == s.m.tabs.current {
			s.tab = -1 // the number of the pane that is open reads it again
		}
		return s.sayKeyEffect(), cmd
	default:
		return s.sayUpdates(), cmd
	}
	return s, cmd
}

// sayKeyEffect says what a key led to, and if that is nothing says so: who does not
// see the screen cannot tell a key that did nothing from one that was not heard.
func (s ScreenReader) sayKeyEffect() ScreenReader {
	said, tell := false, s.say
	s.say = func(line string) {
		said = true
		tell(line)
	}
	s = s.sayUpdates()
	s.say = tell
	if !said && s.m.fx.ctx.Err() == nil {
		tell("Nothing changed.")
	}
	return s
}

// sayInitialStatus says what waits for a person and what is wrong.
func (s ScreenReader) sayInitialStatus() ScreenReader {
	snap := s.m.snap
	first := "Nothing waits for you."
	if n := len(snap.Approvals); n == 1 {
		first = "1 call waits for you."
	} else if n > 1 {
		first = widget.CountWithNoun(n, "call") + " wait for you."
	}
	s.say(fmt.Sprintf("%s %s. %s connected.", first, widget.CountWithNoun(len(snap.Problems), "problem"),
		widget.CountWithNoun(len(identifiedSessions(snap.Sessions)), "agent")))
	if !pane.IsHubRunning(snap) {
		s.say(fmt.Sprintf("The hub is %s.", snap.Hub.State))
	}
	for _, a := range snap.Approvals {
		s.say(needsApprovalText(a))
	}
	for _, p := range snap.Problems {
		s.say(problemEventText(p))
	}
	next := "1 reads the overview."
	if len(snap.Approvals) > 0 {
		next = "Exclamation mark goes to what waits. " + next
	}
	s.say(next)
	s.tab, s.last = s.m.tabs.current, s.lines()
	return s
}

// sayQueryResult says what the answer to a query adds to the pane. How its first line
// changes, which counts, is no news.
func (s ScreenReader) sayQueryResult() ScreenReader {
	lines := s.lines()
	if s.tab == s.m.tabs.current && s.m.over == nil && len(lines) > 0 && s.m.tabs.current > 0 {
		for _, line := range s.unsaidLines(lines[1:]) {
			s.say(line)
		}
	}
	if s.m.over == nil {
		s.last = lines
	}
	return s
}

// sayUpdates says what is new since it last did: all of another pane, else the lines
// that were not there.
func (s ScreenReader) sayUpdates() ScreenReader {
	lines := s.lines()
	over, form := s.m.over != nil, s.m.tabs.isTyping()
	switch name := s.m.tabs.visibleTab().Name; {
	case over && !s.over:
		s.sayAll(lines)
		s.sayKeys(s.m.over.keys())
	case s.tab != s.m.tabs.current:
		s.say(fmt.Sprintf("%s, pane %d of %d.", name, s.m.tabs.current+1, len(s.m.tabs.all)))
		s.sayAll(lines)
	case !over && s.over, !form && s.form:
		s.say("Back in " + name + ".")
		s.saySelected(lines)
	default:
		s.sayNewLines(lines)
	}
	if form && !s.form && !over {
		s.sayKeys(s.m.tabs.visibleTab().pane.Bindings())
	}
	s.tab, s.over, s.form, s.last = s.m.tabs.current, over, form, lines
	if n := s.m.notice; n.text != s.note {
		if s.note = n.text; n.text != "" {
			s.say(theme.Sanitize(n.text))
		}
	}
	return s
}

// sayKeys says which keys mean something in what has opened.
func (s ScreenReader) sayKeys(keys []key.Binding) {
	all := make([]string, len(keys))
	for i, b := range keys {
		all[i] = plainText(b.Help().Key) + ": " + b.Help().Desc
	}
	s.say("Keys: " + strings.Join(all, "; ") + ".")
}

func (s ScreenReader) sayAll(lines []string) {
	if n := len(lines) - maxFirstSpokenLogLines; n > 0 && s.m.over == nil && s.m.tabs.visibleTab().Name == pane.LogsPane {
		s.say(widget.CountWithNoun(n, "line") + " before these.")
		lines = lines[n:]
	}
	for _, line := range lines {
		s.say(line)
	}
}

func (s ScreenReader) saySelected(lines []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, selectedPrefix) {
			s.say(line)
		}
	}
}

// maxSpokenResultLines is how many lines are said of what a search leaves.
const maxSpokenResultLines = 12

// sayNewLines says the lines that were not there before. Of what is found by
// typing it says the best, or how much there is, or all when that is little.
func (s ScreenReader) sayNewLines(lines []string) {
	fresh := s.unsaidLines(lines)
	typed := slices.IndexFunc(fresh, func(line string) bool { return strings.HasPrefix(line, typingPrefix) })
	if typed < 0 || !s.over {
		s.sayAll(fresh)
		return
	}
	s.say(fresh[typed])
	switch best := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, selectedPrefix) }); {
	case best:
		s.saySelected(lines)
		return
	case len(lines) > maxSpokenResultLines:
		s.say(widget.CountWithNoun(len(lines)-2, "line") + " found.") // but for title and search
		return
	}
	for _, line := range lines[1:] {
		if line != fresh[typed] {
			s.say(line)
		}
	}
}

// unsaidLines are the lines that were not said last. One that is selected no more is
// no news.
func (s ScreenReader) unsaidLines(lines []string) []string {
	old, chosen := map[string]int{}, map[string]bool{}
	for _, line := range s.last {
		old[trimSelectedPrefix(line)]++
		chosen[line] = true
	}
	var fresh []string
	for _, line := range lines {
		known := old[trimSelectedPrefix(line)] > 0
		old[trimSelectedPrefix(line)]--
		if !known || strings.HasPrefix(line, selectedPrefix) && !chosen[line] {
			fresh = append(fresh, line)
		}
	}
	return fresh
}

// lines are what is uppermost, as words.
func (s ScreenReader) lines() []string {
	if !s.m.hasSnapshot {
		return []string{"Connecting to the hub."}
	}
	w, h := s.m.paneSize()
	var drawn []string
	if s.m.over != nil {
		drawn = s.m.over.view(s.m.theme, w, h)
		drawn = drawn[:max(0, len(drawn)-1)] // its keys are said when it opens
	} else {
		drawn = strings.Split(s.m.tabs.visibleTab().pane.View(s.m.theme, w, widget.ScreenReaderHeight), "\n")
	}
	var lines []string
	for _, line := range drawn {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if text := spokenLineText(line); text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}
