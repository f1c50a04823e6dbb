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

// Doctor looks at everything that can be wrong, one row each, and offers what
// fixes it. It looks when it is first seen, and then when it is asked to.
type Doctor struct {
	keys Keys
	zone *time.Location
	snap status.Snapshot

	query    ChecksQuery // what is being looked at, or was last
	finished int         // the turn of the last that is finished
	checks   []status.Check
	err      error
	list     widget.List
}

// NewDoctor returns a Doctor that shows times of zone.
func NewDoctor(k Keys, zone *time.Location) Pane {
	return Doctor{keys: k, zone: zone, query: ChecksQuery{Refresh: 1}}
}

// doctorHelp lists the keys of [Doctor].
func doctorHelp(k Keys) []KeyGroup {
	help := widget.WithHelp
	return []KeyGroup{{Keys: []key.Binding{
		help(k.Refresh, "run all checks again"), help(k.Run, "run this check again"), help(k.Enter, "apply the fix"),
		help(k.Filter, "filter the checks"),
		help(k.Copy, "copy the report"),
	}}}
}

// SetSnapshot implements [Pane].
func (p Doctor) SetSnapshot(s status.Snapshot) Pane {
	p.snap = s
	return p
}

// WantedQuery implements [Querier].
func (p Doctor) WantedQuery() Query {
	if p.finished == p.query.Refresh {
		return nil
	}
	return p.query
}

// TakeResult implements [Querier].
func (p Doctor) TakeResult(f Result) Pane {
	w, ok := f.Query.(ChecksQuery) // one of before too: what it found is as good
	if !ok {
		return p
	}
	if !f.More {
		if w == p.query {
			p.finished, p.err = w.Refresh, f.Err
		}
		// What was not looked at again is not there any more.
		p.checks = slices.DeleteFunc(slices.Clone(p.checks), func(c status.Check) bool {
			return c.Result == status.CheckRunning && strings.HasPrefix(c.Name, w.Prefix)
		})
		return p.refreshList()
	}
	p.checks = slices.Clone(p.checks)
	if i := p.checkIndex(f.Check.Name); i >= 0 {
		p.checks[i] = f.Check
	} else {
		p.checks = append(p.checks, f.Check)
	}
	return p.refreshList()
}

// refreshList is p with its list as the checks are: the gravest first.
func (p Doctor) refreshList() Doctor {
	rows := make([]widget.ListRow, len(p.checks))
	for i, c := range p.checks {
		rows[i] = widget.ListRow{ID: c.Name, Text: string(c.Result) + " " + c.Title + " " + c.Name + " " + c.Detail, Rank: checkRank(c.Result)}
	}
	p.list = p.list.SetRows(rows)
	return p
}

func checkRank(r status.CheckResult) int {
	switch r {
	case status.CheckFail:
		return 0
	case status.CheckWarn:
		return 1
	default:
		return 2
	}
}

// ObserveUserActionOutcome implements [ActionObserver]: what fixes something is looked at
// again.
func (p Doctor) ObserveUserActionOutcome(a status.Action, err error) Pane {
	c, ok := p.selected()
	if err != nil || !ok || c.Action == nil || c.Action.Verb != a.Verb || c.Action.Target != a.Target {
		return p
	}
	return p.recheck(c.Name)
}

func (p Doctor) checkIndex(name string) int {
	return slices.IndexFunc(p.checks, func(c status.Check) bool { return c.Name == name })
}

func (p Doctor) selected() (status.Check, bool) {
	if i := p.list.SelectedIndex(); i >= 0 {
		return p.checks[i], true
	}
	return status.Check{}, false
}

// recheck looks again at all whose names begin with prefix.
func (p Doctor) recheck(prefix string) Doctor {
	p.query = ChecksQuery{prefix, p.query.Refresh + 1}
	p.checks = slices.Clone(p.checks)
	for i, c := range p.checks {
		if strings.HasPrefix(c.Name, prefix) {
			p.checks[i].Result = status.CheckRunning
		}
	}
	return p.refreshList()
}

// HandleKey implements [Pane].
func (p Doctor) HandleKey(k Press) (Pane, Intent) {
	if why := p.KeyDisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	if next, ok := p.list.HandleKey(k.KeyPressMsg, p.keys.NavKeys, k.H/2); ok {
		p.list = next
		return p, nil
	}
	switch {
	case key.Matches(k, p.keys.Refresh):
		return p.recheck(""), nil
	case key.Matches(k, p.keys.Run):
		c, _ := p.selected()
		return p.recheck(c.Name), nil
	case key.Matches(k, p.keys.Enter):
		c, _ := p.selected()
		return p, IntentFor(*c.Action)
	case key.Matches(k, p.keys.Copy):
		return p, CopyText{What: "the report", Text: p.report()}
	}
	return p, Unhandled{}
}

// report is all checks as text.
func (p Doctor) report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Lectern %s, %s\n\n", widget.OrDash(p.snap.Hub.Version), p.snap.Time.In(p.zone).Format(time.RFC3339))
	for _, c := range p.checks {
		fmt.Fprintf(&b, "%-8s %s (%s)\n", c.Result, theme.Sanitize(c.Title), theme.Sanitize(c.Name))
		for _, text := range nonEmpty(c.Detail, c.Fix) {
			fmt.Fprintf(&b, "         %s\n", theme.Sanitize(text))
		}
	}
	return b.String()
}

