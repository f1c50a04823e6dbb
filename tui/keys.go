package tui

import (
	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/tui/pane"
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
	Waiting              key.Binding
	Redraw, Suspend      key.Binding
	Quit                 key.Binding
	Yes, No              key.Binding
	Pane                 pane.Keys
}

// DefaultKeyMap returns the usual keys.
func DefaultKeyMap() KeyMap {
	return KeyMap{
		Next:     bind("tab", "next pane", "tab"),
		Previous: bind("shift+tab", "previous pane", "shift+tab"),
		Tab:      bind("1-9", "go to a pane", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		Help:     bind("?", "help", "?"),
		SetUp:    bind("ctrl+s", "set up: find notes, choose clients", "ctrl+s"),
		Access:   bind("e", "what agents may do", "e"),
		Mouse:    bind("M", "mouse for the panel, or for the terminal", "M"),
		Colours:  bind("C", "other colours: dark, light, high contrast", "C"),
		Palette:  bind("ctrl+p", "find what to do", "ctrl+p"),
		Dismiss:  bind("esc", "clear the message", "esc"),
		Start:    bind("s", "start the hub", "s"),
		Restart:  bind("r", "restart the hub", "r"),
		Stop:     bind("Q", "stop the hub", "Q"),
		Waiting:  bind("!", "what waits for you", "!"),
		Redraw:   bind("ctrl+l", "draw the screen again", "ctrl+l"),
		Suspend:  bind("ctrl+z", "to the background; fg brings it back", "ctrl+z"),
		Quit:     bind("q", "quit", "q"),
		Yes:      bind("y", "yes, do it", "y"),
		No:       bind("n/esc", "no", "n", "esc", "q"),
		Pane:     pane.DefaultKeys(),
	}
}

func bind(keys, does string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(keys, does))
}

// named returns b with other words for what it does here.
func named(b key.Binding, does string) key.Binding {
	b.SetHelp(b.Help().Key, does)
	return b
}

// everywhere is the title of the keys that mean the same in every pane.
const everywhere = "Everywhere"

// group is keys that belong together, under one title of the help.
type group struct {
	title string
	keys  []key.Binding
}

// disabledReasons says why a key can do nothing now, by the title of its group and its
// name. What is not in it can be done.
type disabledReasons map[[2]string]string

func (r disabledReasons) of(title string, b key.Binding) string {
	if len(b.Keys()) == 0 {
		return ""
	}
	return r[[2]string{title, b.Keys()[0]}]
}

