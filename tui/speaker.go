package tui

import (
	"fmt"
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

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
	note string
}

// spokenWidth is how long a spoken line may be, in cells.
const spokenWidth = 200

// firstLines is how much of the end of the log is said at first.
const firstLines = 30

// NewSpeaker returns the panel that says what it shows by tell, line by line,
// in order.
func NewSpeaker(c Config, tell func(line string)) Speaker {
	c.NoColor = true
	m := New(c)
	m.mouse = false
	return Speaker{m: m.sized(spokenWidth, pane.ReadHeight+10), tell: tell, tab: -1}
}

// Farewell is [Model.Farewell].
func (s Speaker) Farewell() string { return s.m.Farewell() }

// Init implements tea.Model.
func (s Speaker) Init() tea.Cmd {
	s.tell("Lectern " + s.m.cfg.Version + " for screen readers. Tab goes to the next pane, question mark lists the keys, q quits.")
	return s.m.Init()
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
	before, seen := s.m.snap, s.m.seen
	next, cmd := s.m.Update(msg)
	s.m = next.(Model) //nolint:forcetypeassert // a Model's Update returns a Model
	switch msg.(type) {
	case changedMsg, lostMsg:
		if !seen {
			return s.read(), cmd
		}
		for _, line := range changes(before, s.m.snap) {
			s.tell(line)
		}
		s.last = s.lines() // a key says what is new after it, not what has changed meanwhile
	case linesMsg:
		if s.m.tabs[s.m.current].name == pane.LogsTab && s.m.over == nil {
			return s.read(), cmd
		}
	default:
		return s.read(), cmd
	}
	return s, cmd
}

// read says what is new since it last did: all of another pane, else the lines
// that were not there.
func (s Speaker) read() Speaker {
	lines := s.lines()
	over := s.m.over != nil
	switch {
	case s.tab != s.m.current:
		s.tell(fmt.Sprintf("%s, pane %d of %d.", s.m.tabs[s.m.current].name, s.m.current+1, len(s.m.tabs)))
		s.all(lines)
	case over != s.over && over:
		s.all(lines)
	case over != s.over:
		s.tell("Back in " + s.m.tabs[s.m.current].name + ".")
	default:
		s.news(lines)
	}
	s.tab, s.over, s.last = s.m.current, over, lines
	if n := s.m.notice; n.text != s.note {
		if s.note = n.text; n.text != "" {
			s.tell(theme.Plain(n.text))
		}
	}
	return s
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

// news says the lines that were not there before. When only another row is
// selected, that row is all there is to say.
func (s Speaker) news(lines []string) {
	old := map[string]int{}
	for _, line := range s.last {
		old[line]++
	}
	var fresh, selected []string
	for _, line := range lines {
		if old[line]--; old[line] < 0 {
			fresh = append(fresh, line)
			if strings.HasPrefix(line, selectedWord) {
				selected = append(selected, line)
			}
		}
	}
	if len(selected) > 0 && len(fresh) <= 3 {
		fresh = selected
	}
	s.all(fresh)
}

// selectedWord stands before a row that is drawn in reverse.
const selectedWord = "Selected: "

var (
	reversed = regexp.MustCompile(`\x1b\[(?:[0-9]+;)*7m`)
	borders  = strings.NewReplacer("╭", "", "╮", "", "╰", "", "╯", "", "│", " ", "─", "")
)

// lines are what is uppermost, as words.
func (s Speaker) lines() []string {
	if !s.m.seen {
		return []string{"Looking for the hub."}
	}
	w, h := s.m.room()
	var drawn []string
	if s.m.over != nil {
		drawn = s.m.over.view(s.m.theme, w, h)
	} else {
		drawn = strings.Split(s.m.tabs[s.m.current].pane.View(s.m.theme, w, pane.ReadHeight), "\n")
	}
	var lines []string
	for _, line := range drawn {
		text := strings.Join(strings.Fields(borders.Replace(ansi.Strip(line))), " ")
		switch {
		case text == "":
		case reversed.MatchString(line):
			lines = append(lines, selectedWord+text)
		default:
			lines = append(lines, text)
		}
	}
	return lines
}
