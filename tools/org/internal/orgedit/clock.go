package orgedit

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A clockEdit starts and stops clocks.
type clockEdit struct{ countEdit }

var clockLine = regexp.MustCompile(`^[ \t]*CLOCK: (\[[^\]\n]+\])`)

// ClockIn starts the clock in headline i. A clock that this Draft started before
// is stopped first.
func (d *Draft) ClockIn(i int) error {
	at, release := d.anchor(d.at(i))
	defer release()
	if d.clock != nil {
		if d.headingAbove(*d.clock) == *at {
			return nil
		}
		if err := d.ClockOut(); err != nil {
			return err
		}
	}
	pos := d.clockPosition(*at)
	margin := indent(d.clockColumn(*at, pos))
	d.insertBefore(pos, margin+"CLOCK: "+d.now()+"\n")
	d.clock, _ = d.anchor(pos)
	return nil
}

// clockColumn returns the indentation of a clock line at pos: that of its drawer.
func (d *clockEdit) clockColumn(at, pos int) int {
	for above := pos; above > at; {
		above = d.lineStart(above - 1)
		if drawerEnd.Match(d.line(above)) {
			break
		}
		if drawerBegin().Match(d.line(above)) {
			return d.indentation(above)
		}
	}
	return d.drawerColumn(at)
}

// clockPosition returns the line that a new clock line is put in front of, and
// creates its drawer.
func (d *clockEdit) clockPosition(at int) int {
	name, from := d.clockDrawer(at)
	pos, open := d.metaEnd(at)
	if name != "" {
		if start, end, ok := d.findDrawer(at, d.nextLine(at), name); ok {
			if d.settings.NewestNoteFirst || end == d.nextLine(start) {
				return d.nextLine(start)
			}
			return end
		}
	}
	lines := d.clockLines(at)
	if len(lines)+1 < from {
		name = ""
	}
	if len(lines) > 0 {
		return d.joinClocks(at, lines, name)
	}
	if open {
		d.insert(pos, "\n")
		pos++
	}
	if name == "" {
		return pos
	}
	margin := indent(d.drawerColumn(at))
	d.insert(pos, margin+":"+name+":\n"+margin+":END:\n")
	return d.nextLine(pos)
}

// clockDrawer returns the drawer for clock lines of the entry at at, "" for none, and
// how many of them make one where there is none. Where none is named it is the one for
// records.
func (d *clockEdit) clockDrawer(at int) (name string, from int) {
	name = d.settings.ClockDrawer
	if v, ok := d.inherited(at, "CLOCK_INTO_DRAWER"); ok && v != "" && v != "t" {
		name = v
	} else if ok && v == "t" {
		name = orgfile.AnyDrawer
	}
	if name == "nil" {
		return "", 0
	}
	if number, err := strconv.Atoi(name); err == nil && number >= 0 {
		name, from = orgfile.AnyDrawer, number
	}
	if name == orgfile.AnyDrawer {
		name = cmp.Or(d.logDrawer(at), "LOGBOOK")
	}
	return name, from
}

func (d *clockEdit) clockLines(at int) []int {
	var lines []int
	end := d.textEnd(at)
	for line := d.nextLine(at); line < end; line = d.nextLine(line) {
		if clockLine.Match(d.line(line)) && !d.inVerbatimBlock(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// joinClocks puts clock lines that stand in the entry's text into a drawer.
func (d *clockEdit) joinClocks(at int, lines []int, name string) int {
	if name == "" {
		if d.settings.NewestNoteFirst {
			return lines[0]
		}
		return lines[len(lines)-1]
	}
	var out []string
	for _, line := range slices.Backward(lines) { // as Emacs does, the last one first
		out = append(out, strings.TrimSpace(string(d.line(line))))
		start := len(strings.TrimRight(string(d.text[:line]), " \t\r\n"))
		d.replace(min(d.nextLine(start), line), d.nextLine(line), "")
	}
	pos, _ := d.metaEnd(at)
	margin := indent(d.drawerColumn(at))
	text := margin + ":" + name + ":\n" + margin + strings.Join(out, "\n"+margin) + "\n"
	d.insert(pos, text+margin+":END:\n")
	if d.settings.NewestNoteFirst {
		return d.nextLine(pos)
	}
	return d.lineStart(pos + len(text) - 1) // in front of the last one, as Emacs puts it
}

// ErrNoClock is returned when a clock is to be stopped and none runs.
var ErrNoClock = errors.New("no clock is running")

// ClockOut stops the clock that ClockIn started.
func (d *Draft) ClockOut() error {
	if d.clock == nil {
		return ErrNoClock
	}
	return d.closeClock(*d.clock)
}

// ClockOutOf stops the clock whose open line stands in headline i.
func (d *Draft) ClockOutOf(i int) error {
	if line, ok := d.openClock(d.at(i)); ok {
		return d.closeClock(line)
	}
	return ErrNoClock
}

// HasOpenClock says whether the clock of headline i is running.
func (d *Draft) HasOpenClock(i int) bool {
	_, ok := d.openClock(d.at(i))
	return ok
}

// openClock finds the clock line without an end of the entry at at.
func (d *clockEdit) openClock(at int) (line int, ok bool) {
	for _, line := range d.clockLines(at) {
		if strings.HasSuffix(strings.TrimRight(string(d.line(line)), " \t"), "]") && !strings.Contains(string(d.line(line)), "--") {
			return line, true
		}
	}
	return 0, false
}

func (d *clockEdit) closeClock(line int) error {
	line = d.lineStart(line)
	m := clockLine.FindSubmatchIndex(d.line(line))
	if m == nil {
		return errors.New("the line of the running clock is gone")
	}
	start, ok := parseStamp(string(d.text[line+m[2] : line+m[3]]))
	if !ok {
		return fmt.Errorf("the running clock has no time: %s", d.line(line))
	}
	now := d.env.wallClock()
	minutes := int(now.Truncate(60e9).Sub(start.time()).Minutes())
	h, min := minutes/60, minutes%60
	if minutes < 0 && min != 0 {
		h, min = h-1, min+60
	}
	at := d.headingAbove(line)
	if minutes == 0 && d.settings.RemoveZeroClocks {
		d.replace(line, d.nextLine(line), "")
	} else {
		d.replace(line+m[1], d.lineEnd(line), "--"+d.now()+fmt.Sprintf(" => %2d:%02d", h, min))
	}
	d.clock = nil
	d.removeEmptyDrawers(at)
	return nil
}

// removeEmptyDrawers removes the empty drawers for clock lines of the entry at at and of
// those below it.
func (d *clockEdit) removeEmptyDrawers(at int) {
	for level := d.level(at); ; {
		for pos := at; ; {
			name, _ := d.clockDrawer(at)
			start, end, ok := d.findDrawer(at, pos, name)
			if !ok {
				break
			}
			if pos = d.nextLine(end); end == d.nextLine(start) {
				d.replace(start, pos, "")
				pos = start
			}
		}
		if at = d.nextHeading(at); at >= len(d.text) || d.level(at) <= level {
			return
		}
	}
}

// clockOutIn stops the running clock if it is the one of the entry at at.
func (d *clockEdit) clockOutIn(at int) {
	if d.clock != nil && d.headingAbove(*d.clock) == at {
		// The line was written by ClockIn of this Draft; one that was changed since
		// is left alone.
		_ = d.closeClock(*d.clock)
	}
}
