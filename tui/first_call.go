package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// firstCallTracker waits for the first call of each client that the wizard has connected.
type firstCallTracker struct {
	since   time.Time // calls before are not regarded
	source  string    // that the question is about; empty: none is known yet
	clients []awaitedClient
}

// An awaitedClient is a client that was connected and what came of it.
type awaitedClient struct {
	id, title string
	note      string // what else a person has to do there
	connected bool
	call      *status.Call // the first that succeeded, or else the last; nil: it has made none
}

func (c awaitedClient) hasSuccessfulCall() bool { return c.call != nil && !c.call.Failed() }

// newFirstCallTracker waits for the clients that actions connect.
func newFirstCallTracker(actions []status.Action, s status.Snapshot, now time.Time) firstCallTracker {
	f := firstCallTracker{since: now}
	for _, a := range actions {
		id, isClient := strings.CutPrefix(a.Target, clientPrefix)
		switch {
		case a.Verb == status.Install && isClient:
			f.clients = append(f.clients, awaitedClient{id: id, title: installationTitle(s, a.Target)})
		case a.Verb == status.AddSource && f.source == "":
			f.source = a.Source.Name
		}
	}
	return f.observeSnapshot(s)
}

func installationTitle(s status.Snapshot, id string) string {
	for _, in := range s.Installations {
		if in.ID == id {
			return in.Title
		}
	}
	return strings.TrimPrefix(id, clientPrefix)
}

// observeSnapshot takes over who is connected.
func (f firstCallTracker) observeSnapshot(s status.Snapshot) firstCallTracker {
	if f.source == "" {
		if i := slices.IndexFunc(s.Sources, func(one status.Source) bool { return !one.Sample }); i >= 0 {
			f.source = s.Sources[i].Name
		}
	}
	f.clients = slices.Clone(f.clients)
	for i := range f.clients {
		c := &f.clients[i]
		c.connected = slices.ContainsFunc(s.Sessions, func(one status.Session) bool { return one.Proven && one.Client == c.id })
		for _, in := range s.Installations {
			if in.ID == clientPrefix+c.id && in.State == status.Ready {
				c.note = in.Note
			}
		}
	}
	return f
}

// observeCalls takes over what was called. news are the clients of which a call has
// succeeded now for the first time. A name that is only claimed is somebody else's.
func (f firstCallTracker) observeCalls(calls []status.Call) (next firstCallTracker, news []awaitedClient) {
	f.clients = slices.Clone(f.clients)
	for _, call := range calls {
		if call.Event != "" || !call.Proven || call.Time.Before(f.since) {
			continue
		}
		i := slices.IndexFunc(f.clients, func(c awaitedClient) bool { return c.id == call.Client })
		if i < 0 || f.clients[i].hasSuccessfulCall() {
			continue
		}
		if f.clients[i].call = &call; f.clients[i].hasSuccessfulCall() {
			news = append(news, f.clients[i])
		}
	}
	return f, news
}

// done reports whether every client has made a call.
func (f firstCallTracker) done() bool {
	return !slices.ContainsFunc(f.clients, func(c awaitedClient) bool { return !c.hasSuccessfulCall() })
}

// callText is what a client has called.
func callText(c *status.Call) string {
	return strings.TrimSuffix(c.Tool+" in "+c.Source, " in ")
}

// A firstCallView shows the clients that were connected and what to ask them, until
// each has made its first call. Closed, the panel goes on waiting.
type firstCallView struct {
	keyMap KeyMap
	calls  firstCallTracker
}

func (v firstCallView) handleKey(k pane.Press) (overlay, pane.Intent) {
	p := v.keyMap.Pane
	switch {
	case key.Matches(k, p.Back), key.Matches(k, p.Enter), key.Matches(k, v.keyMap.Quit):
		return nil, nil
	case key.Matches(k, p.Copy):
		return v, pane.CopyText{What: "the question", Text: status.FirstQuestion(v.calls.source)}
	}
	return v, nil
}

func (v firstCallView) keys() []key.Binding {
	p := v.keyMap.Pane
	return []key.Binding{widget.WithHelp(p.Copy, "copy the question"), widget.WithHelp(p.Back, "close; it goes on waiting")}
}

