package pane

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// grantForm asks who may do what with a source.
type grantForm struct {
	keys    Keys
	source  string
	now     string         // what agents may do with it now
	named   []status.Grant // what clients may do that a grant names
	clients []string       // by what they call themselves; the first, which is empty, is every client
	client  int
	level   int
	onLevel bool // the second field has the focus
}

// A grantLevel is something that agents may be allowed.
type grantLevel struct {
	label, description string
	grant              status.Grant
}

func grantLevels() []grantLevel {
	return []grantLevel{
		{"read only", "Agents cannot write, delete or run anything.", status.Grant{Effects: []string{"read"}}},
		{"read; ask before any change", "Every change needs your approval.", status.Grant{
			Effects: []string{"read", "write", "delete", "run"}, Ask: []string{"write", "delete", "run"},
		}},
		{"write; ask before deleting", "Deleting and running need your approval.", status.Grant{
			Effects: []string{"read", "write", "delete", "run"}, Ask: []string{"delete", "run"},
		}},
		{"write and delete", "No approval needed. Every change can be undone.", status.Grant{Effects: []string{"read", "write", "delete"}}},
		{"nothing", "Agents see no tools of this source.", status.Grant{Effects: []string{}}},
		{"default (from the configuration)", "Removes the setting: " +
			"agents may read and run and need your approval to write or delete; admin is not granted.", status.Grant{Reset: true}},
	}
}

// newGrantForm asks about s. The clients are those that are attached.
func newGrantForm(k Keys, s status.Source, sessions []status.Session) *grantForm {
	return &grantForm{
		keys: k, source: s.Name, now: accessDescription(s), named: s.Grants, clients: grantableClients(s, sessions), onLevel: true,
		level: currentGrantLevel(s),
	}
}

// grantableClients are every client, "", those that are connected, and those that a grant names.
func grantableClients(s status.Source, sessions []status.Session) []string {
	names := clientNames(sessions)
	for _, g := range s.Grants {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, g.Client) }) {
			names = append(names, g.Client)
		}
	}
	return names
}

// currentGrantLevel is the level that grants what agents may do with s now, so that nothing
// changes unless it is chosen; what no level grants is that of the configuration.
func currentGrantLevel(s status.Source) int {
	same := func(a, b []string) bool {
		a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
		return slices.Equal(a, b)
	}
	all := grantLevels()
	for i, l := range all {
		if !l.grant.Reset && same(l.grant.Effects, s.Effects) && same(l.grant.Ask, s.Ask) {
			return i
		}
	}
	return len(all) - 1
}

// handleKey answers k; done: the form is to be closed.
func (f grantForm) handleKey(k Press) (next grantForm, want Intent, done bool) {
	step := 0
	switch {
	case key.Matches(k, f.keys.Back):
		return f, nil, true
	case key.Matches(k, f.keys.Enter):
		g := grantLevels()[f.level].grant
		g.Source, g.Client = f.source, f.clients[f.client]
		return f, IntentFor(status.Action{Verb: status.SetGrant, Target: f.source, Grant: &g}), true
	case key.Matches(k, f.keys.NextField, f.keys.PreviousField, f.keys.Up, f.keys.Down):
		f.onLevel = !f.onLevel
	case key.Matches(k, f.keys.Left):
		step = -1
	case key.Matches(k, f.keys.Right, f.keys.Toggle):
		step = 1
	}
	if f.onLevel {
		f.level = (f.level + step + len(grantLevels())) % len(grantLevels())
	} else {
		f.client = (f.client + step + len(f.clients)) % len(f.clients)
	}
	return f, nil, false
}

func (f grantForm) bindings() []key.Binding {
	return []key.Binding{
		widget.WithHelp(f.keys.Enter, "preview the change"), widget.WithHelp(f.keys.Right, "next option"),
		f.keys.NextField, widget.WithHelp(f.keys.Back, "close"),
	}
}

func (f grantForm) section(t theme.Theme) widget.Section {
	return widget.Section{Title: "Permissions for " + f.source, Min: 5, Preferred: 6 + len(f.named), Rows: func(w, _ int) []string {
		field := func(focus bool, name, value string) string {
			style := t
			if focus {
				style = t.ForSelectedRow()
			}
			return widget.DrawFieldName(t, name, focus, 10) + style.Text.Cut("‹ "+value+" ›", w-10)
		}
		who := f.clients[f.client]
		if who == "" {
			who = "all clients"
		}
		level := grantLevels()[f.level]
		rows := []string{
			field(!f.onLevel, "who", who), field(f.onLevel, "can", level.label), widget.PropertyRow(t, 10, "  now", "all clients: "+f.now),
		}
		for _, g := range f.named {
			rows = append(rows, widget.PropertyRow(t, 10, "", describeClientGrant(g)))
		}
		rows = append(rows, "")
		return append(rows, t.Dim.Wrap(level.description, w)...)
	}}
}
