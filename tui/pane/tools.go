package pane

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// Tools shows what an agent sees: each tool with its description, arguments,
// examples and what it costs, for any source and client. A tool can be run by
// hand; that form is in tools_form.go.
type Tools struct {
	keys Keys
	zone *time.Location
	snap status.Snapshot

	scope  ToolsQuery // what is shown
	loaded Query      // what tools are of; nil: nothing yet
	tools  []status.Tool
	err    error
	cursor string   // the name of the selected tool
	page   TextView // all there is to say of it
	top    int
	open   bool

	filter TextInput
	typing bool

	form *toolForm // nil: it is not shown; replaced, never changed
}

// NewTools returns a Tools that shows times of zone.
func NewTools(k Keys, zone *time.Location) Tools { return Tools{keys: k, zone: zone} }

// Show implements [Pane]. What is published depends on the sources and on what
// agents may do, so it is read again when these change.
func (p Tools) Show(s status.Snapshot) Pane {
	if hubRestarted(p.snap, s) || !slices.EqualFunc(p.snap.Sources, s.Sources, sameTools) {
		p.scope.Refresh++
	}
	if Running(s) && !slices.ContainsFunc(s.Sources, func(one status.Source) bool { return one.Name == p.scope.Source }) {
		p.scope.Source = "" // it is gone, perhaps since the last panel
	}
	p.snap = s
	return p
}

func sameTools(a, b status.Source) bool {
	return a.Name == b.Name && a.Tools == b.Tools && a.ReadOnly == b.ReadOnly && slices.Equal(a.Effects, b.Effects)
}

// Focus implements [Seeker]: it shows the tools of the source part.
func (p Tools) Focus(part string) Pane {
	p.scope.Source = part
	return p
}

// NextQuery implements [Learner].
func (p Tools) NextQuery() Query {
	if p.loaded == Query(p.scope) || !Running(p.snap) {
		return nil
	}
	return p.scope
}

// TakeResult implements [Learner].
func (p Tools) TakeResult(f Result) Pane {
	switch w := f.Query.(type) {
	case ToolsQuery:
		if w != p.scope {
			return p
		}
		p.loaded, p.tools, p.err = w, f.Tools, f.Err
		if f.Err != nil {
			p.tools = nil
		}
		return p.selectAt(p.position())
	case ToolRunQuery:
		if p.form != nil && p.form.running && w == (ToolRunQuery{p.form.sourceName(), p.form.toolName()}) {
			next := p.form.takeResult(f)
			p.form = &next
		}
	}
	return p
}

// ActionDone implements [Actor].
func (p Tools) ActionDone(a status.Action, err error) Pane {
	if err == nil && (a.Verb == status.SetGrant || a.Verb == status.SetOption || a.Verb == status.Reload) {
		p.scope.Refresh++
	}
	return p
}

// Typing implements [Paster].
func (p Tools) Typing() bool { return p.typing || p.form != nil }

// Paste implements [Paster].
func (p Tools) Paste(text string) Pane {
	switch {
	case p.form != nil:
		next := p.form.paste(text)
		p.form = &next
	case p.typing:
		p.filter = p.filter.Insert(text)
		return p.selectAt(0)
	}
	return p
}

// visible are the tools that pass the filter.
func (p Tools) visible() []status.Tool {
	l := Filter{Text: theme.Sanitize(p.filter.Value())}
	if l.Text == "" {
		return p.tools
	}
	var shown []status.Tool
	for _, t := range p.tools {
		if l.Find([]byte(t.Name+" "+t.Title+" "+t.Effect+" "+t.Description)) >= 0 {
			shown = append(shown, t)
		}
	}
	return shown
}

func (p Tools) position() int {
	return max(0, slices.IndexFunc(p.visible(), func(t status.Tool) bool { return t.Name == p.cursor }))
}

// selectAt selects the i-th tool that is shown.
func (p Tools) selectAt(i int) Tools {
	shown := p.visible()
	if len(shown) == 0 {
		p.cursor, p.page = "", TextView{}
		return p
	}
	tool := shown[Clamp(i, len(shown))]
	if tool.Name != p.cursor {
		p.top = 0
	}
	p.cursor, p.page = tool.Name, toolText(tool)
	return p
}

// Key implements [Pane].
func (p Tools) Key(k Press) (Pane, Intent) {
	switch {
	case p.form != nil && key.Matches(k, p.keys.Back):
		p.form = nil
		return p, nil
	case p.form != nil:
		next, want := p.form.handleKey(k)
		p.form = &next
		return p, want
	case p.typing:
		return p.filterKey(k), nil
	}
	if why := p.DisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	if next, ok := p.move(k); ok {
		return next, nil
	}
	switch {
	case key.Matches(k, p.keys.Filter):
		p.typing = true
	case key.Matches(k, p.keys.Back) && p.filter.Value() != "":
		p.filter = TextInput{}
		return p.selectAt(p.position()), nil
	case key.Matches(k, p.keys.Refresh):
		p.scope.Refresh++
		return p, ShowMessage{"The tools are read again."}
	case key.Matches(k, p.keys.NextPart):
		p.scope.Source = nextAfter(p.scope.Source, p.sources())
	case key.Matches(k, p.keys.Right):
		p.scope.Client = nextAfter(p.scope.Client, p.clients())
	case key.Matches(k, p.keys.Left):
		all := p.clients()
		slices.Reverse(all)
		p.scope.Client = nextAfter(p.scope.Client, all)
	case key.Matches(k, p.keys.Run):
		return p.openForm()
	case key.Matches(k, p.keys.Copy):
		return p, p.copy()
	default:
		return p, Unhandled{}
	}
	return p, nil
}

