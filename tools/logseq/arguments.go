package logseq

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// Name is a page's name as Logseq shows it, or its uuid.
type Name string

func (Name) maxLength() int { return 1000 }

// JSONSchema implements tools.SchemaProvider.
func (Name) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

// UUID is a block's uuid.
type UUID string

func (UUID) maxLength() int { return 36 }

// JSONSchema implements tools.SchemaProvider.
func (UUID) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

// Content is the text of blocks.
type Content string

func (Content) maxLength() int { return 200_000 }

// JSONSchema implements tools.SchemaProvider.
func (Content) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

// DefaultTrue is a boolean that is true when omitted.
type DefaultTrue bool

// JSONSchema implements tools.SchemaProvider.
func (DefaultTrue) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "boolean", Default: []byte("true")}
}

// Depth is the number of levels of blocks in an answer; 0 means all.
type Depth int

func (Depth) maxLength() int { return maxDepth }

// JSONSchema implements tools.SchemaProvider.
func (Depth) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(0.0)}
}

// Position is where a block goes.
type Position string

// The positions of the specification.
const (
	before Position = "before"
	after  Position = "after"
	first  Position = "first"
	last   Position = "last"
)

// JSONSchema implements tools.SchemaProvider.
func (Position) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"before", "after", "first", "last"}}
}

// Properties are names and values: text, numbers, booleans, or lists of them.
// null removes a property.
type Properties map[string]any

// JSONSchema implements tools.SchemaProvider.
func (Properties) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// check returns an error that names the argument if it is not a uuid.
func (u UUID) check(argument string) error {
	if u != "" && !uuidPattern.MatchString(string(u)) {
		return tools.Errorf(tools.Invalid, "%s: must be a uuid such as 6540a1b2-0000-4000-8000-000000000001", argument)
	}
	return nil
}

// checkPageName refuses text that cannot be the name of a page.
func checkPageName(argument string, n Name) error {
	if strings.TrimSpace(string(n)) == "" {
		return tools.Errorf(tools.Invalid, "%s: must not be blank", argument)
	}
	if strings.ContainsFunc(string(n), func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return tools.Errorf(tools.Invalid, "%s: must not contain line breaks or control characters", argument)
	}
	return nil
}

// checkNewPageName also refuses a name that looks like a uuid: the page would
// not be found by it, because a uuid is accepted wherever a page is named.
func checkNewPageName(argument string, n Name) error {
	if err := checkPageName(argument, n); err != nil {
		return err
	}
	if uuidPattern.MatchString(strings.TrimSpace(string(n))) {
		return tools.Errorf(tools.Invalid, "%s: looks like a uuid, so the page would not be found by its name", argument).
			WithHint("Choose a name that does not look like a uuid.")
	}
	return nil
}

// check refuses properties that are too many, too large or of a wrong type.
func (p Properties) check() error {
	if len(p) > 100 {
		return tools.Errorf(tools.Invalid, "properties: at most 100, got %d", len(p))
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if len(name) > 200 || strings.TrimSpace(name) == "" || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return tools.Errorf(tools.Invalid, "properties: %.40q cannot be the name of a property", name).
				WithHint("Use the name that Logseq shows.")
		}
		if !isPropertyValue(p[name], true) {
			return tools.Errorf(tools.Invalid, "properties: the value of %.40q must be text, a number, a boolean, a list of these, or null to "+
				"remove the property", name)
		}
	}
	if b, err := json.Marshal(p); err != nil || len(b) > 200_000 {
		return tools.Errorf(tools.Invalid, "properties: more than 200,000 bytes")
	}
	return nil
}

func isPropertyValue(v any, lists bool) bool {
	switch v := v.(type) {
	case nil:
		return lists
	case string, bool, float64:
		return true
	case []any:
		return lists && !slices.ContainsFunc(v, func(e any) bool { return !isPropertyValue(e, false) })
	default:
		return false
	}
}

// newUUID returns a random uuid. Everything that we create gets its uuid
// before Logseq is asked to create it, so that it can be found afterwards.
func newUUID() UUID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return formatUUID(b)
}

// formatUUID formats bytes as a version 4 uuid.
func formatUUID(b [16]byte) UUID {
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return UUID(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}
