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
	stamp  stamping

	mode   typing
	filter Field
	before string // the filter before this one, for ↑
	find   Field
	file   Field // that the whole log is exported to
	// from is the line that was marked and to the one at the cursor, for
	// copying; 0: none.
	from, to uint64
}

// typing is where letters go.
type typing uint8

const (
	reading   typing = iota // nowhere: they are keys
	filtering               // to the filter
	finding                 // to the expression that is looked for
	naming                  // to the name of a file
)

// NewLogs returns a Logs that shows times of zone and hides debug lines.
func NewLogs(k Keys, zone *time.Location) Logs {
	return newLogs(k, zone, LogLines, logBytes)
}

func newLogs(k Keys, zone *time.Location, lines, size int) Logs {
	v := &view{ring: newRing(lines, size), lens: lens{level: infoLevel}}
	return Logs{keys: k, zone: zone, view: v, follow: true}
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
			p.view.ring.crew.anew()
		}
		p.last = l.Seq
		p.view.added(p.view.ring.add(l.Time, rank(l.Level), l.Component, l.Text))
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
func (p Logs) Typing() bool { return p.mode != reading }

// Paste implements [Paster].
func (p Logs) Paste(text string) Pane {
	switch p.mode {
	case filtering:
		p.filter = p.filter.Insert(text)
		return p.search()
	case finding:
		p.find = p.find.Insert(text)
		p.view.seek(newSearch(p.find.Value()))
	case naming:
		p.file = p.file.Insert(text)
	case reading:
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
	switch p.mode {
	case filtering:
		return p.filterKey(k), nil
	case finding:
		return p.findKey(k), nil
	case naming:
		return p.fileKey(k)
	case reading:
	}
	if why := p.Why(k.KeyPressMsg); why != "" {
		return p, Say{why}
	}
	if moved, ok := p.move(k); ok {
		return moved, nil
	}
	l := p.view.lens
	switch {
	case key.Matches(k, p.keys.Filter):
		p.before, p.filter, p.mode = p.filter.Value(), NewField(l.needle), filtering
	case key.Matches(k, p.keys.Find):
		p.find, p.mode = NewField(p.view.search.text), finding
	case key.Matches(k, p.keys.NextHit):
		return p.jump(k, 1), nil
	case key.Matches(k, p.keys.PreviousHit):
		return p.jump(k, -1), nil
	case key.Matches(k, p.keys.Mark):
		return p.markHere(k), nil
	case key.Matches(k, p.keys.Back) && p.from != 0:
		p.from, p.to = 0, 0
	case key.Matches(k, p.keys.Back) && p.view.search.text != "":
		p.find = Field{}
		p.view.seek(search{})
	case key.Matches(k, p.keys.Back) && l.needle != "":
		p.before, p.filter = p.filter.Value(), Field{}
		return p.search(), nil
	case key.Matches(k, p.keys.Level):
		l.level = (l.level + 1) % mark
		return p.look(l), nil
	case key.Matches(k, p.keys.Part):
		return p.look(p.nextPart()), nil
	case key.Matches(k, p.keys.Wrap):
		p.wrap = !p.wrap
	case key.Matches(k, p.keys.Stamp):
		p.stamp = (p.stamp + 1) % stampings
	case key.Matches(k, p.keys.Copy):
		return p, p.copy(k)
	case p.keys.saves(k, Running(p.snap)):
		return p, p.save()
	case key.Matches(k, p.keys.Export):
		p.mode = naming
	default:
		return p, Pass{}
	}
	return p, nil
}

func (p Logs) filterKey(k Press) Pane {
	var typing bool
	if p.filter, typing = p.keys.filtered(k, p.filter, p.before); !typing {
		p.mode = reading
	}
	return p.search()
}

// fileKey answers a key while the file of an export is named.
func (p Logs) fileKey(k Press) (Pane, Intent) {
	switch {
	case key.Matches(k, p.keys.Enter):
		p.mode = reading
		return p, Export{Name: p.file.Value()}
	case key.Matches(k, p.keys.Back):
		p.mode, p.file = reading, Field{}
	default:
		p.file, _ = p.file.Key(k.KeyPressMsg)
	}
	return p, nil
}

// nextPart is the lens on the part after the one that is shown, in the order of
// their first lines, then on one client after the other; after the last come
// all.
func (p Logs) nextPart() lens {
	next := p.view.lens
	steps := []lens{{}}
	for _, part := range p.view.ring.parts {
		if part != "" {
			steps = append(steps, lens{part: part})
		}
	}
	for _, client := range p.view.ring.crew.names {
		steps = append(steps, lens{client: client})
	}
	i := slices.Index(steps, lens{part: next.part, client: next.client}) + 1
	to := steps[i%len(steps)]
	next.part, next.client = to.part, to.client
	return next
}

func (p Logs) save() Intent {
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
	switch p.mode {
	case filtering:
		return []key.Binding{named(p.keys.Enter, "keep the filter"), named(p.keys.Back, "drop it"), named(p.keys.Recall, "the filter before")}
	case finding:
		return []key.Binding{named(p.keys.Enter, "go to the last"), named(p.keys.Back, "drop it")}
	case naming:
		return []key.Binding{named(p.keys.Enter, "export the whole log"), named(p.keys.Back, "leave it")}
	case reading:
	}
	follow := named(p.keys.Follow, "follow")
	if p.follow {
		follow = named(p.keys.Follow, "pause")
	}
	keys := []key.Binding{p.keys.Filter, p.keys.Find, follow, p.keys.Level, p.keys.Part, p.keys.Wrap, p.keys.Stamp, p.keys.Copy, p.keys.Mark, p.keys.saveKey(Running(p.snap)), p.keys.Export}
	switch {
	case p.from != 0:
		keys = append([]key.Binding{named(p.keys.Down, "select"), named(p.keys.Copy, "copy what is selected"), named(p.keys.Back, "drop it")}, keys...)
	case p.view.search.pattern != nil:
		keys = append([]key.Binding{p.keys.NextHit, p.keys.PreviousHit, named(p.keys.Back, "drop the search")}, keys...)
	case p.view.lens.needle != "":
		keys = append([]key.Binding{named(p.keys.Back, "drop the filter")}, keys...)
	}
	return keys
}
