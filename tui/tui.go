// Package tui is the control panel: what `lectern` shows on a terminal.
//
// It sees the product through a status.Client only, so it runs against a fake as
// well as against a hub, and stops nothing when it ends. Panes are drawn in
// tui/pane, the parts that they are made of in tui/widget, and colours are chosen
// in tui/theme. It touches no file, socket or process: what needs the system
// comes in [Config]. Only cmd imports it.
//
// Start reading at [Model.Update], which only routes: a key goes to the overlay,
// else to the pane (tabs.go), else to the panel. What a pane intends is done in
// dispatch.go. What takes time or can fail, such as the answers to what panes
// ask (docs/adr/0021), is in effects.go.
package tui

import (
	"context"
	"slices"
	"strconv"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// Config is what the panel needs from outside: all of it, but for Memory and Notify.
type Config struct {
	Client status.Client
	// Copy puts text on the clipboard and says what it did ("copied with
	// xclip"), for there are many ways and some fall short.
	Copy func(text string) (how string, err error)
	// Save writes text to a new file whose name begins like name, and returns
	// its path.
	Save func(name, text string) (path string, err error)
	// Export writes the whole log, more than the panel keeps, to a new file among
	// those of Save and returns its path and how many lines it has.
	Export func(context.Context) (path string, lines int, err error)
	// Token reads a token of this machine, by the Part of status.RotateToken, and
	// CopyToken puts it on the clipboard and says how; it writes it into no file.
	Token     func(of string) (text string, err error)
	CopyToken func(of string) (how string, err error)
	// EditFile has a person edit a file in their editor, which has the terminal
	// meanwhile, and delivers what done makes of its end.
	EditFile func(file string, done func(error) tea.Msg) tea.Cmd
	// Edit has a person edit text in their editor, in a file whose name ends like
	// name, and delivers what done makes of it. The editor has the terminal meanwhile.
	Edit func(name, text string, done func(text string, err error) tea.Msg) tea.Cmd
	// Notify is the sequence with which the terminal shows text as a notification;
	// empty: it is not told. Nil: it never is.
	Notify func(text string) string
	// Now is the clock; times are shown in its zone.
	Now     func() time.Time
	Memory  []byte // [Model.StateToSave] of the panel before this one; nil: there was none
	NoColor bool   // no colours, whatever the terminal can do
	ASCII   bool   // the terminal shows no other characters
	Version string // of this program
	// Suspends reports that someone is there who can bring the panel back when
	// it has stopped itself: a shell with job control.
	Suspends bool
	// Setup opens the wizard as soon as this machine was searched.
	Setup bool
}

// Model is the panel, the only tea.Model of the program. [New] makes one.
type Model struct {
	cfg Config
	fx  effects
	key KeyMap

	mode    theme.Mode // what the terminal is like
	colours colourChoice
	theme   theme.Theme
	w, h    int

	snap        status.Snapshot
	hasSnapshot bool // a snapshot arrived, or the attempt to get one failed
	hubPID      int  // of the last hub that ran; 0: there was none
	lost        bool // snap is the last one of a lost connection
	attempts    int  // to reconnect, since the last snapshot
	logs, calls streamState

	tabs            paneTabs
	over            overlay   // nil: none
	ignoreKeysUntil time.Time // the overlay has just opened
	heldYes         heldKey   // the yes to the last question, while it is held down
	asked           overlayQuery
	awaited         firstCallTracker // of the clients that the wizard connected
	approvals       approvalWatch
	notice          notice
	mouse           bool // the panel gets mouse events
	clicked         clickedRow
	wizardOffered   bool
	ticking         bool      // a tick is on its way
	focused         bool      // the terminal has the focus, or does not tell
	spoken          bool      // it is read aloud
	stopped         bool      // by this panel
	looked          time.Time // when the person last looked; zero: never
}

// A streamState is what the panel knows of the log, or of the calls, that it follows.
type streamState struct {
	open bool
	last uint64 // the number of the newest line or call
}

// keyIgnoreDuration is how long an overlay that comes by itself ignores keys: they were
// meant for what was there before.
const keyIgnoreDuration = 400 * time.Millisecond

// New returns the panel over c. Run it with tea.NewProgram.
func New(c Config) Model {
	m := Model{cfg: c, fx: newEffects(c), key: DefaultKeyMap(), w: 80, h: 24, mouse: true, focused: true}
	for _, kind := range pane.All() {
		m.tabs.all = append(m.tabs.all, tab{Kind: kind, pane: kind.New(m.key.Pane, c.Now().Location())})
	}
	// Many terminals never say how their background is; most are dark.
	return m.restoreState(c.Memory).restyle(theme.Mode{Dark: true, NoColor: c.NoColor}).resize(m.w, m.h)
}

// paneNumberKey is the key that goes to the i-th pane; empty: it has none, because
// only the first nine do.
func paneNumberKey(i int) string {
	if i >= 9 {
		return ""
	}
	return strconv.Itoa(i + 1)
}

// Init starts to watch and asks the terminal for its background.
func (m Model) Init() tea.Cmd { return tea.Batch(m.fx.watchStatus(), tea.RequestBackgroundColor) }

// Update implements tea.Model. Afterwards it asks what the visible pane needs to
// know.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	next, cmd := m.update(msg)
	next, tick := next.tickWhileWaiting()
	next, guard := updateKeyGuard(next)
	next, askOver := askOverlayQuery(next)
	next, ask := next.askPaneQuery()
	return next, tea.Batch(cmd, tick, guard, askOver, ask)
}

