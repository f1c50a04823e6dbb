package pane

import (
	"encoding/json"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/logview"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Logs shows the log as it grows. How it is filtered, searched and drawn is in
// tui/logview; here is what is done with its lines.
type Logs struct {
	keys   Keys
	snap   status.Snapshot
	log    logview.View
	h      int   // of the pane
	failed error // why older lines cannot be read
}

// NewLogs returns a Logs that shows times of zone and hides debug lines.
func NewLogs(k Keys, zone *time.Location) Pane {
	return Logs{keys: k, log: logview.New(k.NavKeys, k.LogKeys, zone)}
}

// logsHelp lists the keys of [Logs].
func logsHelp(k Keys) []KeyGroup {
	help := widget.WithHelp
	return []KeyGroup{{Keys: []key.Binding{
		help(k.Filter, "filter by text"), help(k.Back, "clear the filter; the position stays"), help(k.Follow, "follow or pause"),
		help(k.Level, "next level"),
		help(k.NextComponent, "next component, then next client"), help(k.Wrap, "wrap long lines"),
		help(k.ScrollLeft, "scroll left"), help(k.ScrollRight, "scroll right"), help(k.ScrollStart, "back to the start of the line"),
		help(k.Copy, "copy the visible lines"), help(k.Export, "export the filtered lines, or the whole log, to a file"),
	}}}
}

// SetSnapshot implements [Pane].
func (p Logs) SetSnapshot(s status.Snapshot) Pane {
	p.snap = s
	return p
}

// Resize implements [Resizer].
func (p Logs) Resize(_, h int) Pane {
	p.h = h
	return p
}

// WantedQuery implements [Querier]: when the beginning of what is here is looked at,
// lines from before are read from disk.
func (p Logs) WantedQuery() Query {
	before, until, wanted := p.log.OlderReadPosition(min(p.h, 200))
	if !wanted || before == "" && until.IsZero() && IsHubRunning(p.snap) { // the lines of the hub are still to come
		return nil
	}
	return OlderLinesQuery{Before: before, Until: until}
}

// TakeResult implements [Querier].
func (p Logs) TakeResult(r Result) Pane {
	q, ok := r.Query.(OlderLinesQuery)
	if before, until, _ := p.log.OlderReadPosition(0); !ok || q.Before != before || !q.Until.Equal(until) {
		return p
	}
	if p.failed = r.Err; r.Err != nil {
		p.log = p.log.MarkOlderFailed()
		return p
	}
	p.log = p.log.Prepend(r.OlderLines.Lines, r.OlderLines.Next)
	return p
}

// AppendLines implements [LogObserver].
func (p Logs) AppendLines(lines []status.Line) Pane {
	p.log = p.log.Append(lines)
	return p
}

// ShowItem implements [ItemPane]: it shows only the lines of a component.
func (p Logs) ShowItem(component string) Pane {
	p.log = p.log.FilterByComponent(component)
	return p
}

// IsTyping implements [TypingPane].
func (p Logs) IsTyping() bool { return p.log.FilterInput().Typing }

// Paste implements [TypingPane].
func (p Logs) Paste(text string) Pane {
	p.log = p.log.Paste(text)
	return p
}

// StateToSave implements [StateSaver].
func (p Logs) StateToSave() any { return p.log.StateToSave() }

// RestoreState implements [StateSaver].
func (p Logs) RestoreState(b json.RawMessage) Pane {
	p.log = p.log.RestoreState(b)
	return p
}

// KeyDisabledReason implements [Pane].
func (p Logs) KeyDisabledReason(k tea.KeyPressMsg) string {
	switch {
	case p.IsTyping():
		return ""
	case key.Matches(k, p.keys.Copy):
		return reasonUnless(p.log.FilteredLineCount() > 0, "There is no line to copy.")
	case key.Matches(k, p.keys.Export) && p.log.HasFilter():
		return reasonUnless(p.log.FilteredLineCount() > 0, "There is no line to export.")
	default:
		return p.log.KeyDisabledReason(k)
	}
}

// HandleKey implements [Pane].
func (p Logs) HandleKey(k Press) (Pane, Intent) {
	if why := p.KeyDisabledReason(k.KeyPressMsg); why != "" {
		return p, ShowMessage{why}
	}
	w, h := logSize(k.W, k.H)
	if next, ok := p.log.HandleKey(k.KeyPressMsg, w, h); ok {
		p.log = next
		return p, nil
	}
	switch {
	case key.Matches(k, p.keys.Copy):
		text, lines := p.log.VisibleText(w, h)
		return p, CopyText{What: widget.CountWithNoun(lines, "line"), Text: text}
	case key.Matches(k, p.keys.Export) && p.log.HasFilter():
		return p, SaveFile{What: widget.CountWithNoun(p.log.FilteredLineCount(), "line"), Name: "lectern.log", Text: p.log.FilteredText()}
	case key.Matches(k, p.keys.Export):
		return p, ExportLog{}
	default:
		return p, Unhandled{}
	}
}

// Bindings implements [Pane].
func (p Logs) Bindings() []key.Binding {
	keys := p.log.FilterBindings()
	if p.IsTyping() {
		return keys
	}
	follow := widget.WithHelp(p.keys.Follow, "follow")
	if p.log.Following() {
		follow = widget.WithHelp(p.keys.Follow, "pause")
	}
	return append(keys, p.keys.Filter, follow, p.keys.Level, p.keys.NextComponent, p.keys.Wrap, p.keys.Copy, p.keys.Export)
}

// logSize is the room for lines in a pane of w by h cells: the last column has the scroll bar.
func logSize(w, h int) (int, int) {
	w, h = widget.InsideSize(w, h)
	return w - 1, h
}

// View implements [Pane].
func (p Logs) View(t theme.Theme, w, h int) string {
	first := p.log.FirstVisibleLine(logSize(w, h))
	note := p.listStatusText()
	if !p.log.Following() {
		note += ", from " + widget.FormatCount(first+1)
	}
	s := widget.Section{Title: "Logs", Note: note, Rows: func(w, h int) []string {
		return widget.AddScrollBar(t, p.log.Draw(t, w-1, h), w-1, first, p.log.FilteredLineCount())
	}}
	return p.log.FilterInput().DrawBelowRows(t, w, h, "text to filter by; lower case matches any case", func(h int) []string {
		return widget.Stack(t, w, h, widget.IsFramed(w, h), s)
	})
}

func (p Logs) listStatusText() string {
	if p.failed != nil {
		return "older ones cannot be read: " + p.failed.Error() + " · " + p.log.Summary()
	}
	return p.log.Summary()
}
