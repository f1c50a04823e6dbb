package tools

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// A listedTool is a tool as a client's tools/list holds it. Clients pass its
// first three fields on to a model.
type listedTool struct {
	Name         string             `json:"name"`
	Description  string             `json:"description"`
	InputSchema  *jsonschema.Schema `json:"inputSchema"`
	Title        string             `json:"title,omitempty"`
	OutputSchema *jsonschema.Schema `json:"outputSchema,omitempty"`
	Annotations  *listedHints       `json:"annotations,omitempty"`
	Meta         map[string]int     `json:"_meta,omitempty"`
}

type listedHints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// MaxResultKey is where the entry of a tool says how many characters of an answer a client
// should pass on before it cuts: what tools cut themselves, they say. More than
// MaxResultCharacters is not heard, and answers may have that.
const (
	MaxResultKey        = "anthropic/maxResultSizeChars"
	MaxResultCharacters = 500_000
)

// CanBeLong reports whether answers of the tool may be long: it reads notes.
func (t ToolInfo) CanBeLong() bool { return t.Effect == Reads && !t.NoNotes }

// ListedBytes is what a tool costs under a name: the bytes of its entry in a
// client's list, and those of them that a model sees, with every request of a
// session. Four bytes are about one token.
func (t ToolInfo) ListedBytes(name string) (entry, model int) {
	seen := listedTool{Name: name, Description: t.Doc, InputSchema: t.In}
	whole := seen
	whole.Title, whole.OutputSchema, whole.Annotations = t.Title, t.Out, &listedHints{ReadOnly: t.Effect == Reads}
	if t.CanBeLong() {
		whole.Meta = map[string]int{MaxResultKey: MaxResultCharacters}
	}
	return jsonSize(whole) + 1, jsonSize(seen) + 1 // and a comma
}

func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a declaration that was checked cannot be written: %v", err))
	}
	return len(b)
}
