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

// Sources lists what is opened and says all there is to say of the selected
// one. Its form, in sources_add.go, adds another.
type Sources struct {
	keys   Keys
	zone   *time.Location
	snap   status.Snapshot
	cursor int
	form   addForm
	adding bool       // the form is shown; a closed one keeps what was typed
	grant  *grantForm // nil: it is not shown; replaced, never changed
	w, h   int
	looks  int      // that a browser was opened
	browse *browser // nil: it is not shown; replaced, never changed
}

// NewSources returns a Sources that shows times of zone.
func NewSources(k Keys, zone *time.Location) Sources {
	return Sources{keys: k, zone: zone, form: addForm{keys: k}}
}

// Show implements [Pane]. The selection stays on its source when others come
// and go.
func (p Sources) Show(s status.Snapshot) Pane {
	selected, _ := p.selected()
	if name, ok := added(p.snap.Sources, s.Sources); ok && p.form.sent {
		p.form, p.adding = addForm{keys: p.keys}, false
		selected.Name = name
	}
	p = p.browsed(s)
	p.snap = s
	p.cursor = clamp(p.cursor, len(s.Sources))
	return p.Seek(selected.Name)
}

// added returns a source that was not there before.
func added(before, now []status.Source) (name string, ok bool) {
	for _, s := range now {
		if !slices.ContainsFunc(before, func(b status.Source) bool { return b.Name == s.Name && b.Place == s.Place }) {
			return s.Name, true
		}
	}
	return "", false
}

// Seek implements [Seeker].
func (p Sources) Seek(part string) Pane {
	for i, s := range p.snap.Sources {
		if s.Name == part {
			p.cursor = i
		}
	}
	return p
}

// Typing implements [Paster].
func (p Sources) Typing() bool {
	return p.adding || p.grant != nil || p.browse != nil && p.browse.typing()
}

// Paste implements [Paster].
func (p Sources) Paste(text string) Pane {
	switch {
	case p.adding:
		p.form = p.form.paste(text)
	case p.browse != nil:
		return p.opened(p.browse.paste(text))
	}
	return p
}

func (p Sources) selected() (status.Source, bool) {
	if p.cursor >= len(p.snap.Sources) {
		return status.Source{}, false
	}
	return p.snap.Sources[p.cursor], true
}

// Key implements [Pane].
func (p Sources) Key(k Press) (Pane, Intent) {
	if p.adding {
		return p.formKey(k)
	}
	if p.grant != nil {
		next, want, done := p.grant.key(k)
		if p.grant = &next; done {
			p.grant = nil
		}
		return p, want
	}
	if p.browse != nil {
		next, want, done := p.browse.key(k)
		if p = p.opened(next); done {
			p.browse = nil
		}
		return p, want
	}
	if why := p.Why(k.KeyPressMsg); why != "" {
		return p, Say{why}
	}
	n := len(p.snap.Sources)
	switch {
	case key.Matches(k, p.keys.Browse, p.keys.Enter, p.keys.Search):
		return p.look(key.Matches(k, p.keys.Search)), nil
	case key.Matches(k, p.keys.Up):
		p.cursor = clamp(p.cursor-1, n)
	case key.Matches(k, p.keys.Down):
		p.cursor = clamp(p.cursor+1, n)
	case key.Matches(k, p.keys.PageUp):
		p.cursor = clamp(p.cursor-k.H/2, n)
	case key.Matches(k, p.keys.PageDown):
		p.cursor = clamp(p.cursor+k.H/2, n)
	case key.Matches(k, p.keys.First):
		p.cursor = 0
	case key.Matches(k, p.keys.Last):
		p.cursor = clamp(n, n)
	case key.Matches(k, p.keys.Add):
		p.adding = true
	case key.Matches(k, p.keys.Grant):
		s, _ := p.selected()
		p.grant = newGrantForm(p.keys, s, p.snap.Sessions)
	default:
		return p, p.onSelected(k)
	}
	return p, nil
}

// onSelected answers the keys that are about the selected source.
func (p Sources) onSelected(k Press) Intent {
	if !key.Matches(k, p.keys.Remove, p.keys.Reopen, p.keys.SeeLogs, p.keys.Copy, p.keys.Run, p.keys.SeeCalls) {
		return Pass{}
	}
	s, _ := p.selected()
	switch {
	case key.Matches(k, p.keys.Remove):
		return wish(status.Action{Verb: status.RemoveSource, Target: s.Name})
	case key.Matches(k, p.keys.Reopen):
		return wish(status.Action{Verb: status.ReopenSource, Target: s.Name})
	case key.Matches(k, p.keys.Run):
		return Open{Tab: ToolsTab, Part: s.Name}
	case key.Matches(k, p.keys.SeeCalls):
		return Open{Tab: ActivityTab, Part: s.Name}
	case key.Matches(k, p.keys.SeeLogs):
		return Open{Tab: LogsTab, Part: s.Name}
	default:
		return Copy{What: "the place of " + s.Name, Text: s.Place}
	}
}

// Keys implements [Pane].
func (p Sources) Keys() []key.Binding {
	if p.adding {
		return p.form.bindings()
	}
	if p.grant != nil {
		return p.grant.bindings()
	}
	if p.browse != nil {
		return p.browse.bindings()
	}
	if len(p.snap.Sources) == 0 {
		return []key.Binding{named(p.keys.Add, "add a source")}
	}
	return []key.Binding{named(p.keys.Enter, "its pages"), p.keys.Search, p.keys.Add, p.keys.Grant, p.keys.Remove, p.keys.Reopen, named(p.keys.Run, "its tools"), p.keys.SeeCalls, p.keys.SeeLogs, named(p.keys.Copy, "copy its path")}
}

