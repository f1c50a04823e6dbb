package all_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// A listed tool is a tool as a client's tools/list holds it, with the prefix
// it has in a session that exposes all Systems.
type listed struct {
	Name         string             `json:"name"`
	Title        string             `json:"title"`
	Description  string             `json:"description"`
	InputSchema  *jsonschema.Schema `json:"inputSchema"`
	OutputSchema *jsonschema.Schema `json:"outputSchema"`
	Annotations  hints              `json:"annotations"`
}

type hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// costs is a table of what each tool costs in bytes, and their sum. The table
// stands in testdata, so that a change shows its price; four bytes are about
// one token.
func costs(kinds []tools.Kind) (table []byte, total int, err error) {
	var b bytes.Buffer
	for _, k := range kinds {
		m := k.Manifest()
		for _, t := range m.Tools {
			entry, err := json.Marshal(listed{m.Name + "_" + t.Name, t.Title, t.Doc, t.In, t.Out, hints{ReadOnly: t.Effect == tools.Reads}})
			if err != nil {
				return nil, 0, err
			}
			total += len(entry) + 1
			fmt.Fprintf(&b, "%6d  %s_%s\n", len(entry)+1, m.Name, t.Name)
		}
	}
	fmt.Fprintf(&b, "%6d  total\n", total)
	return b.Bytes(), total, nil
}

// The list of all tools fits the budget.
func TestBudget(t *testing.T) {
	table, total, err := costs(all.Systems())
	if err != nil {
		t.Fatal(err)
	}
	_, own, err := costs([]tools.Kind{tools.OwnChangesKind()})
	if err != nil {
		t.Fatal(err)
	}
	if own > ownChangesCeiling {
		t.Errorf("list_changes and undo_change cost %d bytes, more than %d", own, ownChangesCeiling)
	}
	if total > ceiling {
		t.Errorf("the tools cost %d bytes, more than the ceiling of %d; trim words, or make the case for a new ceiling\n%s", total, ceiling, table)
	}
}

// The sum counts what is there.
func TestCostsCount(t *testing.T) {
	_, one, err := costs([]tools.Kind{memo.System()})
	if err != nil {
		t.Fatal(err)
	}
	_, two, err := costs([]tools.Kind{memo.System(), memo.System()})
	if err != nil {
		t.Fatal(err)
	}
	if one < 1000 || two != 2*one {
		t.Errorf("memo costs %d bytes, twice memo %d", one, two)
	}
}
