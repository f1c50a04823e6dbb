// Package logview shows a log as it grows: it keeps the newest lines in bounded
// memory, filters and searches them, and draws the visible rows only, so that a
// frame costs the same however much there is.
//
// It does not read the log, and what is done with the lines that a person
// copies or saves is for the pane to decide: it knows no pane. tui/pane imports
// it. Start reading at [View], then ring.go and filter.go.
package logview

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// LogKeys are the keys of a log, besides those that move in any list.
type LogKeys struct {
	Follow, Wrap, Level, NextComponent   key.Binding
	ScrollLeft, ScrollRight, ScrollStart key.Binding
}

// DefaultLogKeys returns the usual keys.
func DefaultLogKeys() LogKeys {
	return LogKeys{
		Follow:        widget.Bind("f", "follow", "f", "space"),
		Wrap:          widget.Bind("w", "wrap", "w"),
		Level:         widget.Bind("v", "level", "v"),
		NextComponent: widget.Bind("p", "component", "p"),
		ScrollLeft:    widget.Bind("←/h", "left", "left", "h"),
		ScrollRight:   widget.Bind("→/l", "right", "right", "l"),
		ScrollStart:   widget.Bind("0", "start of line", "0"),
	}
}

// A View is a log on the screen. Its methods return a changed copy; of all
// copies only the newest may be used further.
type View struct {
	nav  widget.NavKeys
	keys LogKeys
	zone *time.Location

	log  *filteredLog // shared with copies of this value
	last uint64       // status.Line.Seq of the newest line

	follow bool
	top    stableRowPosition // where the visible rows begin, unless it follows
	left   int               // cells scrolled to the right
	wrap   bool
	filter widget.FilterInput

	hasOlder  bool   // lines were read from disk
	olderNext string // the place from which lines from before go on
	olderDone bool   // there are none, or they cannot be read
}

// New returns a View that shows times of zone and hides debug lines.
func New(nav widget.NavKeys, keys LogKeys, zone *time.Location) View {
	return newView(nav, keys, zone, MaxLogLines, maxLogBytes)
}

func newView(nav widget.NavKeys, keys LogKeys, zone *time.Location, lines, size int) View {
	log := &filteredLog{ring: newRing(lines, size), filter: filter{level: infoLevel}}
	return View{nav: nav, keys: keys, zone: zone, log: log, follow: true}
}

// Append takes lines, oldest first. Where lines are missing, or another hub
// begins to count, a remark stands between the lines.
func (v View) Append(lines []status.Line) View {
	for _, l := range lines {
		newest, onDisk := v.log.ring.newestTime()
		if onDisk && !l.Time.After(newest) {
			continue // it was read from disk
		}
		v = v.keepOlderLines()
		if l.Missed > 0 {
			v.log.addRemark(fmt.Sprintf("… %s dropped …", widget.CountWithNoun(l.Missed, "line")))
		}
		if l.Seq <= v.last && v.last > 0 {
			v.log.addRemark("… the hub restarted …")
			v.log.ring.clients.forgetSessions()
		}
		v.last = l.Seq
		if !newest.IsZero() && !v.sameDay(newest, l.Time) {
			v.log.addRemark(v.dayHeading(l.Time))
		}
		v.log.addLine(v.log.ring.add(ringLine{time: l.Time, level: parseLevel(l.Level), component: l.Component, text: l.Text}))
	}
	return v
}

// keepOlderLines keeps what was read from disk while a person looks at it. Later the
// oldest lines go as always, and can be read again.
func (v View) keepOlderLines() View {
	switch {
	case !v.hasOlder:
	case !v.follow:
		v.log.ring.grow(2)
	case v.log.ring.isFull():
		v.olderNext, v.olderDone = "", false
	}
	return v
}

func (v View) sameDay(a, b time.Time) bool {
	return a.In(v.zone).Format(time.DateOnly) == b.In(v.zone).Format(time.DateOnly)
}

// dayHeading stands before the first line of a day, because rows have no date.
func (v View) dayHeading(t time.Time) string {
	return "── " + t.In(v.zone).Format("Monday 2 January 2006") + " ──"
}

// OlderReadPosition is from where older lines are to be read: before the line that was
// logged at until, or by the name that the page before gave. wanted: a person looks
// at the oldest lines that are here, or the filter finds too few among them.
func (v View) OlderReadPosition(h int) (before string, until time.Time, wanted bool) {
	if v.olderDone || v.log.ring.len() >= MaxLinesWithOlder {
		return "", time.Time{}, false
	}
	if v.olderNext == "" {
		until = v.log.ring.oldestTime()
	}
	near := v.log.len() < 2*h || !v.follow && v.log.lineIndex(v.top.number) < 2*h
	return v.olderNext, until, near
}

// Prepend puts lines that were logged before all others, the oldest first, before
// them; next names the place before those, and empty that there are none.
func (v View) Prepend(lines []status.Line, next string) View {
	v.log.ring.grow(2 * len(lines))
	for _, l := range slices.Backward(lines) {
		if oldest := v.log.ring.oldestTime(); !oldest.IsZero() && !v.sameDay(oldest, l.Time) {
			v.log.ring.prepend(ringLine{level: remarkLevel, text: v.dayHeading(oldest)})
		}
		if !v.log.ring.prepend(ringLine{time: l.Time, level: parseLevel(l.Level), component: l.Component, text: l.Text, older: true}) {
			next = ""
			break
		}
	}
	v.olderNext, v.olderDone, v.hasOlder = next, next == "", v.hasOlder || len(lines) > 0
	v.log.refilter()
	return v
}