// View implements [Pane].
func (p Sources) View(t theme.Theme, w, h int) string {
	side, form := p.details(t), p.adding
	switch {
	case p.browse != nil && !p.adding && p.grant == nil:
		return strings.Join(p.browse.view(t, w, h), "\n")
	case p.adding:
		side = p.form.section(t)
	case p.grant != nil:
		side, form = p.grant.section(t), true
	}
	var lines []string
	switch {
	case framed(w, h) && w >= wideWidth:
		lines = beside(t, w, h, []section{p.list(t)}, []section{side})
	case form && !framed(w, h):
		lines = stack(t, w, h, false, side)
	default:
		list := p.list(t)
		list.want = max(list.need, min(list.want, h-side.want-4))
		lines = stack(t, w, h, framed(w, h), list, side)
	}
	return strings.Join(lines, "\n")
}

func (p Sources) list(t theme.Theme) section {
	n := len(p.snap.Sources)
	return section{
		title: titled("Sources", n), need: min(max(2, n+1), 4), want: max(2, n+1),
		rows: func(w, h int) []string {
			if n == 0 {
				return []string{t.Dim.Text("No source is open. Press ") + t.Key.Text("a") + t.Dim.Text(" to add a folder.")}
			}
			rows := []string{p.heading(t, w)}
			from, to := window(n, p.cursor, h-1)
			for i := from; i < to; i++ {
				rows = append(rows, t.Spot(i, p.row(t, i, w)))
			}
			return rows
		},
	}
}

func (p Sources) heading(t theme.Theme, w int) string {
	line := t.Dim.Fit("  name", nameWidth(w)+3) + t.Dim.Fit("kind", 10) + t.Dim.Fit("state", 11)
	if w >= 54 {
		line += t.Dim.Fit("agents may", 11) + t.Dim.Right("calls", 7)
	}
	if w >= 90 {
		line += t.Dim.Text("  place")
	}
	return line
}

func (p Sources) row(t theme.Theme, i, w int) string {
	s := p.snap.Sources[i]
	if i == p.cursor {
		t = t.On()
	}
	glyph, style := t.State(s.State)
	line := style.Text(glyph) + t.Text.Text(" ") + t.Strong.Fit(s.Name, nameWidth(w)) + t.Text.Text(" ") +
		t.Dim.Fit(s.Kind, 10) + style.Fit(string(s.State), 11)
	if w >= 54 {
		line += t.Text.Fit(access(s), 11) + t.Text.Right(count(s.Calls), 7)
	}
	if w >= 90 {
		line += t.Text.Text("  ") + t.Dim.Tail(s.Place, w-theme.Width(line)-2)
	}
	return line + t.Text.Fit("", w-theme.Width(line))
}

// access is what agents may do with s, in one or two words.
func access(s status.Source) string {
	switch {
	case s.ReadOnly:
		return "read only"
	case len(s.Effects) == 0:
		return "nothing"
	case len(s.Effects) == 1:
		return s.Effects[0]
	default:
		return fmt.Sprintf("%s +%d", s.Effects[0], len(s.Effects)-1)
	}
}

func (p Sources) details(t theme.Theme) section {
	s, ok := p.selected()
	if !ok {
		return section{title: "How to begin", need: 1, want: 3, rows: func(w, _ int) []string {
			return t.Dim.Wrapped("A source is one opened knowledge base: a folder of Markdown or Org files, a Logseq graph, a wiki. "+
				"Agents see only what you add here, and may do only what you allow.", w)
		}}
	}
	return section{title: s.Name, note: sample(s), need: 3, want: 7, rows: func(w, _ int) []string { return p.detailRows(t, s, w) }}
}

func (p Sources) detailRows(t theme.Theme, s status.Source, w int) []string {
	field := func(name, value string) string { return t.Dim.Fit(name, 12) + t.Text.Text(value) }
	glyph, style := t.State(s.State)
	may := strings.Join(s.Effects, ", ")
	if s.ReadOnly {
		may += " (read only)"
	}
	rows := []string{
		t.Dim.Fit("state", 12) + style.Text(glyph+" "+string(s.State)) + t.Dim.Text(" since "+clock(s.Since, p.snap.Time, p.zone)),
		t.Dim.Fit("place", 12) + t.Text.Tail(s.Place, w-12),
		field("kind", s.Kind),
		field("agents may", orNone(strings.TrimSpace(may))),
		field("tools", fmt.Sprintf("%d, called %s%s", s.Tools, many(s.Calls, "time"), writesOf(s))),
	}
	if s.Note != "" {
		rows = append(rows, field("note", s.Note))
	}
	for _, problem := range p.snap.Problems {
		if problem.Component != s.Name {
			continue
		}
		glyph, style := t.Severity(problem.Severity)
		rows = append(rows, "", style.Text(glyph+" "+string(problem.Severity))+"  "+t.Strong.Text(problem.Title))
		rows = append(rows, t.Dim.Wrapped(problem.Fix, w)...)
	}
	return rows
}

func sample(s status.Source) string {
	if s.Sample {
		return "a sample that Lectern laid out"
	}
	return ""
}
