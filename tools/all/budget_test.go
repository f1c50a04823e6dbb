package all_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
	"github.com/lectern-mcp/lectern/tools/logseq"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// maxDefault is how many bytes of the default list of a System a model sees at most;
// that of Markdown with the tools for an agent's own changes. See DESIGN: cost.
const maxDefault = 10_000

// overDefault are the Systems that are above it, with what they cost.
var overDefault = map[string]int{}

// costs is a table of what a model sees of each tool of the default list, in bytes,
// and their sum.
func costs(kinds ...tools.Kind) (table []byte, total int) {
	var b bytes.Buffer
	for _, k := range kinds {
		for _, t := range k.Manifest().Tools {
			if t.OptIn || t.Unlisted {
				continue
			}
			_, model := t.ListedBytes(t.Name)
			total += model
			fmt.Fprintf(&b, "%6d  %s\n", model, t.Name)
		}
	}
	fmt.Fprintf(&b, "%6d  total\n", total)
	return b.Bytes(), total
}

// The default list of every System fits the budget.
func TestBudget(t *testing.T) {
	for _, k := range all.Systems() {
		name := k.Manifest().Name
		kinds := []tools.Kind{k}
		if name == "markdown" {
			kinds = append(kinds, tools.OwnChangesKind())
		}
		table, total := costs(kinds...)
		switch limit, over := overDefault[name]; {
		case over && total > limit, !over && total > maxDefault:
			t.Errorf("%s: a model sees %d bytes, more than %d; trim words, or make a tool opt-in\n%s", name, total, max(limit, maxDefault), table)
		case over && total <= maxDefault:
			t.Errorf("%s fits the budget with %d bytes: take it off the list", name, total)
		}
	}
}

// The fourteen tools of Logseq's specification take at most 7 KB, and find the rest.
func TestBudgetOfLogseq(t *testing.T) {
	total := 0
	for _, tool := range logseq.System().Manifest().Tools {
		if tool.OptIn || tool.Name == "find" {
			continue
		}
		_, model := tool.ListedBytes(tool.Name)
		total += model
	}
	if total > 7<<10 {
		t.Errorf("a model sees %d bytes of the fourteen tools, more than %d", total, 7<<10)
	}
}

// The sum counts what is there.
func TestCostsCount(t *testing.T) {
	table, one := costs(memo.System())
	_, two := costs(memo.System(), memo.System())
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
