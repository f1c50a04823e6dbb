// Package pane draws the panes of the control panel.
//
// A pane is a value: a snapshot goes in, text and [Intent]s come out. It holds
// no client, opens nothing and waits for nothing, so it cannot block the
// screen; the layer test keeps os, net and io/fs out. Package tui shows the
// panes, sends them keys and does what they intend. What panes are made of is
// in tui/widget, the log in tui/logview. Start reading at [All], which lists
// the panes, then [Pane] and overview.go.
package pane

import (
	"encoding/json"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// A Kind declares a pane.
type Kind struct {
	Name  string
	Short string // the name where there is no room for all names
	New   func(k Keys, zone *time.Location) Pane
	// Help lists the pane's keys, and those of its forms. A group without a
	// title is the pane's own.
	Help func(k Keys) []KeyGroup
}

// A KeyGroup is keys that belong together, under one title of the help.
type KeyGroup struct {
	Title string
	Keys  []key.Binding
}

// All returns the panes in the order in which they are shown.
func All() []Kind {
	return []Kind{
		{OverviewPane, "Over", NewOverview, overviewHelp},
		{SourcesPane, "Src", NewSources, sourcesHelp},
		{ActivityPane, "Act", NewActivity, activityHelp},
		{ChangesPane, "Chg", NewChanges, changesHelp},
		{"Clients", "Cli", NewClients, clientsHelp},
		{ToolsPane, "Tool", NewTools, toolsHelp},
		{LogsPane, "Log", NewLogs, logsHelp},
		{"Doctor", "Doc", NewDoctor, doctorHelp},
		{"Settings", "Set", NewSettings, settingsHelp},
	}
}

// The names of the panes that others open.
const (
	OverviewPane = "Overview"
	SourcesPane  = "Sources"
	ActivityPane = "Activity"
	ChangesPane  = "Changes"
	ToolsPane    = "Tools"
	LogsPane     = "Logs"
)

// Pane is one pane of the panel. Its methods return a changed copy; of all
// copies only the newest may be used further.
type Pane interface {
	// SetSnapshot replaces what the pane knows.
	SetSnapshot(s status.Snapshot) Pane
	// HandleKey answers a key. A nil Intent: the pane did what there was to do.
	// [Unhandled]: the key means nothing here, so the panel may use it.
	HandleKey(k Press) (Pane, Intent)
	// KeyDisabledReason says in a sentence why k can do nothing now; empty: it
	// can, or it means nothing here.
	KeyDisabledReason(k tea.KeyPressMsg) string
	// Bindings are the keys that mean something now, the most useful first.
	Bindings() []key.Binding
	// View draws the pane in h lines of w cells each, both at least 1.
	View(t theme.Theme, w, h int) string
}

// Press is a key and the size of the pane when it was pressed.
type Press struct {
	tea.KeyPressMsg
	W, H int
}

// What a Pane may do besides.
type (
	// A Querier shows more than a snapshot.
	Querier interface {
		// WantedQuery is what the pane needs to know most; nil: nothing. It stays
		// the same until its result is there, or is no longer needed.
		WantedQuery() Query
		// TakeResult takes a Result. What it is about, even if it is an error,
		// is not asked again.
		TakeResult(r Result) Pane
	}

	// A LogObserver shows the log.
	LogObserver interface {
		// AppendLines takes lines, oldest first.
		AppendLines(lines []status.Line) Pane
	}

	// A CallObserver follows what agents do.
	CallObserver interface {
		// ObserveCalls takes calls, oldest first.
		ObserveCalls(calls []status.Call) Pane
	}

	// A AutoSelector selects something by itself when what was selected is over.
	AutoSelector interface {
		// AutoSelectCount is how often it has done so.
		AutoSelectCount() int
	}

	// A EditObserver takes what a person has written in their editor.
	EditObserver interface {
		// ObserveEdit takes what has become of the text that a call would write.
		ObserveEdit(a status.Approval, proposed, text string) Pane
	}

	// An ActionObserver shows what becomes of actions.
	ActionObserver interface {
		// ObserveUserActionOutcome says that a was done, or why it failed.
		ObserveUserActionOutcome(a status.Action, err error) Pane
	}

	// A TypingPane has a place for text.
	TypingPane interface {
		// IsTyping reports whether keys are text now.
		IsTyping() bool
		// Paste takes text from the clipboard. Unless IsTyping, nothing happens.
		Paste(text string) Pane
	}

	// A StateSaver has something to restore in the next panel, such as a
	// filter.
	StateSaver interface {
		// StateToSave returns that, as a value with a JSON form.
		StateToSave() any
		// RestoreState takes it over, as far as it makes sense.
		RestoreState(b json.RawMessage) Pane
	}

	// A LastLookObserver tells what is new from what the person has seen.
	LastLookObserver interface {
		// SetLastLook says that the person last looked at this time.
		SetLastLook(at time.Time) Pane
	}

	// A TimeObserver says how much time is left.
	TimeObserver interface {
		// SetTime says that it is now.
		SetTime(now time.Time) Pane
	}

	// An ItemPane can show one source, component or approval.
	ItemPane interface {
		// ShowItem shows what the pane has on the one with this name.
		ShowItem(name string) Pane
	}

	// A SecretPane shows something that must not stay when the pane is out of
	// sight.
	SecretPane interface {
		// HideSecret hides that.
		HideSecret() Pane
	}

	// A Resizer has queries that depend on its size.
	Resizer interface {
		// Resize says that the pane is drawn in h lines of w cells from now on.
		Resize(w, h int) Pane
	}

	// A RowSelector has rows to click on, which it draws with
	// [theme.Theme.MarkRowRegion].
	RowSelector interface {
		// SelectRow selects row i. again: it was selected before.
		SelectRow(i int) (p Pane, again bool)
	}

	// A Scroller has text beside its list, which it draws with
	// [theme.Theme.MarkScrollRegion].
	Scroller interface {
		// Scroll moves the text by n rows in a pane of the size of k.
		Scroll(n int, k Press) Pane
	}
)