func (m Model) update(msg tea.Msg) (Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resize(msg.Width, msg.Height), nil
	case tea.BackgroundColorMsg:
		m.mode.Dark = msg.IsDark()
		return m.restyle(m.mode), nil
	case tea.ColorProfileMsg:
		m.mode.NoColor = m.cfg.NoColor || msg.Profile < colorprofile.ANSI
		m.mode.SixteenColors = msg.Profile == colorprofile.ANSI
		return m.restyle(m.mode), nil
	case tea.KeyPressMsg:
		return m.handleKey(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg), nil
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.PasteMsg:
		if over, ok := m.over.(overlayPaster); ok {
			m.over = over.paste(msg.Content)
		}
		if m.over == nil {
			m.tabs = m.tabs.paste(msg.Content)
		}
	case snapshotMsg:
		return m.handleSnapshot(msg)
	case disconnectedMsg:
		return m.handleConnectionLost(msg.err)
	case retryWatchMsg:
		return m, m.fx.watchStatus()
	case tea.FocusMsg:
		m.focused = true
	case tea.BlurMsg:
		m.focused = false
	case keyGuardOverMsg:
		m.approvals.guardTick = false
	case tickMsg:
		m.ticking = false
		return updatePaneTimes(m), nil
	case streamBatchMsg[status.Line]:
		m.logs.last = msg.batch[len(msg.batch)-1].Seq
		m.tabs = changePanes(m.tabs, func(p pane.LogObserver) pane.Pane { return p.AppendLines(msg.batch) })
		return m, batchAfter(msg.next)
	case streamBatchMsg[status.Call]:
		m.calls.last = msg.batch[len(msg.batch)-1].Seq
		m.tabs = changePanes(m.tabs, func(p pane.CallObserver) pane.Pane { return p.ObserveCalls(msg.batch) })
		return observeFirstCalls(m, msg.batch), batchAfter(msg.next)
	case streamEndedMsg[status.Line]:
		m.logs.open = false
		return m, m.fx.retryStreamsLater()
	case streamEndedMsg[status.Call]:
		m.calls.open = false
		return m, m.fx.retryStreamsLater()
	case retryStreamsMsg:
		return m.openStreams()
	case resultMsg:
		if msg.tab == overlayTab {
			return takeOverlayResult(m, msg.result), nil
		}
		m.tabs = m.tabs.takeResult(msg.tab, msg.result)
		if _, ok := msg.result.Query.(pane.EditPlanQuery); ok && msg.result.Err != nil {
			m.notice = errorNotice("take your version", msg.result.Err)
		}
		switch msg.result.Query.(type) {
		case pane.ApprovalQuery, pane.EditPlanQuery: // the change has only now come onto the screen
			m.approvals.ignoreKeysUntil = m.cfg.Now().Add(keyIgnoreDuration)
		}
		return m, msg.next
	case proposedTextMsg:
		return openEditor(m, msg)
	case editedTextMsg:
		return takeEditedText(m, msg)
	case planMsg:
		return m.showPlan(msg), nil
	case actionsDoneMsg:
		return m.handleActionsDone(msg), nil
	case pageFileMsg:
		if msg.ended {
			return reloadEditedPage(m, msg), nil
		}
		return openPageFile(m, msg)
	case noticeMsg:
		m.notice = msg.notice
	}
	return m, nil
}

