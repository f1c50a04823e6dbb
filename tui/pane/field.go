package pane

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// Field is a line of text that a person types. Its cursor does not blink, so
// that waiting for a key writes nothing to the terminal.
type Field struct {
	text   []rune
	cursor int // before this rune
}

// maxField bounds what one paste can bring.
const maxField = 4096

// NewField returns a Field with text in it and the cursor at the end.
func NewField(text string) Field { return Field{}.Insert(text) }

// Value is what is typed.
func (f Field) Value() string { return string(f.text) }

// Insert types text at the cursor. Line ends become spaces.
func (f Field) Insert(text string) Field {
	add := []rune(strings.Map(oneLine, strings.TrimRight(text, "\r\n")))
	add = add[:min(len(add), maxField-len(f.text))]
	f.text = append(append(append([]rune{}, f.text[:f.cursor]...), add...), f.text[f.cursor:]...)
	f.cursor += len(add)
	return f
}

func oneLine(r rune) rune {
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// Key edits the text, or reports that k does not edit.
func (f Field) Key(k tea.KeyPressMsg) (Field, bool) {
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

func (f Field) remove(from, to int) Field {
	f.text = append(append([]rune{}, f.text[:from]...), f.text[to:]...)
	f.cursor = from
	return f
}

func (f Field) wordStart() int {
	i := f.cursor
	for i > 0 && f.text[i-1] == ' ' {
		i--
	}
	for i > 0 && f.text[i-1] != ' ' && f.text[i-1] != '/' {
		i--
	}
	return min(i, max(0, f.cursor-1))
}

// View draws the text in w cells, with the cursor in sight. An empty Field
// shows hint. Without focus there is no cursor.
func (f Field) View(t theme.Theme, w int, focus bool, hint string) string {
	if !focus {
		if len(f.text) == 0 {
			return t.Dim.Fit(hint, w)
		}
		return t.Text.Fit(f.Value(), w)
	}
	if len(f.text) == 0 {
		return t.Cursor.Text(" ") + t.Dim.Fit(hint, w-1)
	}
	before, at, after := theme.Plain(string(f.text[:f.cursor])), " ", ""
	if f.cursor < len(f.text) {
		at, after = string(f.text[f.cursor]), string(f.text[f.cursor+1:])
	}
	at = theme.Plain(at)
	if over := theme.Width(before) + theme.Width(at) - w; over > 0 {
		before = ansi.TruncateLeft(before, over+1, "…")
	}
	return theme.Fill(t.Text.Text(before)+t.Cursor.Text(at)+t.Text.Text(after), w)
}
