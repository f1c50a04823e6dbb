package tui

import "github.com/lectern-mcp/lectern/tui/theme"

// notice is what the panel says at the foot of the screen.
type notice struct {
	text  string // empty: nothing to say
	mood  mood
	stays bool   // until it is dismissed; else until the next key
	about string // the approval whose end takes its place; empty: none
}

type mood int

const (
	plain mood = iota
	busy
	good
	bad
)

func working(deed string) notice   { return notice{text: deed + " …", mood: busy, stays: true} }
func said(text string) notice      { return notice{text: text} }
func succeeded(text string) notice { return notice{text: text, mood: good} }

func failed(deed string, err error) notice {
	return notice{text: "could not " + deed + ": " + err.Error(), mood: bad, stays: true}
}

// most is how many lines of the screen a notice may take.
const most = 3

// lines draws n in lines of w cells.
func (n notice) lines(t theme.Theme, w int) []string {
	if n.text == "" {
		return nil
	}
	glyph, style := "·", t.Text
	switch n.mood {
	case busy:
		glyph, style = "◐", t.Busy
	case good:
		glyph, style = "●", t.Good
	case bad:
		glyph, style = "✗", t.Bad
	case plain:
	}
	rows := style.Wrapped(glyph+" "+n.text, w-2)
	if len(rows) > most {
		rows = append(rows[:most-1], style.Text("… the log has the rest"))
	}
	for i := range rows {
		rows[i] = theme.Fill(" "+rows[i], w)
	}
	return rows
}
