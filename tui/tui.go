// Package tui is the control panel: what `lectern` shows on a terminal.
//
// It sees the product through a status.Client alone, so it runs against a fake
// as well as against a hub, and stops nothing when it ends. It is not where
// panes are drawn (tui/pane) nor where colours are chosen (tui/theme), and it
// touches no file, socket or process: what needs the system comes in [Config].
// Only cmd imports it.
//
// Start reading at [Model.Update], which only routes: a key goes to the
// overlay, else to the pane, else it is the panel's; what a pane intends
// becomes a command in effects.go, and what comes of that a message. What a pane
// wants to know (docs/adr/0021) becomes one in findings.go.
package tui

import (
	"context"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// Config is what the panel needs from outside.
type Config struct {
	Client status.Client
	// Copy puts text on the clipboard and says what it did ("copied with
	// xclip"), for there are many ways and some fall short. nil: there is none.
	Copy func(text string) (how string, err error)
	// Save writes text to a new file whose name begins like name, and returns
	// its path. nil: nothing can be saved.
	Save func(name, text string) (path string, err error)
	// Export writes the whole log, more than the panel keeps, to a new file and
	// returns its path and how many lines it has. An empty name: a new file
	// among those of Save. nil: there is no log here.
	Export func(ctx context.Context, name string) (path string, lines int, err error)
	// Token reads a token of this machine, by the Part of status.RotateToken, and
	// CopyToken puts it on the clipboard and says how; it writes it into no file.
	// nil: there are none here.
	Token     func(of string) (text string, err error)
	CopyToken func(of string) (how string, err error)
	// Now is the clock; times are shown in its zone.
	Now func() time.Time
	// Dark is how the ground is taken to be until the terminal answers; many
	// never do.
	Dark    bool
	Memory  []byte // [Model.Memory] of the panel before this one; nil: there was none
	NoColor bool   // no colours, whatever the terminal can do
	Version string // of this program
	// Suspends reports that somebody is there who can bring the panel back when
	// it has stopped itself: a shell with job control.
	Suspends bool
}

// Model is the panel, the only tea.Model of the program. [New] makes one.
type Model struct {
	cfg Config
	fx  effects
	key KeyMap

	mode    theme.Mode // what the terminal is like
	colours colours
	theme   theme.Theme
	w, h    int

	snap    status.Snapshot
	seen    bool // a snapshot has come, or the attempt to get one has failed
	lost    bool // what snap shows is over
	tries   int  // to watch, since the last snapshot
	reading bool // the log is being read
	lastSeq uint64
	calls   stream // of what agents do

	tabs    []tab
	current int
	over    overlay   // nil: none
	deaf    time.Time // keys are not for the overlay before
	moved   time.Time // keys do not answer what waits before: it has just changed
	notice  notice
	mine    []string // the approvals that are answered from here
	mouse   bool     // it is the panel's, not the terminal's
	clicked clicked
	offered bool // the set-up
	stopped bool // a person stopped the hub from here
}

type tab struct {
	name  string
	short string // where there is no room for all names
	pane  pane.Pane
	asked pane.Want // what is being found out for it; nil: nothing
	stop  func()    // ends that, where it is no longer of use
}

// grace is how long an overlay that comes by itself ignores keys: they were
// meant for what was there before.
const grace = 400 * time.Millisecond

// New returns the panel over c. Run it with tea.NewProgram.
func New(c Config) Model {
	k, zone := DefaultKeyMap(), c.Now().Location()
	m := Model{
		cfg: c, fx: newEffects(c), key: k, w: 80, h: 24, mouse: true,
		tabs: []tab{
			{name: pane.OverviewTab, short: "Over", pane: pane.NewOverview(k.Pane, zone)},
			{name: pane.SourcesTab, short: "Src", pane: pane.NewSources(k.Pane, zone)},
			{name: pane.ActivityTab, short: "Act", pane: pane.NewActivity(k.Pane, zone)},
			{name: pane.ChangesTab, short: "Chg", pane: pane.NewChanges(k.Pane, zone)},
			{name: pane.ClientsTab, short: "Cli", pane: pane.NewClients(k.Pane, zone)},
			{name: pane.ToolsTab, short: "Tool", pane: pane.NewTools(k.Pane, zone)},
			{name: pane.LogsTab, short: "Log", pane: pane.NewLogs(k.Pane, zone)},
			{name: pane.DoctorTab, short: "Doc", pane: pane.NewDoctor(k.Pane, zone)},
			{name: pane.SettingsTab, short: "Set", pane: pane.NewSettings(k.Pane, zone)},
		},
	}
	return m.recall(c.Memory).look(theme.Mode{Dark: c.Dark, NoColor: c.NoColor}).sized(m.w, m.h)
}

// Init starts to watch and asks the terminal for its ground.
func (m Model) Init() tea.Cmd { return tea.Batch(m.fx.watch(), tea.RequestBackgroundColor) }

// Update takes a message and changes the panel, nothing else. What the pane in
// sight would like to know then is asked for.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	next, cmd := m.update(msg)
	changed, ok := next.(Model)
	if !ok {
		return next, cmd
	}
	if m.current != changed.current {
		changed = changed.leave(m.current)
	}
	asked, ask := changed.ask()
	return asked, tea.Batch(cmd, ask)
}

