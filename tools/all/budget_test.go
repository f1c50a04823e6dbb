package all_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// costs is a table of what each tool costs in a client's list in bytes, and the sum
// of those that are listed without being asked for.
func costs(kinds []tools.Kind) (table []byte, total int) {
	var b bytes.Buffer
	for _, k := range kinds {
		m := k.Manifest()
		for _, t := range m.Tools {
			entry, _ := t.ListedBytes(m.Name + "_" + t.Name)
			note := ""
			if t.OptIn {
				note = " (opt-in)"
			} else {
				total += entry
			}
			fmt.Fprintf(&b, "%6d  %s_%s%s\n", entry, m.Name, t.Name, note)
		}
	}
	fmt.Fprintf(&b, "%6d  total\n", total)
	return b.Bytes(), total
}

// The list of all tools fits the budget.
func TestBudget(t *testing.T) {
	table, total := costs(all.Systems())
	_, own := costs([]tools.Kind{tools.OwnChangesKind()})
	if own > ownChangesCeiling {
		t.Errorf("list_changes and undo_change cost %d bytes, more than %d", own, ownChangesCeiling)
	}
	if total > ceiling {
		t.Errorf("the tools cost %d bytes, more than the ceiling of %d; trim words, or make the case for a new ceiling\n%s", total, ceiling, table)
	}
}

// The sum counts what is there.
func TestCostsCount(t *testing.T) {
	table, one := costs([]tools.Kind{memo.System()})
	_, two := costs([]tools.Kind{memo.System(), memo.System()})
	if one < 1000 || two != 2*one {
		t.Errorf("memo costs %d bytes, twice memo %d", one, two)
	}
	for _, tool := range memo.System().Manifest().Tools {
		entry, model := tool.ListedBytes(tool.Name)
		if schema, err := json.Marshal(tool.In); err != nil || model < len(tool.Doc)+len(schema) || model >= entry {
			t.Errorf("%s: a model sees %d of %d bytes, %v\n%s", tool.Name, model, entry, err, table)
		}
	}
}
