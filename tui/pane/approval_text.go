package pane

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// ApprovalContent is what a waiting call would do, as far as it was asked for.
type ApprovalContent struct {
	Targets        []status.ApprovalTarget // the first of them
	Total          int                     // targets
	Added, Removed int                     // lines
	Head, Tail     string                  // of the text; all of it is in Head if nothing is hidden
	Hidden         int                     // bytes of the text between Head and Tail
}

// isComplete reports whether nothing is left out.
func (c ApprovalContent) isComplete() bool { return c.Hidden == 0 && len(c.Targets) == c.Total }

// An approvalText is what one waiting call would do, to scroll through.
type approvalText struct {
	view   widget.TextView
	first  int    // the line that changes something first
	hidden string // what is left out, in words; empty: nothing
	all    bool   // everything was asked for
	failed bool   // it could not be loaded
	result Result // that it was made of

	hunkLines []lineCount // of the hunks that a person may leave out
}

// newApprovalText lays out r, which answers q about a, with the hunks that are chosen.
func newApprovalText(a status.Approval, q ApprovalQuery, r Result, chosen hunkChoice) approvalText {
	if r.Err != nil {
		why := widget.NewTextView().AppendText(widget.RiskLine, "Cannot show the change: "+r.Err.Error())
		return approvalText{failed: true, all: q.All, view: why}
	}
	c := r.Approval
	var parts []widget.TextBlock
	add := func(kind widget.LineKind, text string) {
		parts = append(parts, widget.TextBlock{Kind: kind, Text: text})
	}
	if c.Total == 0 && a.Effect != "read" {
		add(widget.RiskLine, "What it would change is not known in advance. You see only its arguments.")
	}
	groups := groupTargetsByChange(c)
	c.Targets = slices.Clone(c.Targets)
	sort.SliceStable(c.Targets, func(i, j int) bool {
		return groups[c.Targets[i].Offset].rank(c.Targets[i]) < groups[c.Targets[j].Offset].rank(c.Targets[j])
	})
	if c.Total > 1 {
		add(widget.TitleLine, widget.CountWithNoun(c.Total, "target")+", "+formatLineChanges(c.Added, c.Removed))
		for _, t := range c.Targets {
			switch group := groups[t.Offset]; {
			case group == nil:
				add(widget.TextLine, fmt.Sprintf("%-7s%s  %s", t.Action, t.FullName(), formatLineChanges(t.Added, t.Removed)))
			case group.targets[0].Offset == t.Offset:
				add(widget.TextLine, group.headline())
			}
		}
		if more := c.Total - len(c.Targets); more > 0 {
			add(widget.RiskLine, widget.CountWithNoun(more, "more target")+" are not listed; `lectern approve show "+a.ID+"` lists all")
		}
	}
	before, hunkLines := len(parts), []lineCount(nil)
	parts = append(parts, approvalTextBlocks(c, groups, 0, c.Head)...)
	if c.isComplete() && a.Hunks > 1 {
		parts[len(parts)-1].Hunks = chosen.labels(a.Hunks)
		hunkLines = countHunkLines(parts[len(parts)-1].Text)
	}
	if c.Hidden > 0 {
		more := "z shows it"
		if q.All {
			more = "`lectern approve show " + a.ID + " --all` shows it"
		}
		add(widget.RiskLine, "… "+widget.FormatBytes(c.Hidden)+" in between are not shown here; "+more)
		parts = append(parts, approvalTextBlocks(c, groups, len(c.Head)+c.Hidden, c.Tail)...)
	}
	out := approvalText{all: q.All, result: r, hunkLines: hunkLines, view: widget.NewTextView().AppendBlocks(parts...)}
	out.first = firstChangedLine(out.view, parts[:before])
	if !c.isComplete() {
		out.hidden = widget.FormatBytes(c.Hidden)
		if len(c.Targets) < c.Total {
			out.hidden = widget.CountWithNoun(c.Total-len(c.Targets), "target")
		}
	}
	return out
}

// approvalTextBlocks are the parts of text, which begins at a byte of the whole: for each
// target its headline, unless there is only one, and its diff. Targets that change
// alike have one diff.
func approvalTextBlocks(c ApprovalContent, groups map[int]*targetGroup, at int, text string) (parts []widget.TextBlock) {
	if c.Total == 0 {
		return []widget.TextBlock{{Kind: widget.TextLine, Text: text}}
	}
	for _, t := range c.Targets {
		from, to := max(t.Offset, at), min(t.Offset+t.Bytes, at+len(text))
		if from >= to {
			continue
		}
		group := groups[t.Offset]
		if group != nil && group.targets[0].Offset != t.Offset {
			continue
		}
		body := text[from-at : to-at]
		if from == t.Offset {
			headline, rest, _ := strings.Cut(body, "\n")
			parts = append(parts, diffHeadingBlocks(headline, group, c.Total > 1)...)
			body = trimDiffFileNames(rest)
		}
		if body != "" {
			parts = append(parts, widget.TextBlock{Kind: widget.DiffLine, Text: body})
		}
	}
	return parts
}

