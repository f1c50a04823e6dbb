package tui

import (
	"time"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// notice is what the panel says at the foot of the screen.
type notice struct {
	text     string // empty: nothing to say
	kind     noticeKind
	sticky   bool   // until it is dismissed; else until the next key
	approval string // the approval whose end takes its place; empty: none
	// outcome is when it came, if it says what became of an approval; zero: it does not.
	outcome time.Time
}

// isFreshOutcome reports whether n says what became of an approval, since so short a time that
// nobody has read it.
func (n notice) isFreshOutcome(now time.Time) bool {
	return n.text != "" && !n.outcome.IsZero() && now.Sub(n.outcome) < keyIgnoreDuration
}

type noticeKind int

const (
	noticeInfo noticeKind = iota
	noticeBusy
	noticeSuccess
	noticeError
)

func busyNotice(what string) notice {
	return notice{text: what + " …", kind: noticeBusy, sticky: true}
}
func infoNotice(text string) notice    { return notice{text: text} }
func successNotice(text string) notice { return notice{text: text, kind: noticeSuccess} }

func errorNotice(what string, err error) notice {
	return notice{text: "cannot " + what + ": " + err.Error(), kind: noticeError, sticky: true}
}

// maxNoticeLines is how many lines of the screen a notice may take.
const maxNoticeLines = 3

// lines draws n in lines of w cells.
func (n notice) lines(t theme.Theme, w int) []string {
	if n.text == "" {
		return nil
	}
	glyph, style := "·", t.Text
	switch n.kind {
	case noticeBusy:
		glyph, style = "◐", t.Busy
	case noticeSuccess:
		glyph, style = "●", t.Good
	case noticeError:
		glyph, style = "✗", t.Bad
	case noticeInfo:
	}
	rows := style.Wrap(glyph+" "+n.text, w-2)
	if len(rows) > maxNoticeLines {
		rows = append(rows[:maxNoticeLines-1], style.Text("… see Logs for the rest"))
	}
	for i := range rows {
		rows[i] = theme.Fit(" "+rows[i], w)
	}
	return rows
}