// Bindings implements [Pane].
func (p Doctor) Bindings() []key.Binding {
	if p.list.IsTyping() {
		return p.list.Bindings(p.keys.NavKeys)
	}
	keys := []key.Binding{
		widget.WithHelp(p.keys.Refresh, "check all"), widget.WithHelp(p.keys.Run, "check this"),
		widget.WithHelp(p.keys.Copy, "copy the report"), p.keys.Filter,
	}
	if c, ok := p.selected(); ok && c.Action != nil && c.Result != status.CheckOK {
		keys = append([]key.Binding{widget.WithHelp(p.keys.Enter, DescribeAction(*c.Action, p.snap))}, keys...)
	}
	return keys
}

// View implements [Pane].
func (p Doctor) View(t theme.Theme, w, h int) string {
	return p.list.DrawFilterBelowRows(t, w, h, func(h int) []string {
		if len(p.checks) == 0 {
			return widget.Stack(t, w, h, widget.IsFramed(w, h), p.listSection(t))
		}
		return widget.ListWithDetail(t, w, h, h-10, p.listSection(t), p.detailSection(t))
	})
}

// IsTyping implements [TypingPane].
func (p Doctor) IsTyping() bool { return p.list.IsTyping() }

// Paste implements [TypingPane].
func (p Doctor) Paste(text string) Pane {
	p.list = p.list.Paste(text)
	return p
}

// summary is how many checks came to what, the gravest first.
func (p Doctor) summary() string {
	var words []string
	for _, r := range []status.CheckResult{status.CheckFail, status.CheckWarn, status.CheckRunning, status.CheckSkipped, status.CheckOK} {
		n := 0
		for _, c := range p.checks {
			if c.Result == r {
				n++
			}
		}
		if n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, r))
		}
	}
	if p.finished != p.query.Refresh {
		words = append(words, "running …")
	}
	return strings.Join(words, " · ")
}

func (p Doctor) listSection(t theme.Theme) widget.Section {
	n := len(p.checks)
	note := p.summary()
	if p.list.FilterText() != "" {
		note = p.list.StatusNote()
	}
	return widget.Section{Title: "Doctor", Note: note, Min: min(3, max(1, n)), Preferred: max(1, n), Rows: func(w, h int) []string {
		switch {
		case n > 0:
		case p.err != nil:
			return t.Bad.Wrap("✗ Cannot run the checks: "+p.err.Error(), w)
		case p.finished == p.query.Refresh:
			return []string{t.Dim.Text("There are no checks.")}
		default:
			return []string{t.Busy.Text("◐ running …")}
		}
		return p.list.Draw(t, w, h, func(t theme.Theme, i, w int) string { return p.row(t, p.checks[i], w) })
	}}
}

func (p Doctor) row(t theme.Theme, c status.Check, w int) string {
	glyph, style := t.CheckResultStyle(c.Result)
	line := style.Fit(glyph+" "+string(c.Result), 10)
	if w < widget.MinFramedWidth {
		return widget.FillRow(t, line+t.Strong.Text(c.Title), w)
	}
	longest := 0
	for _, one := range p.checks {
		longest = max(longest, theme.Width(one.Title))
	}
	return widget.FillRow(t, line+t.Strong.Fit(c.Title, min(longest, w-10))+t.Dim.Text("  "+c.Detail), w)
}

func (p Doctor) detailSection(t theme.Theme) widget.Section {
	c, ok := p.selected()
	if !ok {
		return widget.MessageSection("Check")
	}
	return widget.Section{Title: c.Title, Note: c.Name, Min: 3, Preferred: 6, Rows: func(w, h int) []string {
		glyph, style := t.CheckResultStyle(c.Result)
		rows := []string{style.Text(glyph + " " + string(c.Result))}
		if c.Detail != "" {
			rows = append(rows, t.Text.Wrap(c.Detail, w)...)
		}
		if c.Fix != "" && c.Result != status.CheckOK {
			rows = append(rows, t.Dim.Wrap(c.Fix, w)...)
		}
		if c.Action != nil && c.Result != status.CheckOK {
			rows = append(rows, t.Key.Text("enter")+t.Dim.Text(" "+DescribeAction(*c.Action, p.snap)))
		}
		return widget.TruncateRows(t, rows, h)
	}}
}

// KeyDisabledReason implements [Pane].
func (p Doctor) KeyDisabledReason(k tea.KeyPressMsg) string {
	c, any := p.selected()
	switch {
	case p.list.IsTyping():
		return ""
	case key.Matches(k, p.keys.Enter, p.keys.Run) && !any:
		return "Select a check first."
	case key.Matches(k, p.keys.Enter) && c.Result == status.CheckOK:
		return "This check passed; there is nothing to fix."
	case key.Matches(k, p.keys.Enter):
		return fixDisabledReason(p.snap, c.Action, c.Fix)
	case key.Matches(k, p.keys.Copy):
		return reasonUnless(len(p.checks) > 0, "No checks have run yet.")
	default:
		return ""
	}
}

// SelectRow implements [RowSelector].
func (p Doctor) SelectRow(i int) (Pane, bool) {
	next, again := p.list.SelectRow(i)
	p.list = next
	return p, again
}