// resize takes the size of the screen.
func (m Model) resize(w, h int) Model {
	m.w, m.h = w, h
	w, h = m.paneSize()
	m.tabs = changePanes(m.tabs, func(p pane.Resizer) pane.Pane { return p.Resize(w, h) })
	return m
}

func (m Model) restyle(mode theme.Mode) Model {
	m.mode, m.theme = mode, theme.New(m.colours.mode(mode))
	return m
}

// showSnapshot hands a snapshot to every pane.
func (m Model) showSnapshot(s status.Snapshot) Model {
	m.snap, m.hasSnapshot = s, true
	m.tabs = changePanes(m.tabs, func(p pane.Pane) pane.Pane { return p.SetSnapshot(s) })
	m.awaited = m.awaited.observeSnapshot(s)
	if v, ok := m.over.(firstCallView); ok {
		v.calls = m.awaited
		m.over = v
	}
	return updatePaneTimes(m)
}

// openStreams follows the log and the calls, as far as that is not done yet.
func (m Model) openStreams() (Model, tea.Cmd) {
	var logs, calls tea.Cmd
	if !m.logs.open {
		logs = m.fx.followLogs(m.logs.last)
	}
	if !m.calls.open {
		calls = m.fx.followCalls(m.calls.last)
	}
	m.logs.open, m.calls.open = true, true
	return m, tea.Batch(logs, calls)
}

// askPaneQuery asks what the visible pane would like to know, unless that is
// being asked.
func (m Model) askPaneQuery() (Model, tea.Cmd) {
	t := m.tabs.visibleTab()
	p, ok := t.pane.(pane.Querier)
	if !ok || !m.hasSnapshot || m.fx.ctx.Err() != nil {
		return m, nil
	}
	q := p.WantedQuery()
	if diff, ok := q.(pane.DiffQuery); ok && diff.Prefetch && m.spoken {
		q = nil // what comes after a key is said; what was there before it, and is said in another diff too, is not
	}
	if q == t.pending || q == nil && !pane.IsQueryCancelable(t.pending) {
		return m, nil
	}
	ctx, stop := m.fx.ctx, context.CancelFunc(nil)
	if pane.IsQueryCancelable(q) {
		ctx, stop = context.WithCancel(ctx)
	}
	m.tabs = m.tabs.setPendingQuery(m.tabs.current, q, stop)
	if q == nil {
		return m, nil
	}
	return m, m.fx.query(ctx, m.tabs.current, q)
}

func (m Model) handleSnapshot(msg snapshotMsg) (Model, tea.Cmd) {
	if h := msg.snap.Hub; h.PID != m.snap.Hub.PID || !h.Started.Equal(m.snap.Hub.Started) {
		m.logs.last, m.calls.last = 0, 0 // another hub counts its lines and calls again
	}
	first := !m.hasSnapshot
	if h := msg.snap.Hub; h.PID != 0 && h.PID != m.hubPID {
		if h.AfterCrash && m.hubPID != 0 {
			m.notice = infoNotice("The hub crashed and was restarted. Agents connect again by themselves; Logs say more.")
		}
		m.hubPID = h.PID
	}
	note := notifyNewApprovals(m, msg.snap)
	m = m.handleApprovalChanges(msg.snap)
	if !m.notice.sticky && !pane.IsHubRunning(msg.snap) {
		m.notice = notice{} // for that there is no hub matters more
	}
	m.lost, m.attempts = false, 0
	m.stopped = m.stopped && !pane.IsHubRunning(msg.snap)
	m, streams := m.showSnapshot(msg.snap).openStreams()
	wanted := m.cfg.Memory == nil && needsSetup(m.snap) || m.cfg.Setup && pane.IsHubRunning(m.snap) && len(m.snap.Installations) > 0
	if wanted && !m.wizardOffered && m.over == nil {
		m.over, m.ignoreKeysUntil, m.wizardOffered = newWizard(m.key, m.snap), m.cfg.Now().Add(keyIgnoreDuration), true
	}
	cmd := tea.Batch(m.fx.awaitSnapshot(msg.next), streams, note)
	if first && m.snap.Hub.State == status.Stopped {
		// Who opens the panel wants a hub. Later, s starts it: a person may
		// have stopped it.
		m, start := m.dispatch(pane.IntentFor(status.Action{Verb: status.StartHub}))
		return m, tea.Batch(cmd, start)
	}
	return m, cmd
}

