package orgedit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A logEdit writes records of changes.
type logEdit struct{ propertyEdit }

// A logNote is a record to be written once an operation is through.
type logNote struct {
	purpose         string
	state, previous string
	quoteNone       bool // the absent previous state is written as ""
	mode            orgfile.LogMode
}

// heading writes the first line of the record.
func (d *logEdit) noteHeading(n *logNote) string {
	quote := func(s string) string {
		switch {
		case s == "":
			return ""
		case len(s) > 2 && s[0] == '<' && orgfile.TimestampLength([]byte(s)) > 0:
			return `"[` + s[1:len(s)-1] + `]"`
		}
		return `"` + s + `"`
	}
	switch n.purpose {
	case "state":
		previous := quote(n.previous)
		if n.quoteNone && previous == "" {
			previous = `""`
		}
		return fmt.Sprintf("State %-12s from %-12s %s", quote(n.state), previous, d.now())
	case "done":
		return "CLOSING NOTE " + d.now()
	case "reschedule":
		return "Rescheduled from " + quote(n.previous) + " on " + d.now()
	case "delschedule":
		return "Not scheduled, was " + quote(n.previous) + " on " + d.now()
	case "redeadline":
		return "New deadline from " + quote(n.previous) + " on " + d.now()
	case "deldeadline":
		return "Removed deadline, was " + quote(n.previous) + " on " + d.now()
	case "refile":
		return "Refiled on " + d.now()
	}
	return "Note taken on " + d.now()
}

// AddNote writes a note with the present time into headline i, as
// org-add-note does.
func (d *Draft) AddNote(i int, text string) {
	d.storeNote(d.at(i), &logNote{purpose: "note", mode: orgfile.LogNote}, &text)
}

// LacksNote reports whether a record was written that asks for a note, with an empty
// one.
func (d *Draft) LacksNote() bool { return d.unsaid }

// storeNote writes a record into the entry at at. One that asks for a note is left
// out with nil, as if the user had discarded it.
func (d *logEdit) storeNote(at int, n *logNote, note *string) {
	if n == nil {
		return
	}
	var lines []string
	if n.mode == orgfile.LogNote {
		if note == nil {
			return
		}
		if text := strings.TrimRight(*note, " \t\r\n"); text != "" {
			lines = strings.Split(strings.Trim(text, "\n"), "\n")
		}
		d.unsaid = d.unsaid || len(lines) == 0
	}
	first := d.noteHeading(n)
	if len(lines) > 0 {
		first += ` \\`
	}
	pos := d.logPosition(at)
	if !d.atLineStart(pos) {
		d.insert(pos, "\n")
		pos++
	} else if end := d.lineEnd(pos); d.blanksEnd(pos) < end {
		d.insert(pos, "\n")
	}
	column := d.noteColumn(at, pos)
	lines = slices.Insert(lines, 0, indent(column)+"- "+first)
	out := strings.Join(lines, "\n"+indent(column+2))
	// Blanks that stand on the line already are replaced by the indentation.
	d.replace(pos, d.blanksEnd(pos), out)
}

// logDrawer returns the drawer for records of the entry at at, "" for none.
func (d *logEdit) logDrawer(at int) string {
	if v, ok := d.inherited(at, "LOG_INTO_DRAWER"); ok && v != "" {
		switch v {
		case "nil":
			return ""
		case "t":
			return "LOGBOOK"
		}
		return v
	}
	return d.settings.LogDrawer
}

// logPosition returns where a record goes, and creates its drawer.
func (d *logEdit) logPosition(at int) int {
	name := d.logDrawer(at)
	pos, open := d.metaEnd(at)
	if name == "" {
		if open && d.settings.Quirks != orgfile.Org95 {
			d.insert(pos, "\n")
			return pos + 1
		}
		// Org 9.5 puts the record of an unterminated last line in front of it.
		for pos < len(d.text) && strings.IndexByte(" \t\n", d.text[pos]) >= 0 {
			pos++
		}
		pos = d.lineStart(pos)
		if !d.settings.NewestNoteFirst {
			pos = d.skipStateNotes(at, pos)
			for pos > 0 && strings.IndexByte(" \t\n", d.text[pos-1]) >= 0 {
				pos--
			}
			pos = d.nextLine(pos)
		}
		return pos
	}
	if start, end, ok := d.findDrawer(at, pos, name); ok {
		if d.settings.NewestNoteFirst || end == d.nextLine(start) {
			return d.nextLine(start)
		}
		return end
	}
	margin := indent(d.drawerColumn(at))
	added := margin + ":" + name + ":\n" + margin + ":END:\n"
	if open {
		added = "\n" + added
		pos++
		d.insert(pos-1, added)
	} else {
		d.insert(pos, added)
	}
	return d.nextLine(pos)
}

// metaEnd returns the first line behind heading, planning line and property
// drawer. open says that it is the end of a text without a final line break.
func (d *outline) metaEnd(at int) (pos int, open bool) {
	m := d.meta(at)
	return m.Body, !d.atLineStart(m.Body)
}