func (m Model) update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.sized(msg.Width, msg.Height), nil
	case tea.BackgroundColorMsg:
		m.mode.Dark = msg.IsDark()
		return m.look(m.mode), nil
	case tea.ColorProfileMsg:
		m.mode.NoColor = m.cfg.NoColor || msg.Profile < colorprofile.ANSI
		m.mode.Few = msg.Profile == colorprofile.ANSI
		return m.look(m.mode), nil
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.PasteMsg:
		return m.paste(msg.Content), nil
	case changedMsg:
		return m.changed(msg)
	case lostMsg:
		return m.lose(msg.err)
	case retryMsg:
		return m, m.fx.watch()
	case linesMsg:
		return m.read(msg), m.fx.lines(msg.next)
	case logEndedMsg:
		m.reading = false
		return m, m.fx.logsLater()
	case retryLogsMsg:
		return m.openLogs()
	case callsMsg:
		return m.see(msg), m.fx.moreCalls(msg.next)
	case callsEndedMsg:
		m.calls.open = false
		return m, m.fx.callsLater()
	case retryCallsMsg:
		return m.openCalls()
	case factMsg:
		return m.learn(msg)
	case planMsg:
		return m.confirm(msg), nil
	case plansMsg:
		return m.confirmAll(msg), nil
	case allDoneMsg:
		return m.doneAll(msg), nil
	case doneMsg:
		return m.done(msg), nil
	case toldMsg:
		m.notice = msg.notice
	}
	return m, nil
}

// sized takes the size of the screen.
func (m Model) sized(w, h int) Model {
	m.w, m.h = w, h
	w, h = m.room()
	for i, t := range m.tabs {
		if s, ok := t.pane.(pane.Sizer); ok {
			m = m.set(i, s.Size(w, h))
		}
	}
	return m
}

func (m Model) look(mode theme.Mode) Model {
	m.mode, m.theme = mode, theme.New(m.colours.on(mode))
	return m
}

// show hands a snapshot to every pane.
func (m Model) show(s status.Snapshot) Model {
	m.snap, m.seen = s, true
	for i := range m.tabs {
		m = m.set(i, m.tabs[i].pane.Show(s))
	}
	return m
}

// leave tells the i-th pane that it is out of sight.
func (m Model) leave(i int) Model {
	if l, ok := m.tabs[i].pane.(pane.Leaver); ok {
		return m.set(i, l.Leave())
	}
	return m
}

// set replaces the i-th pane. The slice is copied: a Model is a value.
func (m Model) set(i int, p pane.Pane) Model {
	m.tabs = append([]tab(nil), m.tabs...)
	m.tabs[i].pane = p
	return m
}

func (m Model) changed(msg changedMsg) (tea.Model, tea.Cmd) {
	if h := msg.snap.Hub; h.PID != m.snap.Hub.PID || !h.Started.Equal(m.snap.Hub.Started) {
		m.lastSeq, m.calls.last = 0, 0 // another hub counts its lines and calls anew
	}
	first := !m.seen
	m = m.announce(msg.snap)
	if !m.notice.stays && !pane.Running(msg.snap) {
		m.notice = notice{} // for that there is no hub matters more
	}
	m.lost, m.tries = false, 0
	m.stopped = m.stopped && !pane.Running(msg.snap)
	opened, logs := m.show(msg.snap).openLogs()
	if opened.due() {
		opened.over, opened.deaf, opened.offered = newWizard(m.key, msg.snap), m.cfg.Now().Add(grace), true
	}
	opened, calls := opened.openCalls()
	cmd := tea.Batch(m.fx.next(msg.next), logs, calls)
	if first && msg.snap.Hub.State == status.Stopped {
		// Who opens the panel wants a hub. Later, s starts it: a person may
		// have stopped it.
		started, start := opened.start()
		return started, tea.Batch(cmd, start)
	}
	return opened, cmd
}

// openLogs reads the log if nobody does.
func (m Model) openLogs() (Model, tea.Cmd) {
	if m.reading {
		return m, nil
	}
	m.reading = true
	return m, m.fx.logs(m.lastSeq)
}

