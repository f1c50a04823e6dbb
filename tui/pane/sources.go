package pane

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

// Sources lists what is opened and says all there is to say of the selected
// one. Its form, in sources_add.go, adds another.
type Sources struct {
	keys         Keys
	zone         *time.Location
	snap         status.Snapshot
	list         widget.List
	form         SourceForm
	askedKinds   bool              // the kinds that the form offers were asked for
	adding       bool              // the form is shown; a closed one keeps what was typed
	grant        *grantForm        // nil: it is not shown; replaced, never changed
	folder       *sourceFolderForm // nil: it is not shown; replaced, never changed
	w, h         int
	browserCount int               // that a browser was opened
	browse       *sourceBrowser    // nil: it is not shown; replaced, never changed
	searchAll    *allSourcesSearch // below browse; nil: it is not open; replaced, never changed
}

// NewSources returns a Sources that shows times of zone.
func NewSources(k Keys, zone *time.Location) Pane {
	return Sources{keys: k, zone: zone, form: NewSourceForm(k)}
}

// sourcesHelp lists the keys of [Sources] and its forms.
func sourcesHelp(k Keys) []KeyGroup {
	help := widget.WithHelp
	return []KeyGroup{{Keys: []key.Binding{
		help(k.Add, "add a source"), help(k.Grant, "set permissions: read-only, ask first"), help(k.Edit, "correct its path"), help(k.Remove,
			"remove the source; its files stay"),
		help(k.Reopen, "close and reopen the source"), help(k.Browse, "browse its pages"), help(k.Search, "search it as an agent does"),
		help(k.Run, "show its tools"), help(k.SeeCalls, "show its calls"), help(k.SeeLogs, "show its log"), help(k.Copy, "copy its path"),
		help(k.Filter, "filter the sources"),
	}}, {"Pages of a source", []key.Binding{
		help(k.Enter, "read the page"), help(k.Filter, "filter by name"), help(k.Search, "search as an agent does"), help(k.Raw,
			"toggle source/rendered"),
		help(k.Right, "unfold the folder"), help(k.Left, "fold the folder"), help(k.SortPages, "sort: by folder, newest first, largest first"),
		help(k.NextLink, "next link of the page"), help(k.PreviousLink, "previous link"), help(k.Enter, "follow the link"),
		help(k.Browse, "first link to the page"),
		help(k.Edit, "edit the page's file in your editor"),
		help(k.Copy, "copy the page"), help(k.Refresh, "reload"), help(k.Back, "back, also from a link"),
	}}, {"Adding a source", []key.Binding{
		help(k.Enter, "preview the change"), k.NextField, k.PreviousField, help(k.Right, "next kind"), help(k.Toggle, "toggle read-only"),
		help(k.Back, "close; keeps what you typed"),
	}}, {"Permissions", []key.Binding{
		help(k.Enter, "preview the change"), help(k.Right, "next option"), k.NextField, help(k.Back, "close"),
	}}}
}

// SetSnapshot implements [Pane]. The selection stays on its source when others come
// and go.
func (p Sources) SetSnapshot(s status.Snapshot) Pane {
	selected, _ := p.selected()
	if name, ok := addedSourceName(p.snap.Sources, s.Sources); ok && p.form.submitted {
		kinds := p.form.kinds
		p.form, p.adding = NewSourceForm(p.keys), false
		p.form.kinds = kinds
		selected.Name = name
	}
	p = p.setBrowserSnapshot(s)
	p.snap = s
	rows := make([]widget.ListRow, len(s.Sources))
	for i, one := range s.Sources {
		rows[i] = widget.ListRow{
			ID: one.Name, Text: one.Name + " " + one.Kind + " " + string(one.State) + " " + one.Location,
			Rank: stateRank(one.State),
		}
	}
	p.list = p.list.SetRows(rows)
	return p.ShowItem(selected.Name)
}

// stateRank puts what does not work before the rest.
func stateRank(s status.State) int {
	switch s {
	case status.Failed, status.CrashLoop:
		return 0
	case status.Degraded:
		return 1
	default:
		return 2
	}
}

// addedSourceName returns a source that was not there before.
func addedSourceName(before, now []status.Source) (name string, ok bool) {
	for _, s := range now {
		if !slices.ContainsFunc(before, func(b status.Source) bool { return b.Name == s.Name && b.Location == s.Location }) {
			return s.Name, true
		}
	}
	return "", false
}

// ShowItem implements [ItemPane].
func (p Sources) ShowItem(part string) Pane {
	if part == SearchAllFocus {
		return openSearchAll(p)
	}
	p.list = p.list.Select(part)
	return p
}

