package pane

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Tools shows what an agent sees: each tool with its description, arguments,
// examples and what it costs, for any source and client. A tool can be run by
// hand; that form is in tools_form.go.
type Tools struct {
	keys Keys
	snap status.Snapshot

	scope  ToolsQuery    // what is shown
	loaded Query         // what tools are of; nil: nothing yet
	tools  []status.Tool // in their order on the screen
	err    error
	order  toolOrder
	// published are the tools as they came.
	published []status.Tool
	list      widget.List
	cursor    string          // the name of the selected tool
	page      widget.TextView // all there is to say of it
	detail    widget.Detail

	form *toolForm // nil: it is not shown; replaced, never changed
}

// NewTools returns a Tools, which shows no times.
func NewTools(k Keys, _ *time.Location) Pane { return Tools{keys: k} }

// toolsHelp lists the keys of [Tools] and its form.
func toolsHelp(k Keys) []KeyGroup {
	help := widget.WithHelp
	return []KeyGroup{{Keys: []key.Binding{
		help(k.Run, "run the tool"), help(k.Enter, "read its full description"), help(k.Filter, "filter the tools"),
		help(k.NextComponent, "tools of the next source"), help(k.Right, "as the next client sees them"), help(k.Left,
			"as the previous client sees them"),
		help(k.SortRows, "sort the tools: as published, most tokens, name"), help(k.Copy, "copy the declaration"),
		help(k.Refresh, "reload the tools"),
	}}, {"Running a tool", []key.Binding{
		help(k.Enter, "run"), k.NextField, k.PreviousField, help(k.Right, "next option"), k.Example, k.CopyAnswer, help(k.Back, "close"),
	}}}
}

// SetSnapshot implements [Pane]. What is published depends on the sources and on what
// agents may do, so it is read again when these change.
func (p Tools) SetSnapshot(s status.Snapshot) Pane {
	if hubRestarted(p.snap, s) || !slices.EqualFunc(p.snap.Sources, s.Sources, sourcesHaveSameTools) {
		p.scope.Refresh++
	}
	if IsHubRunning(s) && !slices.ContainsFunc(s.Sources, func(one status.Source) bool { return one.Name == p.scope.Source }) {
		p.scope.Source = "" // it is gone, perhaps since the last panel
	}
	p.snap = s
	return p
}

func sourcesHaveSameTools(a, b status.Source) bool {
	return a.Name == b.Name && a.Tools == b.Tools && a.ReadOnly == b.ReadOnly && slices.Equal(a.Effects, b.Effects)
}

// ShowItem implements [ItemPane]: it shows the tools of the source part.
func (p Tools) ShowItem(part string) Pane {
	p.scope.Source = part
	return p
}

// WantedQuery implements [Querier].
func (p Tools) WantedQuery() Query {
	if p.loaded == Query(p.scope) || !IsHubRunning(p.snap) {
		return nil
	}
	return p.scope
}

// TakeResult implements [Querier].
func (p Tools) TakeResult(f Result) Pane {
	switch w := f.Query.(type) {
	case ToolsQuery:
		if w != p.scope {
			return p
		}
		p.loaded, p.published, p.err = w, f.Tools, f.Err
		if f.Err != nil {
			p.published = nil
		}
		p.tools = slices.Clone(p.published)
		return p.refreshRows()
	case ToolRunResultID:
		if p.form != nil && p.form.running && w == (ToolRunResultID{p.form.sourceName(), p.form.unprefixedToolName()}) {
			next := p.form.takeResult(f)
			p.form = &next
		}
	}
	return p
}

// ObserveUserActionOutcome implements [ActionObserver].
func (p Tools) ObserveUserActionOutcome(a status.Action, err error) Pane {
	if err == nil && (a.Verb == status.SetGrant || a.Verb == status.SetOption || a.Verb == status.Reload) {
		p.scope.Refresh++
	}
	return p
}

// IsTyping implements [TypingPane].
func (p Tools) IsTyping() bool { return p.list.IsTyping() || p.form != nil }

// Paste implements [TypingPane].
func (p Tools) Paste(text string) Pane {
	switch {
	case p.form != nil:
		next := p.form.paste(text)
		p.form = &next
	default:
		p.list = p.list.Paste(text)
		return p.showSelectedTool()
	}
	return p
}

// A toolOrder is how the tools are sorted.
type toolOrder int

const (
	asPublished toolOrder = iota
	byCost                // what takes most of every request first
	byToolName
	toolOrderCount
)

func (o toolOrder) label() string { return [...]string{"", "most tokens", "name"}[o] }