// handleConnectionLost tries again: at once when the stream has just ended, for that
// says little, then ever later. From the second time on the panel says so.
func (m Model) handleConnectionLost(err error) (Model, tea.Cmd) {
	if m.fx.ctx.Err() != nil {
		return m, nil // the panel is leaving; the hub is not
	}
	m.attempts++
	if m.attempts == 1 && m.hasSnapshot {
		return m, m.fx.watchStatus()
	}
	m.lost = true
	gone := m.snap
	gone.Hub.State, gone.Hub.Note = status.Failed, err.Error()
	gone.Sessions, gone.Peers, gone.Approvals = nil, nil, nil
	gone.Sources = slices.Clone(gone.Sources)
	for i := range gone.Sources {
		gone.Sources[i].State = status.Stopped
	}
	return m.showSnapshot(gone), m.fx.retryWatchLater(m.attempts)
}

// handleKey routes a key: to the overlay, to the pane, to the panel.
func (m Model) handleKey(k tea.KeyPressMsg) (Model, tea.Cmd) {
	m.clicked = clickedRow{tab: -1}
	w, h := m.paneSize()
	at := pane.Press{KeyPressMsg: k, W: w, H: h}
	switch {
	case k.String() == "ctrl+c":
		return m.quit()
	case key.Matches(k, m.key.Redraw):
		return m, tea.ClearScreen
	case key.Matches(k, m.key.Suspend) && m.cfg.Suspends:
		return m, tea.Suspend
	case key.Matches(k, m.key.Suspend):
		m.notice = infoNotice("Cannot suspend: the panel was not started from a shell. Press q to quit; the hub keeps running.")
		return m, nil
	case m.keyCameTooSoon(k) && m.approvals.warned: // a key that is held down is no second yes
		m.approvals.ignoreKeysUntil = m.cfg.Now().Add(keyIgnoreDuration)
		return m, nil
	case m.keyCameTooSoon(k) && m.notice.isFreshOutcome(m.cfg.Now()): // the key before it was taken, and that is what counts
		return m, nil
	case m.keyCameTooSoon(k):
		m.notice = infoNotice(k.String() + " was not taken: something new has just come up. Look, then press it again.")
		return m, nil
	case m.heldYes.isRepeated(k, m.cfg.Now()):
		m.heldYes.until = m.cfg.Now().Add(keyIgnoreDuration)
		return m, nil
	case m.over != nil:
		next, want := m.over.handleKey(at)
		m.heldYes = heldKey{}
		if _, asked := m.over.(confirmDialog); asked && next == nil && want != nil {
			m.heldYes = heldKey{k.String(), m.cfg.Now().Add(keyIgnoreDuration)}
		}
		m.over = next
		return m.dispatch(want)
	}
	m.heldYes = heldKey{}
	if !m.notice.sticky {
		m.notice = notice{}
	}
	tabs, want := m.tabs.handleKey(at)
	m.tabs = tabs
	if m.approvals.warned { // another key came since
		m.approvals.warned, m.approvals.ignoreKeysUntil = false, time.Time{}
	}
	if _, said := want.(pane.ShowMessage); said && m.tabs.visibleTab().Name == pane.ChangesPane &&
		key.Matches(k, m.key.Pane.Allow, m.key.Pane.AllowScope, m.key.Pane.AllowAlways) {
		m.approvals.warned, m.approvals.ignoreKeysUntil = true, m.cfg.Now().Add(keyIgnoreDuration)
	}
	if _, pass := want.(pane.Unhandled); pass {
		return m.handleGlobalKey(k)
	}
	return m.dispatch(want)
}