// IsTyping implements [TypingPane].
func (p Sources) IsTyping() bool {
	return p.adding || p.grant != nil || p.folder != nil || p.list.IsTyping() || p.browse != nil && p.browse.isTyping() ||
		p.browse == nil && p.searchAll != nil && p.searchAll.typing
}

// Paste implements [TypingPane].
func (p Sources) Paste(text string) Pane {
	switch {
	case p.adding:
		p.form = p.form.Paste(text)
	case p.folder != nil:
		next := sourceFolderForm{p.folder.source, p.folder.form.Paste(text)}
		p.folder = &next
	case p.browse != nil:
		return p.withSourceBrowser(p.browse.paste(text))
	case p.searchAll != nil:
		next := *p.searchAll
		next.query = next.query.Insert(text)
		p.searchAll = &next
	default:
		p.list = p.list.Paste(text)
	}
	return p
}

func (p Sources) selected() (status.Source, bool) {
	i := p.list.SelectedIndex()
	if i < 0 {
		return status.Source{}, false
	}
	return p.snap.Sources[i], true
}

// HandleKey implements [Pane].
func (p Sources) HandleKey(k Press) (Pane, Intent) {
	if p.adding {
		return p.handleFormKey(k)
	}
	if p.grant != nil {
		next, want, done := p.grant.handleKey(k)
		if p.grant = &next; done {
			p.grant = nil
		}
		return p, want
	}
	if p.folder != nil {
		return handleFolderFormKey(p, k)
	}
	if p.browse != nil {
		next, want, done := p.browse.handleKey(k)
		if p = p.withSourceBrowser(next); done || p.searchAll != nil && !next.page.open {
			p.browse = nil
		}
		return p, want
	}
	if p.searchAll != nil {
		return handleSearchAllKey(p, k)
	}
	if why := p.KeyDisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	if next, ok := p.list.HandleKey(k.KeyPressMsg, p.keys.NavKeys, k.H/2); ok {
		p.list = next
		return p, nil
	}
	switch {
	case key.Matches(k, p.keys.Browse, p.keys.Enter, p.keys.Search):
		return p.openSourceBrowser(key.Matches(k, p.keys.Search)), nil
	case key.Matches(k, p.keys.Add):
		p.adding = true
	case key.Matches(k, p.keys.Grant):
		s, _ := p.selected()
		p.grant = newGrantForm(p.keys, s, p.snap.Sessions)
	case key.Matches(k, p.keys.Edit):
		s, _ := p.selected()
		p.folder = newSourceFolderForm(p.keys, s)
	default:
		return p, p.selectedSourceKeyIntent(k)
	}
	return p, nil
}

// selectedSourceKeyIntent answers the keys that are about the selected source.
func (p Sources) selectedSourceKeyIntent(k Press) Intent {
	s, _ := p.selected()
	switch {
	case key.Matches(k, p.keys.Remove):
		return IntentFor(status.Action{Verb: status.RemoveSource, Target: s.Name})
	case key.Matches(k, p.keys.Reopen):
		return IntentFor(status.Action{Verb: status.ReopenSource, Target: s.Name})
	case key.Matches(k, p.keys.Run):
		return OpenPane{Pane: ToolsPane, Focus: s.Name}
	case key.Matches(k, p.keys.SeeCalls):
		return OpenPane{Pane: ActivityPane, Focus: s.Name}
	case key.Matches(k, p.keys.SeeLogs):
		return OpenPane{Pane: LogsPane, Focus: s.Name}
	case key.Matches(k, p.keys.Copy):
		return CopyText{What: "the path of " + s.Name, Text: s.Location}
	default:
		return Unhandled{}
	}
}

// Bindings implements [Pane].
func (p Sources) Bindings() []key.Binding {
	switch {
	case p.adding:
		return p.form.Bindings()
	case p.grant != nil:
		return p.grant.bindings()
	case p.folder != nil:
		return p.folder.form.Bindings()
	case p.browse != nil:
		return p.browse.bindings()
	case p.searchAll != nil:
		return p.searchAll.bindings()
	case p.list.IsTyping():
		return p.list.Bindings(p.keys.NavKeys)
	case len(p.snap.Sources) == 0:
		return []key.Binding{widget.WithHelp(p.keys.Add, "add a source")}
	}
	return []key.Binding{
		widget.WithHelp(p.keys.Enter, "pages"), p.keys.Search, p.keys.Add, p.keys.Grant, widget.WithHelp(p.keys.Edit, "path"), p.keys.Remove,
		p.keys.Reopen, widget.WithHelp(p.keys.Run, "tools"), p.keys.SeeCalls, p.keys.SeeLogs, widget.WithHelp(p.keys.Copy, "copy its path"),
	}
}