// refreshRows is p with its rows as the tools and their order are.
func (p Tools) refreshRows() Tools {
	switch p.order {
	case byCost:
		slices.SortStableFunc(p.tools, func(a, b status.Tool) int { return cmp.Compare(b.Bytes, a.Bytes) })
	case byToolName:
		slices.SortStableFunc(p.tools, func(a, b status.Tool) int { return cmp.Compare(a.Name, b.Name) })
	case asPublished, toolOrderCount:
	}
	rows := make([]widget.ListRow, len(p.tools))
	for i, t := range p.tools {
		rows[i] = widget.ListRow{ID: t.Name, Text: t.Name + " " + t.Title + " " + t.Effect, Description: t.Description}
	}
	p.list = p.list.Select(p.cursor).SetRows(rows)
	return p.showSelectedTool()
}

// showSelectedTool shows all there is to say of the selected tool.
func (p Tools) showSelectedTool() Tools {
	tool, ok := p.selected()
	if !ok {
		p.cursor, p.page = "", widget.TextView{}
		return p
	}
	if tool.Name != p.cursor {
		p.detail.Top = 0
	}
	p.cursor, p.page = tool.Name, toolText(tool)
	return p
}

// selectAt selects the i-th tool that is shown.
func (p Tools) selectAt(i int) Tools {
	p.list, _ = p.list.SelectRow(i)
	return p.showSelectedTool()
}

// HandleKey implements [Pane].
func (p Tools) HandleKey(k Press) (Pane, Intent) {
	switch {
	case p.form != nil && key.Matches(k, p.keys.Back):
		p.form = nil
		return p, nil
	case p.form != nil:
		next, want := p.form.handleKey(k)
		p.form = &next
		return p, want
	case p.list.IsTyping():
		p.list, _ = p.list.HandleKey(k.KeyPressMsg, p.keys.NavKeys, k.H/2)
		return p.showSelectedTool(), nil
	}
	if why := p.KeyDisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	w, h := p.detailSize(k.W, k.H)
	selected, shown := p.list.SelectedShownIndex(), p.list.ShownCount()
	if next, i, ok := p.detail.HandleKey(k.KeyPressMsg, p.keys.NavKeys, p.page, w, h, k.H/2, selected, shown); ok {
		p.detail = next
		return p.selectAt(i), nil
	}
	if next, ok := p.list.HandleKey(k.KeyPressMsg, p.keys.NavKeys, k.H/2); ok {
		p.list = next
		return p.showSelectedTool(), nil
	}
	switch {
	case IsHubRunning(p.snap) && key.Matches(k, p.keys.SortRows):
		if p.order = (p.order + 1) % toolOrderCount; p.order == asPublished {
			p.tools = slices.Clone(p.published)
		}
		return p.refreshRows(), nil
	case key.Matches(k, p.keys.Refresh):
		p.scope.Refresh++
		return p, ShowMessage{"Reloading the tools."}
	case key.Matches(k, p.keys.NextComponent):
		p.scope.Source = nextInCycle(p.scope.Source, p.sourceNames())
	case key.Matches(k, p.keys.Right):
		p.scope.Client = nextInCycle(p.scope.Client, clientNames(p.snap.Sessions))
	case key.Matches(k, p.keys.Left):
		all := clientNames(p.snap.Sessions)
		slices.Reverse(all)
		p.scope.Client = nextInCycle(p.scope.Client, all)
	case key.Matches(k, p.keys.Run):
		return p.openForm()
	case key.Matches(k, p.keys.Copy):
		return p, p.intentToCopy()
	default:
		return p, Unhandled{}
	}
	return p, nil
}

// nextInCycle is what follows one in all, or the first.
func nextInCycle(one string, all []string) string {
	return all[(slices.Index(all, one)+1)%len(all)]
}

func (p Tools) sourceNames() []string {
	all := []string{""}
	for _, s := range p.snap.Sources {
		all = append(all, s.Name)
	}
	return all
}

// clientNames are the clients that are connected, behind an empty name that
// means any of them.
func clientNames(sessions []status.Session) []string {
	all := []string{""}
	for _, s := range sessions {
		if !slices.Contains(all, s.Client) {
			all = append(all, s.Client)
		}
	}
	return all
}

func (p Tools) selected() (status.Tool, bool) {
	i := p.list.SelectedIndex()
	if i < 0 || i >= len(p.tools) {
		return status.Tool{}, false
	}
	return p.tools[i], true
}

func (p Tools) openForm() (Pane, Intent) {
	tool, _ := p.selected()
	f, err := newToolForm(p.keys, tool)
	if err != nil {
		return p, ShowMessage{"Cannot run this tool: " + err.Error()}
	}
	p.form = &f
	return p, nil
}

func (p Tools) intentToCopy() Intent {
	tool, _ := p.selected()
	text, err := json.MarshalIndent(tool, "", "  ")
	if err != nil {
		return ShowMessage{"Cannot copy: " + err.Error()}
	}
	return CopyText{What: "the declaration of " + tool.Name, Text: string(text)}
}