func (v firstCallView) view(t theme.Theme, w, h int) []string {
	w = overlayWidth(w, 84)
	rows := v.draw(t, w-4)
	if len(rows) > h-3 { // who has called comes first where there is no room for all
		rows = append(v.clientRows(t, w-4), v.questionRows(t, w-4)...)
	}
	p, closing, title := v.keyMap.Pane, "close; it goes on waiting", "Waiting for the first call"
	if v.calls.done() {
		closing, title = "close", "It works"
	}
	foot := t.MarkKeyRegion('c', t.Key.Text(p.Copy.Help().Key)+t.Dim.Text(" copy the question")) + "  " +
		t.MarkKeyRegion(keyCodes["esc"], t.Key.Text(p.Back.Help().Key)+t.Dim.Text(" "+closing))
	return drawTitledBox(t, title, foot, rows, w, min(max(4, h-3), len(rows)))
}

func (v firstCallView) draw(t theme.Theme, w int) []string {
	rows := append([]string{""}, v.questionRows(t, w)...)
	rows = append(append(rows, ""), v.clientRows(t, w)...)
	return append(append(append(rows, ""), t.Dim.Wrap("You see what it does in Activity. What it wants to write waits for your approval in "+
		"Changes.", w)...), "")
}

// questionRows say what to ask whom.
func (v firstCallView) questionRows(t theme.Theme, w int) []string {
	which := "one of them"
	if len(v.calls.clients) == 1 {
		which = v.calls.clients[0].title
	}
	rows := t.Text.Wrap("Everything is set up. Now start a new session of "+which+" and ask it:", w)
	for _, row := range t.Strong.Wrap(status.FirstQuestion(v.calls.source), w-4) {
		rows = append(rows, "  "+row)
	}
	return rows
}

// clientRows say what each client has done.
func (v firstCallView) clientRows(t theme.Theme, w int) (rows []string) {
	names := 0
	for _, c := range v.calls.clients {
		names = min(max(names, theme.Width(c.title)), w/2)
	}
	for _, c := range v.calls.clients {
		glyph, style, text := "◐", t.Busy, "waiting for it to connect"
		switch {
		case c.hasSuccessfulCall():
			glyph, style, text = "●", t.Good, "called "+callText(c.call)
		case c.call != nil:
			glyph, style, text = "▲", t.Warn, fmt.Sprintf("%s failed: %s", callText(c.call), cmp.Or(c.call.Message, c.call.Code))
		case c.connected:
			text = "connected; waiting for its first call"
		}
		rows = append(rows, style.Text(glyph+" ")+t.Strong.Fit(c.title, names)+"  "+style.Cut(text, max(1, w-4-names)))
		if c.note != "" && !c.hasSuccessfulCall() {
			for _, row := range t.Dim.Wrap(c.note, w-2) {
				rows = append(rows, "  "+row)
			}
		}
	}
	return rows
}

// observeFirstCalls shows what the clients that were just connected have called.
func observeFirstCalls(m Model, calls []status.Call) Model {
	next, news := m.awaited.observeCalls(calls)
	m.awaited = next
	if v, ok := m.over.(firstCallView); ok {
		v.calls = next
		m.over = v
		return m
	}
	for _, c := range news {
		m.notice = successNotice(c.title + " has made its first call: " + callText(c.call) + ".")
	}
	return m
}

// showSetupResult says what the wizard has done, and waits for the clients that it
// connected.
func showSetupResult(m Model, actions []status.Action) Model {
	m.awaited = newFirstCallTracker(actions, m.snap, m.cfg.Now())
	m.notice = successNotice(setupResultText(actions, m.snap))
	if len(m.awaited.clients) > 0 {
		m.over, m.ignoreKeysUntil = firstCallView{m.key, m.awaited}, m.cfg.Now().Add(keyIgnoreDuration)
	}
	return m
}

// setupResultText says what actions of the wizard have done.
func setupResultText(actions []status.Action, s status.Snapshot) string {
	var opened, connected, ready []string
	for _, a := range actions {
		switch {
		case a.Verb == status.AddSource:
			opened = append(opened, cmp.Or(a.Source.Name, a.Source.Kind, a.Source.Location))
		case a.Verb == status.Install:
			connected = append(connected, installationTitle(s, a.Target))
		}
	}
	for _, in := range s.Installations {
		if in.State == status.Ready && strings.HasPrefix(in.ID, clientPrefix) {
			ready = append(ready, in.Title)
		}
	}
	var said []string
	if len(opened) > 0 {
		said = append(said, "opened "+strings.Join(opened, ", "))
	}
	if len(connected) > 0 {
		said = append(said, "connected "+strings.Join(connected, ", "))
	}
	text := "done: " + strings.Join(said, "; ") + "."
	switch {
	case len(connected) > 0:
		return text
	case len(ready) > 0:
		return text + " " + strings.Join(ready, ", ") + " can use it."
	default:
		return text + " No client is connected yet: ctrl+s connects one, and Clients has a snippet for any."
	}
}
