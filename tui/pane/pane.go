// Package pane draws the panes of the control panel: Overview, Sources, Logs
// and Clients, one file or two each.
//
// A pane is a value: a snapshot goes in, text and [Intent]s come out. It holds
// no client, opens nothing and waits for nothing, so it cannot block the
// screen; the layer test keeps os, net and io/fs out. Package tui holds the
// panes, sends them keys and carries out what they intend. Start reading at
// [Pane], then overview.go.
package pane

import (
	"encoding/json"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// Pane is one tab of the panel. Its methods return a changed copy; of all
// copies only the newest may be used further.
type Pane interface {
	// Show replaces what the pane knows.
	Show(s status.Snapshot) Pane
	// Key answers a key. A nil Intent: the pane did what there was to do.
	// [Pass]: the key means nothing here, so the panel may use it.
	Key(k Press) (Pane, Intent)
	// View draws the pane in h lines of w cells each, both at least 1.
	View(t theme.Theme, w, h int) string
	// Keys are the keys that mean something now, the most useful first.
	Keys() []key.Binding
}

// Press is a key and the size at which the pane was drawn when it came: a page
// is as high as the pane.
type Press struct {
	tea.KeyPressMsg
	W, H int
}

// A LogObserver is a Pane that shows the log.
type LogObserver interface {
	// AppendLines takes lines, oldest first.
	AppendLines(lines []status.Line) Pane
}

// A TextEditor is a Pane with a place for text.
type TextEditor interface {
	// Typing reports whether that place has the focus: keys are text then.
	Typing() bool
	// Paste takes text from the clipboard. When nobody types, nothing happens.
	Paste(text string) Pane
}

// A StateSaver is a Pane with something to find again in the next panel, such
// as a filter.
type StateSaver interface {
	// SaveState is that, as a value with a JSON form.
	SaveState() any
	// RestoreState takes it over, as far as it makes sense.
	RestoreState(b json.RawMessage) Pane
}

// A Focuser is a Pane that can turn to one Part.
type Focuser interface {
	// Focus shows what the pane has on the part with this name.
	Focus(part string) Pane
}

// A Blurrer is a Pane with something that only who looks at it may see.
type Blurrer interface {
	// Blur hides that: the pane is out of sight.
	Blur() Pane
}

// A Resizer is a Pane that wants to know other things when it is drawn in another
// size.
type Resizer interface {
	// Resize says that the pane is drawn in h lines of w cells from now on.
	Resize(w, h int) Pane
}
