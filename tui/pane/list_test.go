package pane

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestMoved(t *testing.T) {
	k := DefaultKeys()
	at := func(name string) Press {
		return Press{tea.KeyPressMsg{Text: name, Code: []rune(name)[0]}, 80, 24}
	}
	for _, c := range []struct {
		key           string
		from, n, want int
	}{
		{"j", 3, 9, 4},
		{"k", 3, 9, 2},
		{"g", 3, 9, 0},
		{"G", 3, 9, 8},
		{"j", 8, 9, 8},
		{"k", 0, 9, 0},
		{"j", 0, 0, 0},
		{"G", 0, 0, 0},
	} {
		if got, ok := k.Move(at(c.key), c.from, c.n, 4); !ok || got != c.want {
			t.Errorf("%s from %d of %d leads to %d, %v; want %d", c.key, c.from, c.n, got, ok, c.want)
		}
	}
	down := Press{KeyPressMsg: tea.KeyPressMsg{Code: tea.KeyPgDown}}
	if got, _ := k.Move(down, 0, 9, 4); got != 4 {
		t.Errorf("a page leads to %d", got)
	}
	if got, _ := k.Move(down, 0, 9, -3); got != 1 {
		t.Errorf("a page where there is no room leads to %d", got)
	}
	if _, ok := k.Move(at("x"), 3, 9, 4); ok {
		t.Error("x moves")
	}
}

func TestFiltered(t *testing.T) {
	k := DefaultKeys()
	for _, c := range []struct {
		key            rune
		before, filter string
		typing         bool
	}{
		{tea.KeyEnter, "old", "new", false},
		{tea.KeyEscape, "old", "", false},
		{tea.KeyUp, "old", "old", true},
		{tea.KeyUp, "", "new", true},
		{tea.KeyBackspace, "old", "ne", true},
	} {
		got, typing := k.editFilter(Press{KeyPressMsg: tea.KeyPressMsg{Code: c.key}}, NewTextInput("new"), c.before)
		if got.Value() != c.filter || typing != c.typing {
			t.Errorf("%v with %q before: %q, %v; want %q, %v", c.key, c.before, got.Value(), typing, c.filter, c.typing)
		}
	}
}