// diffHeadingBlocks are what stands above a diff: the headline, where there are several, and
// the targets that share it; a nil group: there is one.
func diffHeadingBlocks(headline string, group *targetGroup, several bool) (parts []widget.TextBlock) {
	if several {
		if group != nil {
			headline = group.headline()
		}
		parts = append(parts, widget.TextBlock{Kind: widget.TitleLine, Text: headline})
	}
	if group != nil {
		parts = append(parts, widget.TextBlock{Kind: widget.DimLine, Text: group.names()})
	}
	return parts
}

// trimDiffFileNames is a diff without its first two lines, which only say which
// side is which.
func trimDiffFileNames(diff string) string {
	if !strings.HasPrefix(diff, "--- ") {
		return diff
	}
	_, rest, _ := strings.Cut(diff, "\n")
	if strings.HasPrefix(rest, "+++ ") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return rest
}

// firstChangedLine is the first line of view behind the parts before that adds or
// removes something; 0: none does.
func firstChangedLine(view widget.TextView, before []widget.TextBlock) int {
	return view.FindLine(widget.NewTextView().AppendBlocks(before...).Len(), func(kind widget.LineKind, text string) bool {
		return kind == widget.DiffLine && isChangedLine(kind, text)
	})
}

// isChangedLine reports whether a line is more than the context of a change.
func isChangedLine(kind widget.LineKind, text string) bool {
	return kind != widget.DiffLine && kind != widget.DimLine || kind == widget.DiffLine && (strings.HasPrefix(text, "+") ||
		strings.HasPrefix(text, "-"))
}

func formatLineChanges(added, removed int) string {
	if added+removed == 0 {
		return "no lines"
	}
	return "+" + widget.FormatCount(added) + " −" + widget.FormatCount(removed)
}

// contextRows is how many rows of context stand above the first change when an
// approval opens.
const contextRows = 3

// initialTopRow is the row of a text of w by h cells that is on top at first: near the
// first change, if not everything fits. What stands above it, such as the list of the
// targets, is not scrolled away where the change is in the upper third without that.
func (x approvalText) initialTopRow(w, h int) int {
	first := x.view.FirstRowOfLine(x.first, w)
	if first <= h/3 {
		return 0
	}
	return max(0, min(first-contextRows, x.view.Height(w)-h))
}

// A seenRows is which rows of a text were on the screen, at one width.
type seenRows struct {
	w    int
	rows map[int]bool
}

// withRows adds the rows from top on that h rows show, of n; at another width the
// rows are others.
func (s seenRows) withRows(w, top, h, n int) seenRows {
	next := seenRows{w, make(map[int]bool, len(s.rows)+h)}
	if s.w == w {
		for row := range s.rows {
			next.rows[row] = true
		}
	}
	for row := top; row < min(top+h, n); row++ {
		next.rows[row] = true
	}
	return next
}

// drawClientWithProof names the client of a as people tell a claim from a proof.
func drawClientWithProof(t theme.Theme, a status.Approval) string {
	name := status.ClientLabel(a.Client, a.Proven)
	if a.Proven {
		return t.Strong.Text(name) + t.Good.Text(" (proven)")
	}
	return t.Warn.Text(name)
}

// clientName is who in plain text, for a row with little room: a name that is
// only claimed stands in quotes.
func clientName(a status.Approval) string {
	return strings.TrimSuffix(status.ClientLabel(a.Client, a.Proven), " (claimed)")
}

// A targetGroup is targets that change alike, byte for byte: a person looks at
// one of them.
type targetGroup struct{ targets []status.ApprovalTarget }

// minTargetsPerGroup is from how many targets on a group is made.
const minTargetsPerGroup = 3

// groupTargetsByChange are the groups of c, by the offsets of their targets; none if not all
// of c is known.
func groupTargetsByChange(c ApprovalContent) map[int]*targetGroup {
	if !c.isComplete() {
		return nil
	}
	alike := map[string]*targetGroup{}
	for _, t := range c.Targets {
		_, body, _ := strings.Cut(c.Head[t.Offset:min(t.Offset+t.Bytes, len(c.Head))], "\n")
		if t.Added+t.Removed == 0 || body == "" {
			continue
		}
		id := t.Action + "\n" + body
		if alike[id] == nil {
			alike[id] = &targetGroup{}
		}
		alike[id].targets = append(alike[id].targets, t)
	}
	groups := map[int]*targetGroup{}
	for _, g := range alike {
		if len(g.targets) < minTargetsPerGroup {
			continue
		}
		for _, t := range g.targets {
			groups[t.Offset] = g
		}
	}
	return groups
}

func (g *targetGroup) all() []status.ApprovalTarget {
	if g == nil {
		return nil
	}
	return g.targets
}

// rank puts what moves first, and what is alike last.
func (g *targetGroup) rank(t status.ApprovalTarget) int {
	switch {
	case len(g.all()) > 0:
		return 2
	case t.From != "":
		return 0
	default:
		return 1
	}
}

func (g *targetGroup) headline() string {
	n, t := len(g.targets), g.targets[0]
	return fmt.Sprintf("%s %s, all alike (%s in each)", t.Action, widget.CountWithNoun(n, "target"), formatLineChanges(t.Added, t.Removed))
}

func (g *targetGroup) names() string {
	names := make([]string, len(g.targets))
	for i, t := range g.targets {
		names[i] = t.FullName()
	}
	return strings.Join(names, ", ")
}