// View implements [Pane].
func (p Sources) View(t theme.Theme, w, h int) string {
	side, form := p.detailSection(t), p.adding
	switch {
	case p.folder != nil:
		side, form = p.folder.section(t), true
	case p.browse != nil && !p.adding && p.grant == nil:
		return strings.Join(p.browse.view(t, w, h), "\n")
	case p.searchAll != nil && !p.adding && p.grant == nil:
		return strings.Join(widget.Stack(t, w, h, widget.IsFramed(w, h), p.searchAll.section(t)), "\n")
	case p.adding:
		side = p.form.section(t)
	case p.grant != nil:
		side, form = p.grant.section(t), true
	}
	return p.list.DrawFilterBelowRows(t, w, h, func(h int) []string {
		if form && !widget.IsFramed(w, h) {
			return widget.Stack(t, w, h, false, side)
		}
		return widget.ListWithDetail(t, w, h, h-side.Preferred-4, p.listSection(t), side)
	})
}

func (p Sources) listSection(t theme.Theme) widget.Section {
	n := len(p.snap.Sources)
	return widget.Section{
		Title: titleWithCount("Sources", n), Note: p.list.StatusNote(), Min: min(max(2, n+1), 4), Preferred: max(2, n+1),
		Rows: func(w, h int) []string {
			if n == 0 {
				return []string{t.Dim.Text("No sources yet. Press ") + t.Key.Text("a") + t.Dim.Text(" to add a folder.")}
			}
			return append([]string{p.drawColumnTitles(t, w)}, p.list.Draw(t, w, h-1, func(t theme.Theme, i, w int) string {
				return p.row(t, i, w)
			})...)
		},
	}
}

func (p Sources) drawColumnTitles(t theme.Theme, w int) string {
	line := t.Dim.Fit("  name", nameWidth(w)+3) + t.Dim.Fit("kind", 10) + t.Dim.Fit("state", 11)
	if w >= 54 {
		line += t.Dim.Fit("agents can", 11) + t.Dim.FitRight("calls", 7)
	}
	if w >= 90 {
		line += t.Dim.Text("  location")
	}
	return line
}

func (p Sources) row(t theme.Theme, i, w int) string {
	s := p.snap.Sources[i]
	glyph, style := t.StateStyle(s.State)
	line := style.Text(glyph) + t.Text.Text(" ") + t.Strong.Fit(s.Name, nameWidth(w)) + t.Text.Text(" ") +
		t.Dim.Fit(s.Kind, 10) + style.Fit(string(s.State), 11)
	if w >= 54 {
		line += t.Text.Fit(shortAccessText(s, w), accessWidth(w)) + t.Text.FitRight(widget.FormatCount(s.Calls), 7)
	}
	if w >= 90 {
		line += t.Text.Text("  ") + t.Dim.CutLeft(s.Location, w-theme.Width(line)-2)
	}
	return widget.FillRow(t, line, w)
}

// accessWidth is how many cells of a row of w say what agents may do.
func accessWidth(w int) int {
	if w >= 75 {
		return 20
	}
	return 12
}

// shortAccessText is what agents may do with s: every effect by its name, or in a narrow
// row the first and the last of them.
func shortAccessText(s status.Source, w int) string {
	n := len(s.Effects)
	switch all := strings.Join(s.Effects, ", "); {
	case s.ReadOnly:
		return "read-only"
	case n == 0:
		return "nothing"
	case len(all) < accessWidth(w) || n == 1:
		return all
	default:
		return s.Effects[0] + "…" + s.Effects[n-1]
	}
}

// accessDescription is what agents may do with s, and what a person approves first.
func accessDescription(s status.Source) string {
	free := slices.DeleteFunc(slices.Clone(s.Effects), func(e string) bool { return slices.Contains(s.Ask, e) })
	words := strings.Join(free, ", ")
	if len(s.Ask) > 0 {
		words += "; asks before " + strings.Join(s.Ask, ", ")
	}
	if s.Role != "" {
		words += "; role " + s.Role
	}
	return strings.TrimPrefix(words, "; ")
}

