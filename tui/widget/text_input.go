package widget

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// TextInput is a line of text that a person types. Its cursor does not blink, so
// that waiting for a key writes nothing to the terminal.
type TextInput struct {
	text   []rune
	cursor int // before this rune
}

// maxInputRunes bounds what one paste can bring.
const maxInputRunes = 4096

// NewTextInput returns a Field with text in it and the cursor at the end.
func NewTextInput(text string) TextInput { return TextInput{}.Insert(text) }

// Value is what is typed.
func (f TextInput) Value() string { return string(f.text) }

// Insert types text at the cursor. Line ends become spaces.
func (f TextInput) Insert(text string) TextInput {
	add := []rune(strings.Map(whitespaceToSpace, strings.TrimRight(text, "\r\n")))
	add = add[:min(len(add), maxInputRunes-len(f.text))]
	f.text = append(append(append([]rune{}, f.text[:f.cursor]...), add...), f.text[f.cursor:]...)
	f.cursor += len(add)
	return f
}

func whitespaceToSpace(r rune) rune {
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// HandleKey edits the text, or reports that k does not edit.
func (f TextInput) HandleKey(k tea.KeyPressMsg) (TextInput, bool) {
	switch k.String() {
	case "left", "ctrl+b":
		f.cursor = max(0, f.cursor-1)
	case "right", "ctrl+f":
		f.cursor = min(len(f.text), f.cursor+1)
	case "home", "ctrl+a":
		f.cursor = 0
	case "end", "ctrl+e":
		f.cursor = len(f.text)
	case "backspace", "ctrl+h":
		return f.remove(max(0, f.cursor-1), f.cursor), true
	case "delete":
		return f.remove(f.cursor, min(len(f.text), f.cursor+1)), true
	case "ctrl+u":
		return f.remove(0, f.cursor), true
	case "ctrl+k":
		return f.remove(f.cursor, len(f.text)), true
	case "ctrl+w":
		return f.remove(f.wordStart(), f.cursor), true
	default:
		if k.Text == "" {
			return f, false
		}
		return f.Insert(k.Text), true
	}
	return f, true
}

func (f TextInput) remove(from, to int) TextInput {
	f.text = append(append([]rune{}, f.text[:from]...), f.text[to:]...)
	f.cursor = from
	return f
}

func (f TextInput) wordStart() int {
	i := f.cursor
	for i > 0 && f.text[i-1] == ' ' {
		i--
	}
	for i > 0 && f.text[i-1] != ' ' && f.text[i-1] != '/' {
		i--
	}
	return min(i, max(0, f.cursor-1))
}

// DrawFieldName is the name of a field of a form, in w cells.
func DrawFieldName(t theme.Theme, name string, focus bool, w int) string {
	if focus {
		return t.Accent.Fit("▸ "+name, w)
	}
	return t.Dim.Fit("  "+name, w)
}

// Draw draws the text in w cells, with the cursor visible. An empty Field
// shows hint. Without focus there is no cursor.
func (f TextInput) Draw(t theme.Theme, w int, focus bool, hint string) string {
	if !focus {
		if len(f.text) == 0 {
			return t.Dim.Fit(hint, w)
		}
		return t.Text.Fit(f.Value(), w)
	}
	if len(f.text) == 0 {
		return t.Cursor.Text(" ") + t.Dim.Fit(hint, w-1)
	}
	before, at, after := theme.Sanitize(string(f.text[:f.cursor])), " ", ""
	if f.cursor < len(f.text) {
		at, after = string(f.text[f.cursor]), string(f.text[f.cursor+1:])
	}
	at = theme.Sanitize(at)
	if over := theme.Width(before) + theme.Width(at) - w; over > 0 {
		before = ansi.TruncateLeft(before, over+1, "…")
	}
	return theme.Fit(t.Text.Text(before)+t.Cursor.Text(at)+t.Text.Text(after), w)
}
