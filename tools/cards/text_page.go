package cards

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// How many characters of a text an answer has at most, and how many of a longer one
// whose outline is shown with them.
const (
	maxText   = 8000
	firstText = 2000
	maxTitles = 100
)

// Continuation is a token for the next part of a text.
type Continuation string

// JSONSchema implements [tools.SchemaProvider].
func (Continuation) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MaxLength: new(200)}
}

// TextPart is a part of a text, and how to go on.
type TextPart struct {
	text         string
	length       int
	continuation Continuation
}

// part is the part of a text that begins where the token says, of at most size
// characters. version changes with the text, so that parts of two texts are never put
// together.
func part(text, version string, after Continuation, size int) (TextPart, error) {
	from, rs := 0, []rune(text)
	if after != "" {
		b, err := base64.RawURLEncoding.DecodeString(string(after))
		number, of, _ := strings.Cut(string(b), ".")
		from, _ = strconv.Atoi(number)
		if err != nil || from < 1 {
			return TextPart{}, tools.Errorf(tools.Invalid, "continuation: not a token of an answer").
				WithHint("Copy the continuation of the answer before, or leave it out.")
		}
		if of != version || from >= len(rs) {
			return TextPart{}, tools.Errorf(tools.Conflict, "the text was changed since its first part was read").
				WithHint("Read it again without continuation.")
		}
	}
	to := min(from+size, len(rs))
	out := TextPart{text: string(rs[from:to]), length: len(rs)}
	if to < len(rs) {
		out.continuation = Continuation(base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(to) + "." + version)))
	}
	return out, nil
}

// Heading is a heading in a card.
type Heading struct {
	Level    int    `json:"level" jsonschema:"1 to 6"`
	Text     string `json:"text" jsonschema:"its text"`
	Position int    `json:"position" jsonschema:"characters before it"`
}

// outlineOf lists the headings of a content, at most maxTitles.
func outlineOf(content string) []Heading {
	out := []Heading{}
	for _, h := range cardtext.Outline(content) {
		if len(out) == maxTitles {
			break
		}
		out = append(out, Heading{h.Level, safetext.Truncate(h.Text, 200), h.Position})
	}
	return out
}