// describeClientGrant is what one client may do in a source: "codex: only read here".
func describeClientGrant(g status.Grant) string {
	may := accessDescription(status.Source{Effects: g.Effects, Ask: g.Ask, Role: g.Role})
	switch {
	case slices.Equal(g.Effects, []string{"read"}) && len(g.Ask) == 0:
		may = strings.Replace(may, "read", "only read here", 1)
	case len(g.Effects) == 0:
		may = "nothing here"
	}
	return "but " + g.Client + ": " + may
}

func (p Sources) detailSection(t theme.Theme) widget.Section {
	s, ok := p.selected()
	if !ok {
		return widget.Section{Title: "Getting started", Min: 1, Preferred: 3, Rows: func(w, _ int) []string {
			return t.Dim.Wrap("A source is a knowledge base that agents can use: a folder of notes, or what another application has open. "+
				"Agents see only the sources you add here and do only what you allow.", w)
		}}
	}
	return widget.Section{
		Title: s.Name, Note: sampleSourceText(s), Min: 3, Preferred: 7 + len(s.Grants),
		Rows: func(w, _ int) []string { return p.detailRows(t, s, w) },
	}
}

func (p Sources) detailRows(t theme.Theme, s status.Source, w int) []string {
	field := func(name, value string) string { return widget.PropertyRow(t, 12, name, value) }
	glyph, style := t.StateStyle(s.State)
	may := accessDescription(s)
	if s.ReadOnly {
		may += " (read-only)"
	}
	rows := []string{
		t.Dim.Fit("state", 12) + style.Text(glyph+" "+string(s.State)) + t.Dim.Text(" since "+widget.FormatClockTime(s.Since, p.snap.Time,
			p.zone)),
		t.Dim.Fit("location", 12) + t.Text.CutLeft(s.Location, w-12),
		field("kind", s.Kind),
		field("agents can", widget.OrDash(strings.TrimSpace(may))),
	}
	for _, g := range s.Grants {
		rows = append(rows, field("", describeClientGrant(g)))
	}
	rows = append(rows,
		field("tools", fmt.Sprintf("%d, called %s%s", s.Tools, widget.CountWithNoun(s.Calls, "time"), describeCallCounts(s))),
	)
	if s.Hidden != nil {
		rows = append(rows, field("privacy", s.Hidden.String()))
	}
	for _, task := range s.Tasks {
		rows = append(rows, field("working on", task.String()))
	}
	for _, why := range s.Holds {
		rows = append(rows, field("keeps hub", "it does not leave when idle: "+why))
	}
	if s.Note != "" {
		rows = append(rows, field("note", s.Note))
	}
	for _, problem := range p.snap.Problems {
		if problem.Component != s.Name {
			continue
		}
		glyph, style := t.SeverityStyle(problem.Severity)
		rows = append(rows, "", style.Text(glyph+" "+string(problem.Severity))+"  "+t.Strong.Text(problem.Title))
		rows = append(rows, t.Dim.Wrap(problem.Fix, w)...)
	}
	return rows
}

func sampleSourceText(s status.Source) string {
	if s.Sample {
		return "sample created by Lectern"
	}
	return ""
}

// KeyDisabledReason implements [Pane].
func (p Sources) KeyDisabledReason(k tea.KeyPressMsg) string {
	if p.adding || p.grant != nil || p.folder != nil || p.browse != nil || p.searchAll != nil || p.list.IsTyping() {
		return ""
	}
	_, any := p.selected()
	asks := key.Matches(k, p.keys.Add, p.keys.Grant, p.keys.Remove, p.keys.Reopen, p.keys.Browse, p.keys.Enter, p.keys.Search,
		p.keys.Edit)
	switch {
	case !asks && !key.Matches(k, p.keys.SeeLogs, p.keys.SeeCalls, p.keys.Copy, p.keys.Run):
		return ""
	case !IsHubRunning(p.snap) && (!any || asks):
		return hubNotRunning
	case key.Matches(k, p.keys.Edit) && any && !selectedSourceIsFolder(p):
		return "This source has no folder of its own; `lectern source set` changes its keys."
	case !any && !key.Matches(k, p.keys.Add):
		return "There are no sources yet. Press a to add one."
	default:
		return ""
	}
}

// SelectRow implements [RowSelector].
func (p Sources) SelectRow(i int) (Pane, bool) {
	if p.browse != nil {
		next, again := p.browse.selectRow(i)
		return p.withSourceBrowser(next), again
	}
	if p.searchAll != nil {
		next := *p.searchAll
		again := next.cursor == i
		next.cursor = widget.Clamp(i, len(next.hits()))
		p.searchAll = &next
		return p, again
	}
	next, again := p.list.SelectRow(i)
	p.list = next
	return p, again
}
