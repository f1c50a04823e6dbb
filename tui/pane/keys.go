package pane

import "charm.land/bubbles/v2/key"

// Keys are the keys of all panes. A key means the same thing wherever it means
// something.
type Keys struct {
	Up, Down, Left, Right              key.Binding
	PageUp, PageDown, First, Last      key.Binding
	Enter, Back                        key.Binding
	Copy, Save, SaveAnyway, Export     key.Binding
	Add, Remove, Reopen, SeeLogs       key.Binding
	Filter, Follow, Wrap, Timestamps   key.Binding
	Level, NextPart, PreviousFilter    key.Binding
	Find, NextHit, PreviousHit, Mark   key.Binding
	NextField, PreviousField, Toggle   key.Binding
	ScrollLeft, ScrollRight, ScrollEnd key.Binding
	Refresh, Install                   key.Binding
	Allow, AllowSession, AllowAlways   key.Binding
	Refuse, Undo, UndoSession          key.Binding
	Errors, Totals, Grant              key.Binding
	Run, Example, CopyAnswer           key.Binding
	Browse, Search, Raw, SeeCalls      key.Binding
}

// DefaultKeys returns the usual keys: those of vi, and the arrows.
func DefaultKeys() Keys {
	return Keys{
		Up:       Bind("↑/k", "up", "up", "k"),
		Down:     Bind("↓/j", "down", "down", "j"),
		Left:     Bind("←/h", "left", "left", "h"),
		Right:    Bind("→/l", "right", "right", "l"),
		PageUp:   Bind("pgup", "page up", "pgup", "ctrl+u", "ctrl+b"),
		PageDown: Bind("pgdn", "page down", "pgdown", "ctrl+d", "ctrl+f"),
		First:    Bind("g", "first", "g", "home"),
		Last:     Bind("G", "last", "G", "end"),
		Enter:    Bind("enter", "do it", "enter"),
		Back:     Bind("esc", "back", "esc"),

		Copy: Bind("c", "copy", "c"),
		Save: Bind("s", "save to a file", "s"),
		// Without a hub s starts one, so saving needs a key of its own.
		SaveAnyway: Bind("S", "save to a file", "S"),
		Export:     Bind("E", "export all", "E"),

		Add:     Bind("a", "add", "a"),
		Remove:  Bind("d", "remove", "d", "delete"),
		Reopen:  Bind("r", "reopen", "r"),
		SeeLogs: Bind("o", "its log", "o"),

		Filter:         Bind("/", "filter", "/"),
		Follow:         Bind("f", "follow", "f", "space"),
		Wrap:           Bind("w", "wrap", "w"),
		Timestamps:     Bind("t", "times", "t"),
		Level:          Bind("v", "level", "v"),
		NextPart:       Bind("p", "part", "p"),
		Find:           Bind("F", "find", "F"),
		NextHit:        Bind("n", "next hit", "n"),
		PreviousHit:    Bind("N", "hit before", "N"),
		Mark:           Bind("m", "mark", "m"),
		PreviousFilter: Bind("↑", "the filter before", "up"),

		NextField:     Bind("tab", "next field", "tab", "down"),
		PreviousField: Bind("shift+tab", "previous field", "shift+tab", "up"),
		Toggle:        Bind("space", "switch", "space"),

		ScrollLeft:  Bind("←/h", "left", "left", "h"),
		ScrollRight: Bind("→/l", "right", "right", "l"),
		ScrollEnd:   Bind("0", "line start", "0"),

		Refresh:      Bind("R", "look again", "R"),
		Install:      Bind("i", "install", "i"),
		Allow:        Bind("y", "allow", "y"),
		AllowSession: Bind("Y", "for this session", "Y"),
		AllowAlways:  Bind("A", "always", "A"),
		Refuse:       Bind("n", "refuse", "n"),
		Undo:         Bind("u", "undo", "u"),
		Errors:       Bind("e", "errors first", "e"),
		Grant:        Bind("p", "permissions", "p"),
		Run:          Bind("x", "run it", "x"),
		Example:      Bind("ctrl+n", "an example", "ctrl+n"),
		CopyAnswer:   Bind("ctrl+y", "copy the answer", "ctrl+y"),
		Totals:       Bind("T", "totals", "T"),
		Browse:       Bind("b", "its pages", "b"),
		Search:       Bind("S", "search as an agent", "S"),
		Raw:          Bind("z", "as it stands, or rendered", "z"),
		SeeCalls:     Bind("O", "its calls", "O"),
		UndoSession:  Bind("U", "undo the session", "U"),
	}
}

func Bind(keys, does string, names ...string) key.Binding {
	return key.NewBinding(key.WithKeys(names...), key.WithHelp(keys, does))
}

// WithHelp returns b with other words for what it does here.
func WithHelp(b key.Binding, does string) key.Binding {
	b.SetHelp(b.Help().Key, does)
	return b
}

// saves reports whether k means to save, given that s starts the hub when none
// runs.
func (k Keys) saves(p Press, running bool) bool {
	return key.Matches(p, k.SaveAnyway) || running && key.Matches(p, k.Save)
}

// saveKey is the key that saves now.
func (k Keys) saveKey(running bool) key.Binding {
	if running {
		return k.Save
	}
	return k.SaveAnyway
}