func (p Tools) filterKey(k Press) Pane {
	p.filter, p.typing = p.keys.editFilter(k, p.filter, "")
	if key.Matches(k, p.keys.Enter) {
		return p
	}
	return p.selectAt(0)
}

func (p Tools) move(k Press) (Tools, bool) {
	i, page := p.position(), max(1, k.H/2)
	switch {
	case key.Matches(k, p.keys.Enter):
		p.open = !p.open
		return p, true
	case key.Matches(k, p.keys.Back) && p.open:
		p.open = false
		return p, true
	case key.Matches(k, p.keys.PageDown):
		return p.scroll(page, k), true
	case key.Matches(k, p.keys.PageUp):
		return p.scroll(-page, k), true
	case p.open && key.Matches(k, p.keys.Down):
		return p.scroll(1, k), true
	case p.open && key.Matches(k, p.keys.Up):
		return p.scroll(-1, k), true
	case key.Matches(k, p.keys.Down):
		return p.selectAt(i + 1), true
	case key.Matches(k, p.keys.Up):
		return p.selectAt(i - 1), true
	case key.Matches(k, p.keys.First):
		return p.selectAt(0), true
	case key.Matches(k, p.keys.Last):
		return p.selectAt(len(p.tools)), true
	}
	return p, false
}

// scroll moves the text of the selected tool by d rows.
func (p Tools) scroll(d int, k Press) Tools {
	w, h := p.detailRoom(k.W, k.H)
	p.top = max(0, min(p.top+d, p.page.Height(w)-h))
	return p
}

// nextAfter is what follows one in all, or the first.
func nextAfter(one string, all []string) string {
	return all[(slices.Index(all, one)+1)%len(all)]
}

func (p Tools) sources() []string {
	all := []string{""}
	for _, s := range p.snap.Sources {
		all = append(all, s.Name)
	}
	return all
}

func (p Tools) clients() []string {
	all := []string{""}
	for _, s := range p.snap.Sessions {
		if s.Client != "" && !slices.Contains(all, s.Client) {
			all = append(all, s.Client)
		}
	}
	return all
}

func (p Tools) selected() (status.Tool, bool) {
	shown := p.visible()
	if len(shown) == 0 {
		return status.Tool{}, false
	}
	return shown[p.position()], true
}

func (p Tools) openForm() (Pane, Intent) {
	tool, _ := p.selected()
	f, err := newToolForm(p.keys, tool)
	if err != nil {
		return p, ShowMessage{"It cannot be run from here: " + err.Error()}
	}
	p.form = &f
	return p, nil
}

func (p Tools) copy() Intent {
	tool, _ := p.selected()
	text, err := json.MarshalIndent(tool, "", "  ")
	if err != nil {
		return ShowMessage{"It cannot be copied: " + err.Error()}
	}
	return Copy{What: "the declaration of " + tool.Name, Text: string(text)}
}

// Keys implements [Pane].
func (p Tools) Keys() []key.Binding {
	switch {
	case p.form != nil:
		return p.form.bindings()
	case p.typing:
		return []key.Binding{WithHelp(p.keys.Enter, "keep the filter"), WithHelp(p.keys.Back, "drop it")}
	case p.open:
		return []key.Binding{p.keys.Run, WithHelp(p.keys.Back, "back to the list"), WithHelp(p.keys.Down, "scroll"), p.keys.Copy}
	}
	return []key.Binding{
		p.keys.Run, WithHelp(p.keys.Enter, "read it"), p.keys.Filter, WithHelp(p.keys.NextPart, "source"), WithHelp(p.keys.Right, "client"), p.keys.Copy, p.keys.Refresh,
	}
}

// toolText is all there is to say of a tool.
func toolText(tool status.Tool) TextView {
	l := NewTextView().
		Add(TitleLine, strings.TrimSpace(tool.Name+"  "+tool.Title)).
		Add(DimLine, fmt.Sprintf("%s · %s · about %s tokens in every request · on %s", OrDash(tool.Effect), OrDash(tool.System),
			Count(uint64(max(0, tool.Bytes/4))), OrDash(strings.Join(tool.Sources, ", ")))).
		Add(TextLine, "").Add(TextLine, tool.Description).Add(TextLine, "")
	fields, err := parseArguments(tool.Schema)
	switch {
	case err != nil:
		l = l.Add(RiskLine, err.Error())
	case len(fields) == 0:
		l = l.Add(DimLine, "It takes no arguments.")
	default:
		l = l.Add(TitleLine, "arguments; * is needed")
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
		l = l.Add(TextLine, "  "+a.name+star+" · "+strings.Join(nonEmpty(a.kindText(), choices, a.rules), " · "))
		if a.description != "" {
			l = l.Add(DimLine, "      "+a.description)
		}
	}
	if len(tool.Examples) > 0 {
		l = l.Add(TextLine, "").Add(TitleLine, "examples")
	}
	for _, ex := range tool.Examples {
		l = l.Add(DimLine, "  "+ex.Why).Add(TextLine, "    "+string(ex.Args))
	}
	return l
}
