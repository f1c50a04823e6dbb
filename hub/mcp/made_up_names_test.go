package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/safetext"
)

// What an agent makes up is said again as far as a reader needs it, and no
// further; an ordinary name is whole.
func TestMadeUpNamesAreCut(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	c := connect(t, h, "")
	c.Initialize()
	web := serveHTTP(t, h)
	session := web.Initialize("/mcp")
	for method, params := range map[string]string{
		"tools/call":     `{"name":%q,"arguments":{}}`,
		"prompts/get":    `{"name":%q}`,
		"resources/read": `{"uri":%q}`,
	} {
		for _, name := range []string{"desk://notes/a<b", "x" + strings.Repeat("ä<", 100_000)} {
			f := c.Ask(method, fmt.Sprintf(params, name))
			if f.Error == nil || !strings.Contains(f.Error.Message, safetext.Shorten(name, mcp.MaxNameBytes)) || len(f.Raw) > 1500 {
				t.Errorf("%s of %.20s… is answered with %d bytes: %.300s", method, name, len(f.Raw), f.Raw)
			}
			_, body := web.Do("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, fmt.Sprintf(params, name)), "Mcp-Session-Id", session)
			if !strings.Contains(body, `"error"`) || len(body) > 1500 {
				t.Errorf("over HTTP %s of %.20s… is answered with %d bytes: %.300s", method, name, len(body), body)
			}
		}
	}
	f := c.Ask("tools/call", fmt.Sprintf(`{"name":"say","arguments":{%q:1}}`, strings.Repeat("n", 1<<20)))
	if len(f.Raw) > 3000 {
		t.Errorf("an unknown argument is answered with %d bytes", len(f.Raw))
	}
}
