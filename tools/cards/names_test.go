package cards_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// The two spellings that Unicode has of a letter are one name.
func TestSpellingsOfANameAreOne(t *testing.T) {
	w := openWiki(t, t.TempDir(), time.Now)
	box := toolbox{OpenedSource: w.source}
	box.must(t, "create_card", map[string]any{"name": "Cafe\u0301", "content": "one"})
	box.must(t, "create_card", map[string]any{"name": "Guide", "content": "<p>[[Cafe\u0301]]</p>"})
	if got := box.content(t, "Café"); got != "one" {
		t.Errorf("read as %q", got)
	}
	if _, _, err := box.call(t, "admin", "create_card", map[string]any{"name": "Café", "content": "two"}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("made twice: %v", err)
	}
	box.must(t, "rename_card", map[string]any{"name": "Café", "new_name": "Bar"})
	if got := box.content(t, "Guide"); got != "<p>[[Bar]]</p>" {
		t.Errorf("after a renaming: %q", got)
	}
	_, _, err := box.call(t, "admin", "rename_card", map[string]any{"name": "Bar", "new_name": "Guide"})
	if err == nil || !strings.Contains(err.Message, "'Guide' already exists") {
		t.Errorf("a name that is taken: %v", err)
	}
	for _, tool := range []string{"create_card", "update_card"} {
		_, _, err := box.call(t, "admin", tool, map[string]any{"name": "Bar", "content": "a", "markdown_content": "b"})
		if err == nil || err.Code != tools.Invalid {
			t.Errorf("%s with two texts: %v", tool, err)
		}
	}
}
