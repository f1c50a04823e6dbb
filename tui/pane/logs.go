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

	view *filteredLog // shared with copies of this value
	last uint64       // status.Line.Seq of the newest line

	follow     bool
	top        linePosition // where the rows in sight begin, unless it follows
	left       int          // cells scrolled to the right
	wrap       bool
	timestamps timestampMode

	mode   inputMode
	filter TextInput
	before string // the filter before this one, for ↑
	find   TextInput
	file   TextInput // that the whole log is exported to
	// from is the line that was marked and to the one at the cursor, for
	// copying; 0: none.
	from, to uint64
}

// inputMode is where letters go.
type inputMode uint8

const (
	reading    inputMode = iota // nowhere: they are keys
	filtering                   // to the filter
	finding                     // to the expression that is looked for
	namingFile                  // to the name of a file
)

// NewLogs returns a Logs that shows times of zone and hides debug lines.
func NewLogs(k Keys, zone *time.Location) Logs {
	return newLogs(k, zone, MaxLogLines, maxLogBytes)
}

func newLogs(k Keys, zone *time.Location, lines, size int) Logs {
	v := &filteredLog{ring: newRing(lines, size), filter: Filter{Level: infoLevel}}
	return Logs{keys: k, zone: zone, view: v, follow: true}
}

// Show implements [Pane].
func (p Logs) Show(s status.Snapshot) Pane {
	p.snap = s
	return p
}

// AppendLines implements [Reader]. Where lines are missing, or another hub begins to
// count, a remark stands between the lines.
func (p Logs) AppendLines(lines []status.Line) Pane {
	for _, l := range lines {
		if l.Missed > 0 {
			p.remark(fmt.Sprintf("… %s dropped …", Plural(l.Missed, "line")))
		}
		if l.Seq <= p.last && p.last > 0 {
			p.remark("… another hub began …")
			p.view.ring.clients.forgetSessions()
		}
		p.last = l.Seq
		p.view.lineAdded(p.view.ring.add(l.Time, parseLevel(l.Level), l.Component, l.Text))
	}
	return p
}

func (p Logs) remark(text string) {
	p.view.lineAdded(p.view.ring.add(time.Time{}, remarkLevel, "", text))
}

// Focus implements [Seeker]: it shows only the lines of part.
func (p Logs) Focus(part string) Pane {
	return p.look(Filter{Level: p.view.filter.Level, Part: part, Text: p.view.filter.Text})
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
		p.view.setSearch(newSearch(p.find.Value()))
	case namingFile:
		p.file = p.file.Insert(text)
	case reading:
	}
	return p
}

func (p Logs) look(l Filter) Logs {
	p.view.setFilter(l)
	return p
}

func (p Logs) search() Logs {
	l := p.view.filter
	l.Text = theme.Sanitize(p.filter.Value()) // as the lines are
	return p.look(l)
}

// Key implements [Pane].
func (p Logs) Key(k Press) (Pane, Intent) {
	switch p.mode {
	case filtering:
		return p.filterKey(k), nil
	case finding:
		return p.findKey(k), nil
	case namingFile:
		return p.fileKey(k)
	case reading:
	}
	if why := p.DisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	if moved, ok := p.move(k); ok {
		return moved, nil
	}
	l := p.view.filter
	switch {
	case key.Matches(k, p.keys.Filter):
		p.before, p.filter, p.mode = p.filter.Value(), NewTextInput(l.Text), filtering
	case key.Matches(k, p.keys.Find):
		p.find, p.mode = NewTextInput(p.view.search.text), finding
	case key.Matches(k, p.keys.NextHit):
		return p.jump(k, 1), nil
	case key.Matches(k, p.keys.PreviousHit):
		return p.jump(k, -1), nil
	case key.Matches(k, p.keys.Mark):
		return p.startSelection(k), nil
	case key.Matches(k, p.keys.Back) && p.from != 0:
		p.from, p.to = 0, 0
	case key.Matches(k, p.keys.Back) && p.view.search.text != "":
		p.find = TextInput{}
		p.view.setSearch(search{})
	case key.Matches(k, p.keys.Back) && l.Text != "":
		p.before, p.filter = p.filter.Value(), TextInput{}
		return p.search(), nil
	case key.Matches(k, p.keys.Level):
		l.Level = (l.Level + 1) % remarkLevel
		return p.look(l), nil
	case key.Matches(k, p.keys.NextPart):
		return p.look(p.nextPart()), nil
	case key.Matches(k, p.keys.Wrap):
		p.wrap = !p.wrap
	case key.Matches(k, p.keys.Timestamps):
		p.timestamps = (p.timestamps + 1) % timestampModes
	case key.Matches(k, p.keys.Copy):
		return p, p.copy(k)
	case p.keys.saves(k, Running(p.snap)):
		return p, p.save()
	case key.Matches(k, p.keys.Export):
		p.mode = namingFile
	default:
		return p, Unhandled{}
	}
	return p, nil
}

