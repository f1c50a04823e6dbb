package pane

import (
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A revealedToken is a token that a person agreed to see. It is visible until
// the next key, another row or another pane, and nowhere else: no snapshot, log
// or memory holds it.
type revealedToken struct {
	token, text string // empty: none is shown
	problem     string // why it cannot be read
}

// HideSecret implements [SecretPane].
func (p Settings) HideSecret() Pane {
	p.revealed = revealedToken{}
	return p
}

// actionToShowToken shows one of our tokens.
func actionToShowToken(of, means string) settingsAction {
	return settingsAction{title: "Show the token of the " + of, token: of, description: means}
}

// confirmReveal asks before a token is on the screen.
func confirmReveal(of string) Intent {
	return ConfirmPlan{Then: RevealToken{of}, Plan: status.Plan{
		Title: "Show the token of the " + of,
		Steps: []status.Step{{Description: "show the token on this screen until the next key press"}},
		Risks: []string{"Anyone who sees this screen or a recording of it, or hears it from a screen reader, can connect to your hub from this " +
			"machine until you rotate the token. Press c to copy it without showing it."},
	}}
}

// tokenSection is what is beside the row of a token.
func (p Settings) tokenSection(t theme.Theme, d settingsAction) widget.Section {
	return widget.Section{Title: d.title, Min: 2, Preferred: 6, Rows: func(w, h int) []string {
		rows := t.Text.Wrap(d.description, w)
		switch shown := p.revealed; {
		case shown.token != d.token:
			rows = append(rows, t.Dim.Text("token    ")+t.Text.Text(strings.Repeat("•", min(24, max(1, w-9)))))
		case shown.problem != "":
			rows = append(rows, t.Bad.Wrap(shown.problem, w)...)
		default:
			rows = append(rows, t.Strong.Wrap(shown.text, w)...)
		}
		rows = append(rows, t.Key.Text("enter")+t.Dim.Text(" to show  ")+t.Key.Text("c")+t.Dim.Text(" to copy it without showing it"))
		return widget.TruncateRows(t, rows, h)
	}}
}