// drawerColumn returns the indentation of a new drawer of the entry at at.
func (d *outline) drawerColumn(at int) int {
	if !d.settings.AdaptIndentation {
		return 0
	}
	if at < 0 {
		return 0
	}
	m := d.meta(at)
	switch {
	case !m.Drawer.Empty():
		return d.indentation(int(m.Drawer.Start))
	case !m.Planning.Empty():
		return d.indentation(int(m.Planning.Start))
	}
	return d.level(at) + 1
}

// noteColumn returns the indentation of a record on the empty line at pos: that
// of the list it continues, or of what stands above it.
func (d *logEdit) noteColumn(at, pos int) int {
	if pos <= at {
		if at = d.headingAbove(max(pos-1, 0)); at < 0 {
			return 0
		}
	}
	above := pos
	for above > at {
		above = d.lineStart(above - 1)
		line := string(d.line(above))
		if strings.TrimSpace(line) == "" {
			continue
		}
		break
	}
	if above <= at {
		if d.settings.AdaptIndentation {
			return d.level(at) + 1
		}
		return 0
	}
	if drawerEnd.Match(d.line(above)) {
		if m := d.meta(at); !m.Drawer.Empty() && d.lineStart(int(m.Drawer.End)) == above {
			return d.indentation(int(m.Drawer.Start))
		}
	}
	if top, ok := d.listColumn(at, pos); ok {
		return top
	}
	return d.indentation(above)
}

var (
	drawerBegin = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*:([\pL\pN_-]+):[ \t]*$`) })
	drawerEnd   = regexp.MustCompile(`(?i)^[ \t]*:END:[ \t]*$`)
	blockBegin  = regexp.MustCompile(`(?i)^[ \t]*#\+BEGIN_(\S+)`)
	blockEnd    = regexp.MustCompile(`(?i)^[ \t]*#\+END_(\S+)[ \t]*$`)
	itemBegin   = regexp.MustCompile(`^([ \t]*)([-+]|[0-9]+[.)]|[ \t]\*)(?:[ \t]+|$)`)
)

// findDrawer finds a drawer by name in the entry at at, from the line at pos on.
// It returns the start of its first line and of its ":END:" line.
func (d *outline) findDrawer(at, pos int, name string) (start, end int, ok bool) {
	limit := d.textEnd(at)
	for pos < limit {
		line := d.line(pos)
		next := d.nextLine(pos)
		if m := blockBegin.FindSubmatch(line); m != nil {
			if after, closed := d.closingLine(next, limit, func(l []byte) bool {
				e := blockEnd.FindSubmatch(l)
				return e != nil && strings.EqualFold(string(e[1]), string(m[1]))
			}); closed {
				next = d.nextLine(after)
			}
		} else if m := drawerBegin().FindSubmatch(line); m != nil && !strings.EqualFold(string(m[1]), "END") {
			if after, closed := d.closingLine(next, limit, drawerEnd.Match); closed {
				if strings.EqualFold(string(m[1]), name) {
					return pos, after, true
				}
				next = d.nextLine(after)
			}
		}
		if next <= pos {
			break
		}
		pos = next
	}
	return 0, 0, false
}

func (d *outline) closingLine(pos, limit int, closes func([]byte) bool) (int, bool) {
	for pos < limit {
		if closes(d.line(pos)) {
			return pos, true
		}
		next := d.nextLine(pos)
		if next <= pos {
			break
		}
		pos = next
	}
	return 0, false
}

// listColumn returns the indentation of the list that the line above pos belongs
// to.
func (d *logEdit) listColumn(at, pos int) (int, bool) {
	found, blank := -1, 0
	for line := pos; line > at; {
		line = d.lineStart(line - 1)
		text := d.line(line)
		switch {
		case line <= at, drawerBegin().Match(text):
			return found, found >= 0
		case strings.TrimSpace(string(text)) == "":
			if blank++; blank > 1 {
				return found, found >= 0
			}
			continue
		case itemBegin.Match(text):
			if column := d.indentation(line); found < 0 || column < found {
				found = column
			}
		case d.indentation(line) == 0:
			return found, found >= 0
		}
		blank = 0
	}
	return found, found >= 0
}

var stateNote = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*- +State +(?:"\S+")? +from +(?:"\S+")? +\[[0-9-]+ [^\]\n]*\]`)
})

// skipStateNotes returns the position behind the records at the start of an
// entry's text.
func (d *logEdit) skipStateNotes(at, pos int) int {
	limit := d.textEnd(at)
	for pos < limit && stateNote().Match(d.line(pos)) {
		column := d.indentation(pos)
		pos = d.nextLine(pos)
		for pos < limit && strings.TrimSpace(string(d.line(pos))) != "" && d.indentation(pos) > column {
			pos = d.nextLine(pos)
		}
	}
	return pos
}
