package memo

import "github.com/google/jsonschema-go/jsonschema"

// Title names a note: 1 to 80 characters. The constraint belongs to the type, so
// it applies to every tool with a title.
type Title string

// JSONSchema implements [tools.SchemaProvider].
func (Title) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", MinLength: new(1), MaxLength: new(80)}
}

// Colour is the colour of a note; yellow when omitted.
type Colour string

const yellow Colour = "yellow"

// JSONSchema implements [tools.SchemaProvider].
func (Colour) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"yellow", "blue", "pink"}, Default: []byte(`"yellow"`)}
}