// lose tries again: at once when the stream has just ended, for that alone says
// little, then ever later. From the second time on the panel says so.
func (m Model) lose(err error) (tea.Model, tea.Cmd) {
	if m.fx.ctx.Err() != nil {
		return m, nil // the panel is leaving; the hub is not
	}
	m.tries++
	if m.tries == 1 && m.seen {
		return m, m.fx.watch()
	}
	m.lost = true
	gone := m.snap
	gone.Hub.State, gone.Hub.Note = status.Failed, err.Error()
	gone.Sessions, gone.Peers, gone.Approvals = nil, nil, nil
	gone.Sources = append([]status.Source(nil), gone.Sources...)
	for i := range gone.Sources {
		gone.Sources[i].State = status.Stopped
	}
	return m.show(gone), m.fx.watchLater(m.tries)
}

func (m Model) read(msg linesMsg) Model {
	m.lastSeq = msg.lines[len(msg.lines)-1].Seq
	for i, t := range m.tabs {
		if r, ok := t.pane.(pane.Reader); ok {
			m = m.set(i, r.Read(msg.lines))
		}
	}
	return m
}

func (m Model) paste(text string) Model {
	if p, ok := m.tabs[m.current].pane.(pane.Paster); ok && m.over == nil {
		return m.set(m.current, p.Paste(text))
	}
	return m
}

// press routes a key: to the overlay, to the pane, to the panel.
func (m Model) press(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	m.clicked = clicked{tab: -1}
	w, h := m.room()
	at := pane.Press{KeyPressMsg: k, W: w, H: h}
	switch {
	case k.String() == "ctrl+c":
		return m.quit()
	case key.Matches(k, m.key.Redraw):
		return m, tea.ClearScreen
	case key.Matches(k, m.key.Suspend):
		return m.suspend()
	case m.over != nil && m.cfg.Now().Before(m.deaf), m.startled():
		return m, nil
	case m.over != nil:
		next, want := m.over.key(at)
		m.over = next
		return m.carryOut(want)
	}
	if !m.notice.stays {
		m.notice = notice{}
	}
	p, want := m.tabs[m.current].pane.Key(at)
	m = m.set(m.current, p)
	if _, pass := want.(pane.Pass); pass {
		return m.own(k)
	}
	return m.carryOut(want)
}

// own answers the keys that mean the same in every pane.
func (m Model) own(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	if why := m.why(k); why != "" {
		m.notice = said(why)
		return m, nil
	}
	switch {
	case key.Matches(k, m.key.Quit):
		return m.quit()
	case key.Matches(k, m.key.Help):
		m.over = newHelp(m.key, m.reasons())
	case key.Matches(k, m.key.Mouse):
		return m.toggleMouse(), nil
	case key.Matches(k, m.key.Colours):
		return m.otherColours(), nil
	case key.Matches(k, m.key.SetUp):
		m.over = newWizard(m.key, m.snap)
	case key.Matches(k, m.key.Palette):
		m.over = newPalette(m.key, m.tabNames(), m.reasons())
	case key.Matches(k, m.key.Next):
		m.current = (m.current + 1) % len(m.tabs)
	case key.Matches(k, m.key.Previous):
		m.current = (m.current + len(m.tabs) - 1) % len(m.tabs)
	case key.Matches(k, m.key.Tab):
		m.current = int(k.String()[0] - '1')
	case key.Matches(k, m.key.Waiting):
		return m.carryOut(pane.Open{Tab: pane.ChangesTab, Part: "the first"})
	case key.Matches(k, m.key.Dismiss):
		m.notice = notice{}
	case key.Matches(k, m.key.Start):
		return m.start()
	case key.Matches(k, m.key.Restart) && !pane.Running(m.snap):
		return m.start()
	case key.Matches(k, m.key.Restart):
		return m.carryOut(pane.Ask{Action: status.Action{Verb: status.RestartHub}})
	case key.Matches(k, m.key.Stop):
		return m.carryOut(pane.Ask{Action: status.Action{Verb: status.StopHub}})
	case !m.moves(k) && !m.notice.stays:
		m.notice = said(m.stray(k))
	}
	return m, nil
}

// suspend leaves the terminal to the shell until that brings the panel back.
func (m Model) suspend() (tea.Model, tea.Cmd) {
	if !m.cfg.Suspends {
		m.notice = said("There is no shell here that could bring the panel back from the background. q quits; the hub keeps running.")
		return m, nil
	}
	return m, tea.Suspend
}

func (m Model) quit() (tea.Model, tea.Cmd) {
	m.fx.cancel()
	return m, tea.Quit
}
