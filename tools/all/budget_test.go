package all_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
	"github.com/lectern-mcp/lectern/tools/logseq"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// maxDefault is how many bytes of the default list of a System a model sees at most, with
// the tools for an agent's own changes. See DESIGN: cost.
const maxDefault = 10_000

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
		if table, total := costs(k, tools.OwnChangesKind()); total > maxDefault {
			t.Errorf("%s: a model sees %d bytes, more than %d; trim words, or make a tool opt-in\n%s", k.Manifest().Name, total, maxDefault, table)
		}
	}
}

// The default lists have every tool that the specifications name.
func TestDefaultListsAreComplete(t *testing.T) {
	systems := all.Systems()
	for system, names := range map[string]string{
		"markdown": "list_pages read_page write_page create_page delete_page move_page search_pages get_page_links add_attachment get_tree",
		"logseq": "list_pages get_page_content create_page update_page delete_page search get_block create_block update_block delete_block " +
			"move_block datascript_query ping get_capabilities",
		"org": "org-search-headlines org-get-todos org-search-content org-update-todo-state org-schedule-task org-get-properties " +
			"org-get-todo-config org-get-tag-config org-export-section org-get-agenda-items",
		"cards":     "get_card search_cards create_card update_card delete_card list_children run_query upload_attachment render_snippet",
		"workspace": "run_script",
	} {
		i := slices.IndexFunc(systems, func(k tools.Kind) bool { return k.Manifest().Name == system })
		for name := range strings.FieldsSeq(names) {
			if tool, ok := systems[i].Manifest().Tool(name); !ok || tool.OptIn || tool.Unlisted {
				t.Errorf("%s: %s is not in the default list", system, name)
			}
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
