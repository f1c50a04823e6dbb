package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// KeyMap is every key of the panel. The help, and the keys at the foot of the
// screen, are made from it.
type KeyMap struct {
	Next, Previous, Tab  key.Binding
	Help, Dismiss        key.Binding
	Palette              key.Binding
	Mouse, Colours       key.Binding
	SetUp, Access        key.Binding
	Start, Restart, Stop key.Binding
	Waiting, Pause       key.Binding
	Redraw, Suspend      key.Binding
	Quit                 key.Binding
	Yes, No              key.Binding
	Pane                 pane.Keys
}

// DefaultKeyMap returns the usual keys.
func DefaultKeyMap() KeyMap {
	return KeyMap{
		Next:     widget.Bind("tab", "next pane", "tab"),
		Previous: widget.Bind("shift+tab", "previous pane", "shift+tab"),
		Tab:      widget.Bind("1-9", "go to one of the first nine panes", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		Help:     widget.Bind("?", "help", "?"),
		SetUp:    widget.Bind("ctrl+s", "set up: find notes, choose clients", "ctrl+s"),
		Access:   widget.Bind("e", "permissions", "e"),
		Mouse:    widget.Bind("M", "mouse on or off", "M"),
		Colours:  widget.Bind("C", "next colours: dark, light, high contrast", "C"),
		Palette:  widget.Bind(":/ctrl+p", "find a command", ":", "ctrl+p"),
		Dismiss:  widget.Bind("esc", "clear the message", "esc"),
		Start:    widget.Bind("s", "start the hub", "s"),
		Restart:  widget.Bind("r", "restart the hub", "r"),
		Stop:     widget.Bind("Q", "stop the hub", "Q"),
		Waiting:  widget.Bind("!", "pending approvals", "!"),
		Pause:    widget.Bind("H", "pause the writes of all agents, or end that", "H"),
		Redraw:   widget.Bind("ctrl+l", "redraw the screen", "ctrl+l"),
		Suspend:  widget.Bind("ctrl+z", "suspend; fg resumes", "ctrl+z"),
		Quit:     widget.Bind("q", "quit", "q"),
		Yes:      widget.Bind("y", "yes", "y"),
		No:       widget.Bind("n/esc", "no", "n", "esc", "q"),
		Pane:     pane.DefaultKeys(),
	}
}

// globalKeysTitle is the title of the keys that mean the same in every pane.
const globalKeysTitle = "Everywhere"

// groups sorts every key by where it means something.
func (k KeyMap) groups() []pane.KeyGroup {
	groups := []pane.KeyGroup{
		{Title: globalKeysTitle, Keys: []key.Binding{
			k.Next, k.Previous, k.Tab, k.Waiting, k.Pause, k.Help, k.Palette, k.SetUp, k.Mouse, k.Colours, k.Dismiss,
			widget.WithHelp(k.Start, "start the hub, if none is running"), k.Restart, widget.WithHelp(k.Stop,
				"stop the hub for all agents"),
			k.Redraw, k.Suspend, widget.WithHelp(k.Quit, "quit; the hub keeps running"),
		}},
		{Title: "Lists", Keys: []key.Binding{k.Pane.Up, k.Pane.Down, k.Pane.PageUp, k.Pane.PageDown, k.Pane.First, k.Pane.Last}},
	}
	for _, kind := range pane.All() {
		help := kind.Help(k.Pane)
		help[0].Title = kind.Name
		groups = append(groups, help...)
	}
	return append(groups, pane.KeyGroup{Title: "Confirmation", Keys: []key.Binding{k.Yes, k.No}})
}

// keyCodes are the codes of the keys that are not named for their letter.
var keyCodes = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd,
}

// parseKey is the press of a key by its name in a binding.
func parseKey(name string) tea.KeyPressMsg {
	k := tea.KeyPressMsg{}
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "shift+": tea.ModShift, "alt+": tea.ModAlt} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			name, k.Mod = rest, mod
			break
		}
	}
	switch code, named := keyCodes[name]; {
	case named:
		k.Code = code
	case name == "space":
		k.Code, k.Text = tea.KeySpace, " "
	default:
		k.Code = []rune(name)[0]
		if k.Mod == 0 {
			k.Text = name
		}
	}
	return k
}
