package widget

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestMove(t *testing.T) {
	keys := DefaultNavKeys()
	press := func(name string) tea.KeyPressMsg { return tea.KeyPressMsg{Text: name, Code: []rune(name)[0]} }
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
		if got, ok := keys.RowAfterKey(press(c.key), c.from, c.n, 4); !ok || got != c.want {
			t.Errorf("%s from %d of %d leads to %d, %v; want %d", c.key, c.from, c.n, got, ok, c.want)
		}
	}
	pageDown := tea.KeyPressMsg{Code: tea.KeyPgDown}
	if got, _ := keys.RowAfterKey(pageDown, 0, 9, 4); got != 4 {
		t.Errorf("a page leads to %d", got)
	}
	if got, _ := keys.RowAfterKey(pageDown, 0, 9, -3); got != 1 {
		t.Errorf("a page without rows leads to %d", got)
	}
	if _, ok := keys.RowAfterKey(press("x"), 3, 9, 4); ok {
		t.Error("x moves")
	}
}

func TestFilterInput(t *testing.T) {
	for _, c := range []struct {
		key            rune
		before, filter string
		typing         bool
	}{
		{tea.KeyEnter, "old", "new", false},
		{tea.KeyEscape, "old", "", false},
		{tea.KeyBackspace, "old", "ne", true},
	} {
		f := NewFilterInput(c.before).StartTyping()
		f.TextInput = NewTextInput("new")
		got := f.HandleKey(tea.KeyPressMsg{Code: c.key}, DefaultNavKeys())
		if got.Value() != c.filter || got.Typing != c.typing {
			t.Errorf("%v after %q: %q, %v; want %q, %v", c.key, c.before, got.Value(), got.Typing, c.filter, c.typing)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          int
	}{
		{"vault", "open VAULT", 5},
		{"Vault", "open vault", -1},
		{"Vault", "open Vault", 5},
		{"日本", "page 日本語", 5},
		{"x", "", -1},
		{"", "x", 0},
	} {
		if got := PatternIndex(c.text, c.pattern); got != c.want {
			t.Errorf("%q in %q: %d, want %d", c.pattern, c.text, got, c.want)
		}
	}
}