// handleKey hands a key to the visible pane.
func (s paneTabs) handleKey(k pane.Press) (paneTabs, pane.Intent) {
	p, want := s.visibleTab().pane.HandleKey(k)
	return s.replacePane(s.current, p), want
}

// handleGlobalKey answers the keys that mean the same in every pane.
func (m Model) handleGlobalKey(k tea.KeyPressMsg) (Model, tea.Cmd) {
	if why := m.globalKeyDisabledReason(k); why != "" {
		m.notice = infoNotice(why)
		return m, nil
	}
	switch {
	case key.Matches(k, m.key.Quit):
		return m.quit()
	case key.Matches(k, m.key.Help):
		m.over = newHelp(m)
	case key.Matches(k, m.key.Mouse):
		m.mouse = !m.mouse
		m.notice = infoNotice(mouseNotice(m.mouse))
	case key.Matches(k, m.key.Colours):
		return m.switchToNextColours(), nil
	case key.Matches(k, m.key.SetUp):
		m.over = newWizard(m.key, m.snap)
	case key.Matches(k, m.key.Palette):
		m.over = newCommandPalette(m)
	case key.Matches(k, m.key.Next):
		m.tabs = m.tabs.switchTo(m.tabs.current + 1)
	case key.Matches(k, m.key.Previous):
		m.tabs = m.tabs.switchTo(m.tabs.current - 1)
	case key.Matches(k, m.key.Tab):
		if i := int(k.String()[0] - '1'); i < len(m.tabs.all) {
			m.tabs = m.tabs.switchTo(i)
		}
	case key.Matches(k, m.key.Waiting):
		m.tabs = m.tabs.showPane(pane.OpenPane{Pane: pane.ChangesPane, Focus: "the first"})
	case key.Matches(k, m.key.Pause):
		return m.dispatch(pane.IntentFor(pane.PauseOrResumeAction(m.snap.Hub.WritesPaused, "")))
	case key.Matches(k, m.key.Dismiss):
		m.notice = notice{}
	case key.Matches(k, m.key.Start), key.Matches(k, m.key.Restart) && !pane.IsHubRunning(m.snap):
		return m.dispatch(pane.IntentFor(status.Action{Verb: status.StartHub}))
	case key.Matches(k, m.key.Restart):
		return m.dispatch(pane.IntentFor(status.Action{Verb: status.RestartHub}))
	case key.Matches(k, m.key.Stop):
		return m.dispatch(pane.IntentFor(status.Action{Verb: status.StopHub}))
	case !m.key.isNavigation(k) && !m.notice.sticky:
		m.notice = infoNotice(unknownKeyText(k, m.tabs, m.key.Pane))
	}
	return m, nil
}

// keyCameTooSoon reports whether k would decide something, but was meant for what
// was there a moment ago: before an overlay opened by itself, or before the
// approvals changed.
func (m Model) keyCameTooSoon(k tea.KeyPressMsg) bool {
	keys, now := m.key.Pane, m.cfg.Now()
	if m.over != nil {
		return now.Before(m.ignoreKeysUntil) && (key.Matches(k, m.key.Yes, keys.Enter, keys.Toggle) || key.Matches(k, keys.Refuse))
	}
	return ignoresDecidingKeys(m) && key.Matches(k, decidingKeys(keys)...)
}

// decidingKeys are those that answer an approval or undo something.
func decidingKeys(k pane.Keys) []key.Binding {
	return []key.Binding{k.Allow, k.AllowScope, k.AllowAlways, k.Refuse, k.Undo, k.UndoSession, k.UndoSince}
}

func (m Model) quit() (Model, tea.Cmd) {
	m.fx.cancel()
	return m, tea.Quit
}