func (p Logs) filterKey(k Press) Pane {
	var typing bool
	if p.filter, typing = p.keys.editFilter(k, p.filter, p.before); !typing {
		p.mode = reading
	}
	return p.search()
}

// fileKey answers a key while the file of an export is named.
func (p Logs) fileKey(k Press) (Pane, Intent) {
	switch {
	case key.Matches(k, p.keys.Enter):
		p.mode = reading
		return p, ExportLog{Name: p.file.Value()}
	case key.Matches(k, p.keys.Back):
		p.mode, p.file = reading, TextInput{}
	default:
		p.file, _ = p.file.HandleKey(k.KeyPressMsg)
	}
	return p, nil
}

// nextPart is the lens on the part after the one that is shown, in the order of
// their first lines, then on one client after the other; after the last come
// all.
func (p Logs) nextPart() Filter {
	next := p.view.filter
	steps := []Filter{{}}
	for _, part := range p.view.ring.parts {
		if part != "" {
			steps = append(steps, Filter{Part: part})
		}
	}
	for _, client := range p.view.ring.clients.names {
		steps = append(steps, Filter{Client: client})
	}
	i := slices.Index(steps, Filter{Part: next.Part, Client: next.Client}) + 1
	to := steps[i%len(steps)]
	next.Part, next.Client = to.Part, to.Client
	return next
}

func (p Logs) save() Intent {
	var b strings.Builder
	for i := range p.view.len() {
		p.write(&b, p.view.at(i))
	}
	return Save{What: Plural(uint64(p.view.len()), "line"), Name: "lectern.log", Text: b.String()}
}

// write appends line n as it is copied and saved: all of it, with its time.
func (p Logs) write(b *strings.Builder, n uint64) {
	r := p.view.ring
	l := r.line(n)
	if l.level != remarkLevel {
		fmt.Fprintf(b, "%s %-5s %s ", time.Unix(0, l.time).In(p.zone).Format(time.RFC3339), l.level.status(), theme.Sanitize(r.parts[l.part]))
	}
	b.Write(r.text(l))
	b.WriteByte('\n')
}

// Keys implements [Pane].
func (p Logs) Keys() []key.Binding {
	switch p.mode {
	case filtering:
		return []key.Binding{WithHelp(p.keys.Enter, "keep the filter"), WithHelp(p.keys.Back, "drop it"), WithHelp(p.keys.PreviousFilter, "the filter before")}
	case finding:
		return []key.Binding{WithHelp(p.keys.Enter, "go to the last"), WithHelp(p.keys.Back, "drop it")}
	case namingFile:
		return []key.Binding{WithHelp(p.keys.Enter, "export the whole log"), WithHelp(p.keys.Back, "leave it")}
	case reading:
	}
	follow := WithHelp(p.keys.Follow, "follow")
	if p.follow {
		follow = WithHelp(p.keys.Follow, "pause")
	}
	keys := []key.Binding{p.keys.Filter, p.keys.Find, follow, p.keys.Level, p.keys.NextPart, p.keys.Wrap, p.keys.Timestamps, p.keys.Copy, p.keys.Mark, p.keys.saveKey(Running(p.snap)), p.keys.Export}
	switch {
	case p.from != 0:
		keys = append([]key.Binding{WithHelp(p.keys.Down, "select"), WithHelp(p.keys.Copy, "copy what is selected"), WithHelp(p.keys.Back, "drop it")}, keys...)
	case p.view.search.pattern != nil:
		keys = append([]key.Binding{p.keys.NextHit, p.keys.PreviousHit, WithHelp(p.keys.Back, "drop the search")}, keys...)
	case p.view.filter.Text != "":
		keys = append([]key.Binding{WithHelp(p.keys.Back, "drop the filter")}, keys...)
	}
	return keys
}