// MarkOlderFailed ends reading back.
func (v View) MarkOlderFailed() View {
	v.olderDone = true
	return v
}

func (v *filteredLog) addRemark(text string) {
	v.addLine(v.ring.add(ringLine{level: remarkLevel, text: text}))
}

// FilterByComponent shows the lines of one component only.
func (v View) FilterByComponent(name string) View {
	return v.setFilter(filter{level: v.log.filter.level, component: name, text: v.log.filter.text})
}

// FilterInput is what hides lines, and the line in which it is typed.
func (v View) FilterInput() widget.FilterInput { return v.filter }

// Paste inserts text where a person types.
func (v View) Paste(text string) View {
	if !v.filter.Typing {
		return v
	}
	v.filter = v.filter.Paste(text)
	return v.applyFilter()
}

func (v View) setFilter(f filter) View {
	v.log.setFilter(f)
	return v
}

func (v View) applyFilter() View {
	f := v.log.filter
	f.text = theme.Sanitize(v.filter.Value()) // as the lines are
	return v.setFilter(f)
}

// HandleKey answers a key in a view of w by h cells; false: the key means
// nothing here.
func (v View) HandleKey(k tea.KeyPressMsg, w, h int) (View, bool) {
	if v.filter.Typing {
		v.filter = v.filter.HandleKey(k, v.nav)
		return v.applyFilter(), true
	}
	if moved, ok := v.handleScrollKey(k, w, h); ok {
		return moved, true
	}
	f := v.log.filter
	switch {
	case key.Matches(k, v.nav.Filter):
		v.filter = v.filter.StartTyping()
	case key.Matches(k, v.nav.Back) && f.text != "":
		v.filter = widget.FilterInput{}
		return v.applyFilter(), true
	case key.Matches(k, v.keys.Level):
		f.level = (f.level + 1) % remarkLevel
		return v.setFilter(f), true
	case key.Matches(k, v.keys.NextComponent):
		return v.setFilter(v.log.nextComponentOrClient()), true
	case key.Matches(k, v.keys.Wrap):
		v.wrap = !v.wrap
	default:
		return v, false
	}
	return v, true
}

// nextComponentOrClient shows the next component, in the order of their first lines, then
// one client after the other; after the last come all.
func (v *filteredLog) nextComponentOrClient() filter {
	next := v.filter
	steps := []filter{{}}
	for _, name := range v.ring.components {
		steps = append(steps, filter{component: name})
	}
	for _, client := range v.ring.clients.names {
		steps = append(steps, filter{client: client})
	}
	i := slices.Index(steps, filter{component: next.component, client: next.client}) + 1
	to := steps[i%len(steps)]
	next.component, next.client = to.component, to.client
	return next
}

// KeyDisabledReason says why k can do nothing now; empty: it can, or it means
// nothing here.
func (v View) KeyDisabledReason(k tea.KeyPressMsg) string {
	switch {
	case key.Matches(k, v.keys.ScrollStart) && v.left == 0:
		return "Already at the start of the lines."
	case key.Matches(k, v.keys.NextComponent) && v.log.nextComponentOrClient() == v.log.filter:
		return "There are no other components or clients."
	default:
		return ""
	}
}

// HasFilter reports whether more than debug lines is left out.
func (v View) HasFilter() bool {
	f := v.log.filter
	return f.text != "" || f.component != "" || f.client != "" || f.level > infoLevel
}

// FilteredLineCount is how many lines pass the filter.
func (v View) FilteredLineCount() int { return v.log.len() }

// FilteredText returns all lines that pass the filter, in full.
func (v View) FilteredText() string { return v.formatLines(0, v.log.len()-1) }

// VisibleText returns the lines that a view of w by h cells shows, in full, and
// how many they are.
func (v View) VisibleText(w, h int) (text string, lines int) {
	rows := v.visibleRows(w, h)
	if len(rows) == 0 {
		return "", 0
	}
	first, last := rows[0].i, rows[len(rows)-1].i
	return v.formatLines(first, last), last - first + 1
}

// formatLines returns lines as they are copied and saved: all of them, with their
// times.
func (v View) formatLines(first, last int) string {
	var b strings.Builder
	r := v.log.ring
	for i := first; i <= last; i++ {
		l := r.line(v.log.lineNumberAt(i))
		if l.level != remarkLevel {
			fmt.Fprintf(&b, "%s %-5s %s ", l.time.In(v.zone).Format(time.RFC3339), l.level.statusLevel(), theme.Sanitize(l.component))
		}
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// FilterBindings are the keys that mean something while a person types, or after a
// filter was set; Follow stands among the others.
func (v View) FilterBindings() []key.Binding {
	switch {
	case v.filter.Typing:
		return v.filter.Bindings(v.nav)
	case v.log.filter.text != "":
		return []key.Binding{widget.WithHelp(v.nav.Back, "clear the filter")}
	default:
		return nil
	}
}

// Following reports whether the newest lines are visible, whatever comes.
func (v View) Following() bool { return v.follow }
