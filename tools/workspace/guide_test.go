package workspace

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox"
)

// The guide has every limit as it is. Package sandbox tests each.
func TestGuideHasLimits(t *testing.T) {
	text, err := os.ReadFile("../../docs/guide/workspace.md")
	if err != nil {
		t.Fatal(err)
	}
	notes := sandbox.Limit{
		Key: "notes", Unit: "notes", Default: defaultScriptNotes,
		Meaning: "Notes that a script changes; the key `script_notes` of the source sets it. Beyond: each write throws HostCallError 429.",
	}
	for _, l := range append(sandbox.LimitTable(), notes) {
		if row := limitRow(l); !strings.Contains(string(text), row+"\n") {
			t.Errorf("docs/guide/workspace.md lacks the row\n%s", row)
		}
	}
}

func limitRow(l sandbox.Limit) string {
	value := fmt.Sprint(l.Default, " ", l.Unit)
	switch {
	case l.Unit == "ns":
		value = time.Duration(l.Default).String()
	case l.Unit == "bytes" && l.Default%(1<<20) == 0:
		value = fmt.Sprint(l.Default>>20, " MiB")
	case l.Unit == "bytes":
		value = fmt.Sprint(l.Default>>10, " KiB")
	}
	return fmt.Sprintf("| `%s` | %s | %s |", l.Key, value, l.Meaning)
}
