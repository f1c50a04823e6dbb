package all_test

import (
	"os"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
)

// The skill version that plugin, hub and SKILL.md tell each other is that of the Logseq
// tools, so no change of another System touches the plugin.
func TestSkillVersion(t *testing.T) {
	var others []tools.Kind
	for _, k := range all.Systems() {
		if k.Manifest().Name != "logseq" {
			others = append(others, k)
		}
	}
	if got := tools.SkillVersion(others); got != "" {
		t.Errorf("without Logseq the skill has version %s", got)
	}
	source, err := os.ReadFile("../../plugin/src/skill.ts")
	if err != nil {
		t.Fatal(err)
	}
	if got := tools.SkillVersion(all.Systems()); !strings.Contains(string(source), "const skill = '"+got+"'") {
		t.Errorf("the Logseq tools have skill version %s, plugin/src/skill.ts says\n%s", got, source)
	}
}
