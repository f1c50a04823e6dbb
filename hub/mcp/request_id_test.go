package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/mcp"
)

// Ids and progress tokens come back byte for byte, whatever answers.
func TestIDsComeBackAsTheyCame(t *testing.T) {
	c := connect(t, start(t, mcp.Limits{}, deskSource("notes")), "")
	c.Initialize()
	for _, id := range []string{
		`"\ud800"`, `"a\udc00b"`, `"\u0041"`, `"<&>"`, `"` + "\u2028" + `"`, `""`, `"` + "\xff" + `"`, `"` + strings.Repeat("x", 300) + `"`,
		`1e3`, `1E+2`, `-0`, `1.0`, `1.5`, `9007199254740993`, `12345678901234567890123`, `-123456789e200`,
	} {
		for _, method := range []string{"ping", "tools/list", "prompts/get", "none", "tools/call"} {
			c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{"name":"say","arguments":{"text":"a"}}}`, id, method))
			if f := c.Recv(); !strings.Contains(f.Raw, `"id":`+id+`,`) || method == "ping" && f.Error != nil {
				t.Errorf("%.20s, %s: %.200s", id, method, f.Raw)
			}
		}
	}
	for _, token := range []string{`"\ud800"`, `"\u0041"`, `1e3`, `-0`, `1.0`, `9007199254740993`, `12345678901234567890123`} {
		c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"count":1},"_meta":{"progressToken":%s}}}`, token))
		if f := c.Recv(); f.Method != "notifications/progress" || !strings.Contains(f.Raw, `"progressToken":`+token+`,`) {
			t.Errorf("%s: %s", token, f.Raw)
		}
		for f := c.Recv(); f.ID == nil; f = c.Recv() {
		}
	}
}
