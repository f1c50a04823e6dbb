package pane

import (
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// A shownToken is a token that a person agreed to see. It is in sight until the
// next key, another row or another pane, and nowhere else: no snapshot, log or memory holds it.
type shownToken struct {
	of, text string // empty: none is shown
	wrong    string // why it cannot be read
}

// Leave implements [Leaver].
func (p Settings) Leave() Pane {
	p.shown = shownToken{}
	return p
}

// tokenDeed shows one of our tokens.
func tokenDeed(of, means string) deed {
	return deed{title: "Show the token of the " + of, token: of, means: means}
}

// agreeing asks before a token is on the screen.
func agreeing(of string) Intent {
	return Agree{Then: Reveal{of}, Plan: status.Plan{
		Title: "Show the token of the " + of,
		Steps: []status.Step{{What: "show it on this screen until the next key"}},
		Risks: []string{"Who sees this screen, a recording of it or what a screen reader says of it can connect to your hub from this machine until you make a new one. c copies it unseen."},
	}}
}

// tokenSide is what is beside the row of a token.
func (p Settings) tokenSide(t theme.Theme, d deed) section {
	return section{title: d.title, need: 2, want: 6, rows: func(w, h int) []string {
		rows := t.Text.Wrapped(d.means, w)
		switch shown := p.shown; {
		case shown.of != d.token:
			rows = append(rows, t.Dim.Text("token    ")+t.Text.Text(strings.Repeat("•", min(24, max(1, w-9)))))
		case shown.wrong != "":
			rows = append(rows, t.Bad.Wrapped(shown.wrong, w)...)
		default:
			rows = append(rows, t.Strong.Wrapped(shown.text, w)...)
		}
		rows = append(rows, t.Key.Text("enter")+t.Dim.Text(" shows it  ")+t.Key.Text("c")+t.Dim.Text(" copies it unseen"))
		return atMost(t, rows, h)
	}}
}
