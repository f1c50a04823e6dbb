package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/tools"
)

// What a resource is refused for is told with the code and the words of a tool's answer, and
// only what the log explains is internal.
func TestErrorsOfReads(t *testing.T) {
	c := connect(t, start(t, mcp.Limits{}, deskSource("notes")), "")
	c.Initialize()
	for _, code := range tools.Codes() {
		uri := "desk://notes/pages/" + string(code)
		f := c.Ask("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
		if f.Error == nil || (f.Error.Code == -32603) != (code == tools.Internal) {
			t.Errorf("%s: %s", code, f.Raw)
			continue
		}
		told, _ := f.Error.Data["error"].(string)
		said := code == tools.Internal || strings.Contains(told, string(code)) && strings.HasPrefix(f.Error.Message, told)
		if f.Error.Data["code"] == nil || f.Error.Data["uri"] != uri || !said {
			t.Errorf("%s: %s", code, f.Raw)
		}
	}
}
