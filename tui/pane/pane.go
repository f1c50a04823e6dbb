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

// A Reader is a Pane that shows the log.
type Reader interface {
	// Read takes lines, oldest first.
	Read(lines []status.Line) Pane
}

// A Paster is a Pane with a place for text.
type Paster interface {
	// Typing reports whether that place has the focus: keys are text then.
	Typing() bool
	// Paste takes text from the clipboard. When nobody types, nothing happens.
	Paste(text string) Pane
}

// A Rememberer is a Pane with something to find again in the next panel, such
// as a filter.
type Rememberer interface {
	// Remember is that, as a value with a JSON form.
	Remember() any
	// Recall takes it over, as far as it makes sense.
	Recall(b json.RawMessage) Pane
}

// A Seeker is a Pane that can turn to one Part.
type Seeker interface {
	// Seek shows what the pane has on the part with this name.
	Seek(part string) Pane
}

// A Leaver is a Pane with something that only who looks at it may see.
type Leaver interface {
	// Leave hides that: the pane is out of sight.
	Leave() Pane
}

// A Sizer is a Pane that wants to know other things when it is drawn in another
// size.
type Sizer interface {
	// Size says that the pane is drawn in h lines of w cells from now on.
	Size(w, h int) Pane
}
