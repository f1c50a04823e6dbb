package memo

import "github.com/google/jsonschema-go/jsonschema"

// Title names a note: 1 to 80 characters. Constraints stand on the type, so
// that every tool that takes a title has them.
type Title string

// JSONSchema implements [tools.Typed].
func (Title) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MinLength: new(1), MaxLength: new(80)}
}

// Colour of a note; yellow when omitted.
type Colour string

const yellow Colour = "yellow"

// JSONSchema implements [tools.Typed].
func (Colour) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"yellow", "blue", "pink"}, Default: []byte(`"yellow"`)}
}
