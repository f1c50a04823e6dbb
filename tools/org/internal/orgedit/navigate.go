package orgedit

import (
	"bytes"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// An outline finds headings and reads entries.
type outline struct{ buffer }

// The functions of this file look at the text around a position. An operation
// changes the text several times, and finding its way so costs less than parsing
// the whole file after each change.

func (d *buffer) lineStart(at int) int { return bytes.LastIndexByte(d.text[:at], '\n') + 1 }

func (d *buffer) lineEnd(at int) int {
	if i := bytes.IndexByte(d.text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(d.text)
}

// nextLine returns the start of the line below; the end of the text if there is
// none.
func (d *buffer) nextLine(at int) int { return min(d.lineEnd(at)+1, len(d.text)) }

func (d *buffer) line(at int) []byte { return d.text[at:d.lineEnd(at)] }

// atLineStart says whether at is where a line starts, as the empty one behind the
// last line break does.
func (d *buffer) atLineStart(at int) bool { return at == 0 || d.text[at-1] == '\n' }

// level returns the number of stars of the heading that starts at at, or 0.
func (d *outline) level(at int) int {
	if !d.atLineStart(at) {
		return 0
	}
	return d.heads.HeadingLevel(d.line(at))
}

// nextHeading returns the start of the first heading below the line at at, or the
// end of the text.
func (d *outline) nextHeading(at int) int {
	for {
		i := bytes.Index(d.text[at:], []byte("\n*"))
		if i < 0 {
			return len(d.text)
		}
		at += i + 1
		if d.level(at) > 0 {
			return at
		}
	}
}

// textEnd returns where the text below the line at at ends: at the next heading, or
// at an inline task, which Emacs takes for one when it looks for dates, boxes and
// drawers.
func (d *outline) textEnd(at int) int {
	end := d.nextHeading(at)
	if d.heads.InlineTasks == 0 {
		return end
	}
	for line := d.nextLine(at); line < end; line = d.nextLine(line) {
		if orgfile.Stars(d.line(line)) > 0 {
			return line
		}
	}
	return end
}

// textHead returns the heading or the inline task whose text holds the line at at,
// or -1.
func (d *outline) textHead(at int) int {
	head := d.headingAbove(at)
	if d.heads.InlineTasks == 0 {
		return head
	}
	for line := d.lineStart(at); line > max(head, 0); line = d.lineStart(line - 1) {
		if orgfile.Stars(d.line(line)) > 0 {
			return line
		}
	}
	return head
}

// headingAbove returns the heading whose entry holds at, or -1.
func (d *outline) headingAbove(at int) int {
	for at = d.lineStart(at); ; {
		if d.level(at) > 0 {
			return at
		}
		i := bytes.LastIndex(d.text[:at], []byte("\n*"))
		if i < 0 {
			if at > 0 && d.level(0) > 0 {
				return 0
			}
			return -1
		}
		at = i + 1
		if d.level(at) == 0 {
			at = i // look for one further up
			if at == 0 {
				return -1
			}
			if j := bytes.LastIndexByte(d.text[:at], '\n'); j >= 0 {
				at = j + 1
			} else {
				at = 0
			}
		}
	}
}

// parent returns the heading above the one at at, or -1.
func (d *outline) parent(at int) int {
	level := d.level(at)
	for above := at; above > 0; {
		above = d.headingAbove(above - 1)
		if above < 0 {
			return -1
		}
		if d.level(above) < level {
			return above
		}
	}
	return -1
}

// subtreeEnd returns the end of the subtree at at, with its trailing blank lines.
func (d *outline) subtreeEnd(at int) int {
	level := d.level(at)
	for next := d.nextHeading(at); ; next = d.nextHeading(next) {
		if next == len(d.text) || d.level(next) <= level {
			return next
		}
	}
}

func (d *outline) heading(at int) orgfile.HeadingLine {
	return orgfile.ParseHeading(d.line(at), &d.heads)
}

// part returns a part of the heading line at at.
func (d *outline) part(at int, s orgfile.Span) string {
	return string(d.text[at+int(s.Start) : at+int(s.End)])
}

func (d *outline) keyword(at int) string { return d.part(at, d.heading(at).Keyword) }

// meta returns the planning line and the property drawer of the entry at at, or
// of the file for -1.
func (d *outline) meta(at int) orgfile.Meta {
	if at < 0 {
		return orgfile.ParseFileMeta(d.text, &d.settings)
	}
	return orgfile.ParseMeta(d.text, d.nextLine(at), false, &d.settings)
}

func trimBlanks(s string) string { return strings.Trim(s, " \t") }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// blanksEnd returns the first position from at on that is no space or tab.
func (d *buffer) blanksEnd(at int) int {
	for at < len(d.text) && isBlank(d.text[at]) {
		at++
	}
	return at
}

// blanksStart returns the first of the spaces and tabs in front of at, not before
// low.
func (d *buffer) blanksStart(at, low int) int {
	for at > low && isBlank(d.text[at-1]) {
		at--
	}
	return at
}

// indentation returns the column of the first character of the line at at.
func (d *buffer) indentation(at int) int {
	return Columns(string(d.text[at:d.blanksEnd(at)]))
}

// indent returns the blanks that Emacs indents a line with, up to a column: tabs
// as far as they go.
func indent(column int) string {
	return strings.Repeat("\t", column/8) + strings.Repeat(" ", column%8)
}

// Columns returns how many columns text takes at the start of a line.
func Columns(text string) (n int) {
	for _, r := range text {
		switch {
		case r == '\t':
			n += 8 - n%8
		case r < ' ' || r == 0x7f:
			n += 2 // shown as ^X
		case r < 0x7f:
			n++
		default:
			n += runeWidth(r)
		}
	}
	return n
}

func runeWidth(r rune) int {
	if r == unicode.ReplacementChar {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}
