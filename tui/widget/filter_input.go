package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A FilterInput is the filter of a list and the line in which it is typed.
type FilterInput struct {
	TextInput
	Typing bool // keys edit the filter
}

// NewFilterInput returns a FilterInput with a filter that no one edits.
func NewFilterInput(text string) FilterInput { return FilterInput{TextInput: NewTextInput(text)} }

// StartTyping has keys edit the filter.
func (f FilterInput) StartTyping() FilterInput {
	return FilterInput{NewTextInput(f.Value()), true}
}

// Paste inserts text from the clipboard.
func (f FilterInput) Paste(text string) FilterInput {
	f.TextInput = f.Insert(text)
	return f
}

// HandleKey edits the filter, ends editing, or drops the filter.
func (f FilterInput) HandleKey(k tea.KeyPressMsg, keys NavKeys) FilterInput {
	switch {
	case key.Matches(k, keys.Enter):
		f.Typing = false
	case key.Matches(k, keys.Back):
		return FilterInput{}
	default:
		f.TextInput, _ = f.TextInput.HandleKey(k)
	}
	return f
}

// Bindings are the keys that mean something while the filter is edited.
func (f FilterInput) Bindings(keys NavKeys) []key.Binding {
	return []key.Binding{WithHelp(keys.Enter, "apply the filter"), WithHelp(keys.Back, "cancel")}
}

// DrawBelowRows draws h lines of w cells: rows, and below them the filter while it
// is edited.
func (f FilterInput) DrawBelowRows(t theme.Theme, w, h int, hint string, rows func(h int) []string) string {
	return DrawWithInput(t, w, h, f.Typing, " / ", f.TextInput, hint, rows)
}

// DrawWithInput draws h lines of w cells: rows, and below them, if shown, a line to
// type in.
func DrawWithInput(t theme.Theme, w, h int, shown bool, label string, in TextInput, hint string, rows func(h int) []string) string {
	if !shown {
		return strings.Join(rows(h), "\n")
	}
	line := t.Key.Text(label) + in.Draw(t, w-len(label)-1, true, hint)
	if h < ScreenReaderHeight { // a pane that is read aloud has room for one more, and would be drawn in columns below that height
		h--
	}
	return strings.Join(append(rows(h), theme.Fit(line, w)), "\n")
}

// PatternIndex returns where text contains pattern, or -1. A pattern without capitals
// matches them too, as far as they are ASCII.
func PatternIndex(text, pattern string) int {
	if pattern != strings.ToLower(pattern) {
		return strings.Index(text, pattern)
	}
	for i := 0; i+len(pattern) <= len(text); i++ {
		j := 0
		for j < len(pattern) && lowerASCII(text[i+j]) == pattern[j] {
			j++
		}
		if j == len(pattern) {
			return i
		}
	}
	return -1
}

// MatchesFilter reports whether text contains pattern, by the rules of [PatternIndex].
func MatchesFilter(text, pattern string) bool { return PatternIndex(text, pattern) >= 0 }

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
