package pane

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// Logs shows the log as it grows. It keeps the last 20,000 lines or 8 MB and
// draws only the rows in sight, so that a frame costs the same however much
// there is. Drawing is in logs_draw.go, moving about in logs_move.go.
type Logs struct {
	keys Keys
	zone *time.Location
	snap status.Snapshot

	view *view  // shared with copies of this value
	last uint64 // status.Line.Seq of the newest line

	follow bool
	top    place // where the rows in sight begin, unless it follows
	left   int   // cells scrolled to the right
	wrap   bool
	stamp  bool

	filter Field
	typing bool   // keys go to the filter
	before string // the filter before this one, for ↑
}

// NewLogs returns a Logs that shows times of zone and hides debug lines.
func NewLogs(k Keys, zone *time.Location) Logs {
	return newLogs(k, zone, LogLines, logBytes)
}

func newLogs(k Keys, zone *time.Location, lines, size int) Logs {
	v := &view{ring: newRing(lines, size), lens: lens{level: infoLevel}}
	return Logs{keys: k, zone: zone, view: v, follow: true, stamp: true}
}

// Show implements [Pane].
func (p Logs) Show(s status.Snapshot) Pane {
	p.snap = s
	return p
}

// Read implements [Reader]. Where lines are missing, or another hub begins to
// count, a remark stands between the lines.
func (p Logs) Read(lines []status.Line) Pane {
	for _, l := range lines {
		if l.Missed > 0 {
			p.remark(fmt.Sprintf("… %s dropped …", many(l.Missed, "line")))
		}
		if l.Seq <= p.last && p.last > 0 {
			p.remark("… another hub began …")
		}
		p.last = l.Seq
		p.view.added(p.view.ring.add(l.Time, rank(l.Level), l.Part, l.Text))
	}
	return p
}

func (p Logs) remark(text string) {
	p.view.added(p.view.ring.add(time.Time{}, mark, "", text))
}

// Seek implements [Seeker]: it shows only the lines of part.
func (p Logs) Seek(part string) Pane {
	return p.look(lens{level: p.view.lens.level, part: part, needle: p.view.lens.needle})
}

// Typing implements [Paster].
func (p Logs) Typing() bool { return p.typing }

// Paste implements [Paster].
func (p Logs) Paste(text string) Pane {
	if p.typing {
		p.filter = p.filter.Insert(text)
		return p.search()
	}
	return p
}

func (p Logs) look(l lens) Logs {
	p.view.look(l)
	return p
}

func (p Logs) search() Logs {
	l := p.view.lens
	l.needle = theme.Plain(p.filter.Value()) // as the lines are
	return p.look(l)
}

// Key implements [Pane].
func (p Logs) Key(k Press) (Pane, Intent) {
	if p.typing {
		return p.filterKey(k), nil
	}
	if moved, ok := p.move(k); ok {
		return moved, nil
	}
	l := p.view.lens
	switch {
	case key.Matches(k, p.keys.Filter):
		p.before, p.filter, p.typing = p.filter.Value(), NewField(l.needle), true
	case key.Matches(k, p.keys.Back) && l.needle != "":
		p.before, p.filter = p.filter.Value(), Field{}
		return p.search(), nil
	case key.Matches(k, p.keys.Level):
		l.level = (l.level + 1) % mark
		return p.look(l), nil
	case key.Matches(k, p.keys.Part):
		l.part = p.nextPart()
		return p.look(l), nil
	case key.Matches(k, p.keys.Wrap):
		p.wrap = !p.wrap
	case key.Matches(k, p.keys.Stamp):
		p.stamp = !p.stamp
	case key.Matches(k, p.keys.Copy):
		return p, p.copy(k)
	case p.keys.saves(k, Running(p.snap)):
		return p, p.save()
	default:
		return p, Pass{}
	}
	return p, nil
}

func (p Logs) filterKey(k Press) Pane {
	switch {
	case key.Matches(k, p.keys.Enter):
		p.typing = false
		return p
	case key.Matches(k, p.keys.Back):
		p.typing, p.filter = false, Field{}
	case key.Matches(k, p.keys.Recall):
		p.filter = NewField(p.before)
	default:
		p.filter, _ = p.filter.Key(k.KeyPressMsg)
	}
	return p.search()
}

// nextPart is the part after the one that is shown, in the order of their
// first lines; after the last come all.
func (p Logs) nextPart() string {
	var parts []string
	for _, part := range p.view.ring.parts {
		if part != "" {
			parts = append(parts, part)
		}
	}
	i := slices.Index(parts, p.view.lens.part) + 1
	if i == len(parts) {
		return ""
	}
	return parts[i]
}

func (p Logs) copy(k Press) Intent {
	w, h := p.inside(k.W, k.H)
	rows := p.rows(w, h)
	var b strings.Builder
	n := 0
	for i, r := range rows {
		if i == 0 || r.i != rows[i-1].i {
			p.write(&b, p.view.at(r.i))
			n++
		}
	}
	if n == 0 {
		return Say{"There is no line to copy."}
	}
	return Copy{What: many(uint64(n), "line"), Text: b.String()}
}

func (p Logs) save() Intent {
	if p.view.len() == 0 {
		return Say{"There is no line to save."}
	}
	var b strings.Builder
	for i := range p.view.len() {
		p.write(&b, p.view.at(i))
	}
	return Save{What: many(uint64(p.view.len()), "line"), Name: "lectern.log", Text: b.String()}
}

// write appends line n as it is copied and saved: all of it, with its time.
func (p Logs) write(b *strings.Builder, n uint64) {
	r := p.view.ring
	l := r.line(n)
	if l.level != mark {
		fmt.Fprintf(b, "%s %-5s %s ", time.Unix(0, l.time).In(p.zone).Format(time.RFC3339), l.level.status(), theme.Plain(r.parts[l.part]))
	}
	b.Write(r.text(l))
	b.WriteByte('\n')
}

// Keys implements [Pane].
func (p Logs) Keys() []key.Binding {
	if p.typing {
		return []key.Binding{named(p.keys.Enter, "keep the filter"), named(p.keys.Back, "drop it"), named(p.keys.Recall, "the filter before")}
	}
	follow := named(p.keys.Follow, "follow")
	if p.follow {
		follow = named(p.keys.Follow, "pause")
	}
	keys := []key.Binding{p.keys.Filter, follow, p.keys.Level, p.keys.Part, p.keys.Wrap, p.keys.Stamp, p.keys.Copy, p.keys.saveKey(Running(p.snap))}
	if p.view.lens.needle != "" {
		keys = append([]key.Binding{named(p.keys.Back, "drop the filter")}, keys...)
	}
	return keys
}
