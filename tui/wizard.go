package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// wizard sets Lectern up in two questions: what to open, and to which clients.
// It does nothing by itself: what was chosen is shown as one Plan first.
type wizard struct {
	keyMap   KeyMap
	found    []status.Discovered
	clients  []status.Installation
	page     int // of the questions
	cursor   int // the row
	selected [2]map[int]bool
	access   map[int]wizardAccess // of what is opened
}

// wizardAccess is what agents may do with what is opened.
type wizardAccess uint8

const (
	mayWrite wizardAccess = iota // what they write can be undone
	mayAsk
	mayRead
	accesses
)

func (a wizardAccess) label() string {
	return [...]string{"read and write", "read, and write with your approval", "read"}[a]
}

// clientPrefix is how the IDs of installs begin that are MCP clients.
const clientPrefix = "client/"

func newWizard(k KeyMap, s status.Snapshot) wizard {
	z := wizard{keyMap: k, found: s.Discovered, selected: [2]map[int]bool{{}, {}}, access: map[int]wizardAccess{}}
	for _, in := range s.Installations {
		if in.Detected && strings.HasPrefix(in.ID, clientPrefix) && in.State != status.Ready {
			z.clients = append(z.clients, in)
		}
	}
	for i := range z.found {
		z.access[i] = mayWrite
	}
	if len(z.found) == 1 {
		z.selected[0][0] = true
	}
	if len(z.clients) == 1 {
		z.selected[1][0] = true
	}
	return z
}

// needsSetup reports whether there is something to ask and no source but ours.
func needsSetup(s status.Snapshot) bool {
	z := newWizard(KeyMap{}, s)
	return pane.Running(s) && len(z.found)+len(z.clients) > 0 &&
		!slices.ContainsFunc(s.Sources, func(s status.Source) bool { return !s.Sample })
}

func (z wizard) rows() int {
	if z.page == 0 {
		return len(z.found)
	}
	return len(z.clients)
}

func (z wizard) handleKey(k pane.Press) (overlay, pane.Intent) {
	p := z.keyMap.Pane
	switch {
	case key.Matches(k, p.Back) && z.page == 0:
		return nil, pane.ShowMessage{Text: "Setup skipped. Press ctrl+s to set up later, or a in Sources to add a folder."}
	case key.Matches(k, p.Back), key.Matches(k, p.Left):
		z.page, z.cursor = 0, 0
	case key.Matches(k, p.Toggle):
		z = z.toggle()
	case key.Matches(k, z.keyMap.Access) && z.page == 0 && z.rows() > 0:
		a := maps.Clone(z.access) // copies of z share it
		a[z.cursor] = (a[z.cursor] + 1) % accesses
		z.access = a
	case key.Matches(k, p.Down), k.String() == "tab":
		z.cursor = min(z.cursor+1, max(0, z.rows()-1))
	case key.Matches(k, p.Up), k.String() == "shift+tab":
		z.cursor = max(0, z.cursor-1)
	case key.Matches(k, p.Enter) && z.page == 0:
		z.page, z.cursor = 1, 0
	case key.Matches(k, p.Enter):
		todo := z.actions()
		if len(todo) == 0 {
			return nil, pane.ShowMessage{Text: "Nothing selected; nothing changes."}
		}
		return nil, pane.Preview{Title: "Set up Lectern", Actions: todo}
	}
	return z, nil
}

func (z wizard) toggle() wizard {
	if z.rows() == 0 {
		return z
	}
	set := maps.Clone(z.selected[z.page])
	set[z.cursor] = !set[z.cursor]
	z.selected[z.page] = set
	return z
}

// actions are what was chosen, in the order in which it is done.
func (z wizard) actions() []status.Action {
	var todo []status.Action
	for i, f := range z.found {
		if !z.selected[0][i] {
			continue
		}
		todo = append(todo, status.Action{Verb: status.AddSource, Source: &status.NewSource{
			Name: f.Name, Kind: f.Kind, Location: f.Location, ReadOnly: z.access[i] == mayRead, Ask: z.access[i] == mayAsk,
		}})
	}
	for i, c := range z.clients {
		if z.selected[1][i] {
			todo = append(todo, status.Action{Verb: status.Install, Target: c.ID})
		}
	}
	return todo
}

// selectRow implements [rowSelector]: a click chooses, or takes the choice back.
func (z wizard) selectRow(i int) (overlay, bool) {
	z.cursor = max(0, min(i, z.rows()-1))
	return z.toggle(), false
}

func (z wizard) keys() []key.Binding {
	p := z.keyMap.Pane
	next := widget.WithHelp(p.Enter, "next")
	if z.page == 1 {
		next = widget.WithHelp(p.Enter, "preview the changes")
	}
	keys := []key.Binding{widget.WithHelp(p.Toggle, "select"), next, widget.WithHelp(p.Back, "not now")}
	if z.page == 0 && len(z.found) > 0 {
		keys = slices.Insert(keys, 1, z.keyMap.Access)
	}
	return keys
}

func (z wizard) view(t theme.Theme, w, h int) []string {
	w = overlayWidth(w, 96)
	rows := z.draw(t, w-4)
	room := max(4, h-3)
	var foot strings.Builder
	for _, b := range z.keys() {
		foot.WriteString(t.KeyRegion(parseKey(b.Keys()[0]).Code, t.Key.Text(b.Help().Key)+t.Dim.Text(" "+b.Help().Desc)) + "  ")
	}
	from := 0
	if over := len(rows) - room; over > 0 {
		from = min(over, max(0, 2*z.cursor-room/2))
	}
	return frame(t, fmt.Sprintf("Welcome · %d of 2", z.page+1), strings.TrimRight(foot.String(), " "), rows[from:], w, min(room, len(rows)))
}

func (z wizard) draw(t theme.Theme, w int) []string {
	question, none := "Which notes can agents use?", "No notes found on this machine. Press enter to continue; you can add any folder later in Sources."
	if z.page == 1 {
		question, none = "Which clients can use them?", "No MCP clients left to set up. The Clients pane has a snippet for any client."
	}
	rows := append([]string{""}, t.Strong.Wrap(question, w)...)
	if z.rows() == 0 {
		return append(rows, t.Dim.Wrap(none, w)...)
	}
	rows = append(rows, "")
	for i := range z.rows() {
		if z.page == 1 {
			rows = append(rows, z.row(t, i, z.clients[i].Title, z.clients[i].File, w)...)
			continue
		}
		f := z.found[i]
		rows = append(rows, z.row(t, i, f.Name+"  "+f.Location, "agents can "+z.access[i].label()+" · "+f.Kind+", "+f.Reason, w)...)
	}
	return append(rows, "")
}

func (z wizard) row(t theme.Theme, i int, what, more string, w int) []string {
	box, style := "[ ] ", t.Text
	if z.selected[z.page][i] {
		box = "[x] "
	}
	sign := "  "
	if i == z.cursor {
		sign, style = "▸ ", t.Accent
	}
	return []string{t.RowRegion(i, style.Fit(sign+box+what, w)), t.RowRegion(i, t.Dim.Fit("      "+more, w))}
}
