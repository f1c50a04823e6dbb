package pane

import (
	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/tui/logview"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// Keys are the keys that panes share, so that a key means the same wherever it
// means something. A key that only one pane has may be declared there.
type Keys struct {
	widget.NavKeys
	logview.LogKeys
	Left, Right                      key.Binding
	Copy, Export                     key.Binding
	Add, Remove, Reopen, SeeLogs     key.Binding
	NextField, PreviousField, Toggle key.Binding
	Refresh, Install, Uninstall      key.Binding
	Allow, AllowScope, AllowAlways   key.Binding
	Refuse, Undo                     key.Binding
	UndoSession, UndoSince           key.Binding
	LeaveOut, NextHunk, PreviousHunk key.Binding
	EditText                         key.Binding
	Errors, Totals, Grant            key.Binding
	PauseClient, Revoke, SortRows    key.Binding
	ReadOnly, NewerDay, OlderDay     key.Binding
	MarkSeen, DayChanges, History    key.Binding
	Run, Example, CopyAnswer         key.Binding
	Browse, Search, Raw, SeeCalls    key.Binding
	NextLink, PreviousLink, Edit     key.Binding
	SortPages                        key.Binding
}

// DefaultKeys returns the usual keys: those of vi, and the arrows.
func DefaultKeys() Keys {
	return Keys{
		NavKeys: widget.DefaultNavKeys(),
		LogKeys: logview.DefaultLogKeys(),
		Left:    widget.Bind("←/h", "left", "left", "h"),
		Right:   widget.Bind("→/l", "right", "right", "l"),

		Copy:   widget.Bind("c", "copy", "c"),
		Export: widget.Bind("E", "export to a file", "E"),

		Add:     widget.Bind("a", "add", "a"),
		Remove:  widget.Bind("d", "remove", "d", "delete"),
		Reopen:  widget.Bind("r", "reopen", "r"),
		SeeLogs: widget.Bind("o", "log", "o"),

		NextField:     widget.Bind("tab", "next field", "tab", "down"),
		PreviousField: widget.Bind("shift+tab", "previous field", "shift+tab", "up"),
		Toggle:        widget.Bind("space", "toggle", "space"),

		Refresh:      widget.Bind("R", "reload", "R"),
		Install:      widget.Bind("i", "install", "i"),
		Uninstall:    widget.Bind("X", "uninstall", "X"),
		Allow:        widget.Bind("y", "allow", "y"),
		AllowScope:   widget.Bind("Y", "for longer", "Y"),
		AllowAlways:  widget.Bind("A", "always", "A"),
		Refuse:       widget.Bind("n", "deny", "n"),
		LeaveOut:     widget.Bind("space", "leave hunk out", "space"),
		NextHunk:     widget.Bind("]", "next hunk", "]"),
		PreviousHunk: widget.Bind("[", "previous hunk", "["),
		EditText:     widget.Bind("e", "edit", "e"),

		Undo:        widget.Bind("u", "undo", "u"),
		UndoSession: widget.Bind("U", "undo its session", "U"),
		UndoSince:   widget.Bind("Z", "undo since here", "Z"),
		Errors:      widget.Bind("e", "failed first", "e"),
		Totals:      widget.Bind("T", "totals", "T"),
		Grant:       widget.Bind("p", "permissions", "p"),
		Revoke:      widget.Bind("D", "block it", "D"),
		SortRows:    widget.Bind("s", "sort", "s"),
		ReadOnly:    widget.Bind("r", "only read from now on", "r"),
		NewerDay:    widget.Bind("[", "newer day", "["),
		OlderDay:    widget.Bind("]", "older day", "]"),
		MarkSeen:    widget.Bind("m", "mark all as seen", "m"),
		DayChanges:  widget.Bind("t", "all of the day", "t"),
		History:     widget.Bind("J", "journal", "J"),
		PauseClient: widget.Bind("P", "pause its writes", "P"),
		Run:         widget.Bind("x", "run", "x"),
		Example:     widget.Bind("ctrl+n", "fill in an example", "ctrl+n"),
		CopyAnswer:  widget.Bind("ctrl+y", "copy the result", "ctrl+y"),
		Browse:      widget.Bind("b", "pages", "b"),
		Search:      widget.Bind("S", "search", "S"),
		Raw:         widget.Bind("z", "source/rendered", "z"),
		SeeCalls:    widget.Bind("O", "calls", "O"),

		NextLink:     widget.Bind("tab", "next link", "tab"),
		PreviousLink: widget.Bind("shift+tab", "previous link", "shift+tab"),
		Edit:         widget.Bind("e", "edit in your editor", "e"),
		SortPages:    widget.Bind("o", "sort the pages", "o"),
	}
}