// Bindings implements [Pane].
func (p Tools) Bindings() []key.Binding {
	switch {
	case p.form != nil:
		return p.form.bindings()
	case p.list.IsTyping():
		return p.list.Bindings(p.keys.NavKeys)
	case p.detail.Open:
		return []key.Binding{
			p.keys.Run, widget.WithHelp(p.keys.Back, "back to the list"), widget.WithHelp(p.keys.Down, "scroll"),
			p.keys.Copy,
		}
	}
	return []key.Binding{
		p.keys.Run, widget.WithHelp(p.keys.Enter, "read"), p.keys.Filter, widget.WithHelp(p.keys.NextComponent,
			"source"), widget.WithHelp(p.keys.Right, "client"), p.keys.SortRows, p.keys.Copy, p.keys.Refresh,
	}
}

// summarizeNames are some names, and how many more there are.
func summarizeNames(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
}

// toolText is all there is to say of a tool.
func toolText(tool status.Tool) widget.TextView {
	l := widget.NewTextView().
		AppendText(widget.TitleLine, strings.TrimSpace(tool.Name+"  "+tool.Title)).
		AppendText(widget.DimLine, fmt.Sprintf("%s · %s · about %s tokens in every request · sources: %s", widget.OrDash(tool.Effect),
			widget.OrDash(tool.System),
			widget.FormatCount(max(0, tool.Bytes/4)), widget.OrDash(summarizeNames(tool.Sources)))).
		AppendText(widget.TextLine, "").AppendText(widget.TextLine, tool.Description).AppendText(widget.TextLine, "")
	fields, err := parseSchemaArguments(tool.Schema)
	switch {
	case err != nil:
		l = l.AppendText(widget.RiskLine, err.Error())
	case len(fields) == 0:
		l = l.AppendText(widget.DimLine, "No arguments.")
	default:
		l = l.AppendText(widget.TitleLine, "arguments (* required)")
	}
	for _, a := range fields {
		star := ""
		if a.required {
			star = " *"
		}
		choices := ""
		if len(a.choices) > 0 {
			choices = "one of " + strings.Join(a.choices, ", ")
		}
		l = l.AppendText(widget.TextLine, "  "+a.name+star+" · "+strings.Join(nonEmpty(a.kindText(), choices, a.rules), " · "))
		if a.description != "" {
			l = l.AppendText(widget.DimLine, "      "+a.description)
		}
	}
	if len(tool.Examples) > 0 {
		l = l.AppendText(widget.TextLine, "").AppendText(widget.TitleLine, "examples")
	}
	for _, ex := range tool.Examples {
		l = l.AppendText(widget.DimLine, "  "+ex.Purpose).AppendText(widget.TextLine, "    "+string(ex.Args))
	}
	return l
}

// KeyDisabledReason implements [Pane].
func (p Tools) KeyDisabledReason(k tea.KeyPressMsg) string {
	if p.IsTyping() {
		return ""
	}
	_, any := p.selected()
	switch {
	case key.Matches(k, p.keys.Run, p.keys.Copy, p.keys.Enter):
		return reasonUnless(any, "No tool selected.")
	case key.Matches(k, p.keys.SortRows) && p.detail.Open && IsHubRunning(p.snap):
		return "Press esc to go back to the list first."
	case key.Matches(k, p.keys.Refresh):
		return reasonUnless(IsHubRunning(p.snap), hubNotRunning)
	case key.Matches(k, p.keys.NextComponent):
		return reasonUnless(len(p.sourceNames()) > 1, "There is only one source.")
	case key.Matches(k, p.keys.Left, p.keys.Right):
		return reasonUnless(len(clientNames(p.snap.Sessions)) > 1, "No clients are connected; these are the tools that any client sees.")
	default:
		return ""
	}
}

// SelectRow implements [RowSelector].
func (p Tools) SelectRow(i int) (Pane, bool) {
	next, again := p.list.SelectRow(i)
	p.list = next
	return p.showSelectedTool(), again
}

// Scroll implements [Scroller].
func (p Tools) Scroll(n int, k Press) Pane {
	w, h := p.detailSize(k.W, k.H)
	p.detail = p.detail.Scroll(n, p.page, w, h)
	return p
}

// savedToolsState is what [Tools] keeps from one panel to the next.
type savedToolsState struct {
	Source string `json:"source,omitempty"`
	Client string `json:"client,omitempty"`
	Filter string `json:"filter,omitempty"`
}

// StateToSave implements [StateSaver].
func (p Tools) StateToSave() any {
	return savedToolsState{p.scope.Source, p.scope.Client, p.list.FilterText()}
}

// RestoreState implements [StateSaver].
func (p Tools) RestoreState(b json.RawMessage) Pane {
	var m savedToolsState
	if json.Unmarshal(b, &m) != nil {
		return p
	}
	p.scope.Source, p.scope.Client, p.list = m.Source, m.Client, p.list.SetFilter(m.Filter)
	return p
}