// groups sorts every key by where it means something.
func (k KeyMap) groups() []group {
	p := k.Pane
	return []group{
		{everywhere, []key.Binding{
			k.Next, k.Previous, k.Tab, k.Waiting, k.Help, k.Palette, k.SetUp, k.Mouse, k.Colours, k.Dismiss,
			named(k.Start, "start the hub, when none runs"), k.Restart, named(k.Stop, "stop the hub, for all agents"),
			k.Redraw, k.Suspend, named(k.Quit, "quit; the hub keeps running"),
		}},
		{"Lists", []key.Binding{p.Up, p.Down, p.PageUp, p.PageDown, p.First, p.Last}},
		{pane.OverviewTab, []key.Binding{
			named(p.Enter, "do what mends the selected problem"), named(p.Copy, "copy the snippet"),
			named(p.Left, "the client before"), named(p.Right, "the next client"),
			named(p.Install, "update Lectern"),
		}},
		{pane.SourcesTab, []key.Binding{
			named(p.Add, "add a source"), named(p.Grant, "what agents may do: read only, ask first"), named(p.Remove, "remove it; its files stay"), named(p.Reopen, "close and open it again"),
			named(p.Browse, "look through its pages"), named(p.Search, "search it as an agent does"),
			named(p.Run, "see and run its tools"), named(p.SeeCalls, "see its calls"), named(p.SeeLogs, "see its log"), named(p.Copy, "copy its path"), named(p.Save, "save the page that is read"),
		}},
		{"Pages of a source", []key.Binding{
			named(p.Enter, "read the page"), named(p.Filter, "filter by a part of the name"), named(p.Search, "search as an agent does"), named(p.Raw, "as it stands, or rendered"),
			named(p.Copy, "copy the page"), named(p.Save, "save the page to a file"), named(p.Refresh, "read again"), named(p.Back, "back"),
		}},
		{"Adding a source", []key.Binding{
			named(p.Enter, "look what it would change"), p.NextField, p.PreviousField,
			named(p.Toggle, "read only or not"), named(p.Back, "close; what is typed stays"),
		}},
		{"Permissions", []key.Binding{
			named(p.Enter, "look what it would change"), named(p.Right, "another choice"), p.NextField, named(p.Back, "close"),
		}},
		{pane.ActivityTab, []key.Binding{
			named(p.Filter, "filter by a name or an error"), named(p.Back, "drop the filter"), named(p.Follow, "follow, or pause"),
			named(p.Enter, "look into the call"), named(p.Errors, "those that failed first"), named(p.Totals, "totals by tool and client"),
			named(p.NextPart, "the next source only"), named(p.Copy, "copy the call"), named(p.Save, "save all calls of the filter"), named(p.SaveAnyway, "the same, when no hub runs"),
		}},
		{pane.ChangesTab, []key.Binding{
			named(p.Allow, "allow what is selected, once"), named(p.AllowSession, "allow it until the session ends"),
			named(p.AllowAlways, "allow it always: writes a rule"), named(p.Refuse, "refuse it, with a reason"),
			named(p.Undo, "undo the change"), named(p.UndoSession, "undo all of its session"),
			named(p.Enter, "read the difference"), named(p.Copy, "copy the difference"), named(p.Refresh, "read the journal again"),
		}},
		{pane.LogsTab, []key.Binding{
			named(p.Filter, "filter by text"), named(p.Back, "drop the filter"), named(p.PreviousFilter, "the filter before, while typing"),
			named(p.Find, "find by a regular expression"), named(p.NextHit, "the next hit"), named(p.PreviousHit, "the hit before"), named(p.Mark, "select lines; again: from here on"), named(p.Follow, "follow, or pause"),
			named(p.Level, "next level"), named(p.NextPart, "next part, then next client"), named(p.Wrap, "wrap long lines"), named(p.Timestamps, "times, distances, or neither"),
			named(p.ScrollLeft, "scroll left"), named(p.ScrollRight, "scroll right"), named(p.ScrollEnd, "back to the line's start"),
			named(p.Copy, "copy the lines in sight"), named(p.Save, "save all lines of the filter"), named(p.SaveAnyway, "the same, when no hub runs"),
			named(p.Export, "export the whole log on disk"),
		}},
		{pane.ClientsTab, []key.Binding{
			named(p.Install, "put Lectern into the client"), named(p.Remove, "take it out again"),
			named(p.Copy, "copy the snippet"), named(p.Save, "save it to a file"), named(p.SaveAnyway, "the same, when no hub runs"),
		}},
		{pane.ToolsTab, []key.Binding{
			named(p.Run, "run the tool by hand"), named(p.Enter, "read all there is to say of it"), named(p.Filter, "filter the tools"),
			named(p.NextPart, "the next source's tools"), named(p.Right, "as the next client sees them"), named(p.Left, "as the client before"),
			named(p.Copy, "copy the declaration"), named(p.Refresh, "read the tools again"),
		}},
		{"Running a tool", []key.Binding{
			named(p.Enter, "run it"), p.NextField, p.PreviousField, named(p.Right, "another choice"), p.Example, p.CopyAnswer, named(p.Back, "close"),
		}},
		{pane.DoctorTab, []key.Binding{
			named(p.Refresh, "check everything again"), named(p.Run, "check only this again"), named(p.Enter, "do what mends it"),
			named(p.Copy, "copy the report"), named(p.Save, "save the report"), named(p.SaveAnyway, "the same, when no hub runs"),
		}},
		{pane.SettingsTab, []key.Binding{
			named(p.Enter, "edit it, or do it"), named(p.Remove, "back to the default"), named(p.Copy, "copy the token, unseen"), named(p.Filter, "filter the settings"), named(p.Refresh, "read them again"),
		}},
		{"When asked", []key.Binding{k.Yes, k.No}},
	}
}
