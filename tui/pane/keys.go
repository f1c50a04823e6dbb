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
	Filter, Follow, Wrap, Stamp        key.Binding
	Level, Part, Recall                key.Binding
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
		Up:       bind("↑/k", "up", "up", "k"),
		Down:     bind("↓/j", "down", "down", "j"),
		Left:     bind("←/h", "left", "left", "h"),
		Right:    bind("→/l", "right", "right", "l"),
		PageUp:   bind("pgup", "page up", "pgup", "ctrl+u", "ctrl+b"),
		PageDown: bind("pgdn", "page down", "pgdown", "ctrl+d", "ctrl+f"),
		First:    bind("g", "first", "g", "home"),
		Last:     bind("G", "last", "G", "end"),
		Enter:    bind("enter", "do it", "enter"),
		Back:     bind("esc", "back", "esc"),

		Copy: bind("c", "copy", "c"),
		Save: bind("s", "save to a file", "s"),
		// Without a hub s starts one, so saving needs a key of its own.
		SaveAnyway: bind("S", "save to a file", "S"),
		Export:     bind("E", "export all", "E"),

		Add:     bind("a", "add", "a"),
		Remove:  bind("d", "remove", "d", "delete"),
		Reopen:  bind("r", "reopen", "r"),
		SeeLogs: bind("o", "its log", "o"),

		Filter:      bind("/", "filter", "/"),
		Follow:      bind("f", "follow", "f", "space"),
		Wrap:        bind("w", "wrap", "w"),
		Stamp:       bind("t", "times", "t"),
		Level:       bind("v", "level", "v"),
		Part:        bind("p", "part", "p"),
		Find:        bind("F", "find", "F"),
		NextHit:     bind("n", "next hit", "n"),
		PreviousHit: bind("N", "hit before", "N"),
		Mark:        bind("m", "mark", "m"),
		Recall:      bind("↑", "the filter before", "up"),

		NextField:     bind("tab", "next field", "tab", "down"),
		PreviousField: bind("shift+tab", "previous field", "shift+tab", "up"),
		Toggle:        bind("space", "switch", "space"),

		ScrollLeft:  bind("←/h", "left", "left", "h"),
		ScrollRight: bind("→/l", "right", "right", "l"),
		ScrollEnd:   bind("0", "line start", "0"),

		Refresh:      bind("R", "look again", "R"),
		Install:      bind("i", "install", "i"),
		Allow:        bind("y", "allow", "y"),
		AllowSession: bind("Y", "for this session", "Y"),
		AllowAlways:  bind("A", "always", "A"),
		Refuse:       bind("n", "refuse", "n"),
		Undo:         bind("u", "undo", "u"),
		Errors:       bind("e", "errors first", "e"),
		Grant:        bind("p", "permissions", "p"),
		Run:          bind("x", "run it", "x"),
		Example:      bind("ctrl+n", "an example", "ctrl+n"),
		CopyAnswer:   bind("ctrl+y", "copy the answer", "ctrl+y"),
		Totals:       bind("T", "totals", "T"),
		Browse:       bind("b", "its pages", "b"),
		Search:       bind("S", "search as an agent", "S"),
		Raw:          bind("z", "as it stands, or rendered", "z"),
		SeeCalls:     bind("O", "its calls", "O"),
		UndoSession:  bind("U", "undo the session", "U"),
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
