package hubproc

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/hub/hubtest"
)

// A rule about reads is judged by the page that is read, however the agent names
// it, and whatever reads it: nothing of a page that a rule denies gets out.
func TestReadRulesSeeWhatIsRead(t *testing.T) {
	notes := t.TempDir()
	const canary = "swordfish"
	for name, text := range map[string]string{
		"Secret.md": canary + "\n", "Straße.md": canary + "\n", norm.NFD.String("Café.md"): canary + "\n", "Deep/_index.md": canary + "\n",
		"Deep/In/x.md": canary + "\n", "Open.md": "[[Secret]] plain\n",
	} {
		file := filepath.Join(notes, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = '" + notes + "'\n"
	for _, path := range []string{"Secret.md", "Straße.md", "Café.md", "Deep/**"} {
		text += fmt.Sprintf("\n[[rule]]\ndo = \"deny\"\neffects = [\"read\"]\npath = %q\n", path)
	}
	h, c := openHub(t, text)
	apptest.AwaitSnapshot(t, c, "notes", hasReadySources("notes"))
	site := hubtest.Serve(t, h.hub.MCP().HTTP(), h.hub.MCP().Close)
	id := 0
	ask := func(method, name, params string) string {
		id++
		_, body := site.Do("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s,%s}}`, id, method, params, hubtest.ModernMeta), hubtest.ModernHeaders(method, name)...)
		return body
	}
	quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	call := func(tool, key, value string) string {
		return ask("tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":{%q:%s}`, tool, key, quote(value)))
	}
	if got := call("read_page", "path", "Open.md"); !strings.Contains(got, "plain") {
		t.Fatalf("a page that no rule covers: %s", got)
	}
	probes := 0
	for _, name := range []string{
		"Secret.md", "Secret", "Secret/", "SECRET", "secret.MD", "sEcReT.md", "./Secret", "./Secret.md",
		"Straße.md", "Strasse.md", "Strasse", "STRASSE", "strasse.md", "STRASSE.MD", "Straße",
		"Café.md", "Café", norm.NFD.String("Café"), norm.NFD.String("CAFÉ.md"), "CAFÉ",
		"Deep", "Deep/", "deep", "Deep/_index", "Deep/_index.md", "Deep/In/x", "deep/in/X.md", "DEEP/IN/x",
	} {
		uri := "markdown://notes/" + (&url.URL{Path: name}).EscapedPath()
		for how, got := range map[string]string{
			"read_page":      call("read_page", "path", name),
			"get_page_links": call("get_page_links", "path", name),
			"resources/read": ask("resources/read", uri, `"uri":`+quote(uri)),
			"prompts/get":    ask("prompts/get", "summarise_page", `"name":"summarise_page","arguments":{"path":`+quote(name)+`}`),
			"search below":   ask("tools/call", "search_pages", `"name":"search_pages","arguments":{"query":"swordfish","path":`+quote(name)+`}`),
		} {
			probes++
			if strings.Contains(got, canary+`\n`) || strings.Contains(got, `"matchContext"`) || how == "get_page_links" && strings.Contains(got, `"outgoing"`) {
				t.Errorf("%s of %q passes a rule that denies it: %s", how, name, got)
			}
		}
	}
	got := call("search_pages", "query", canary)
	if strings.Contains(got, `"matchContext"`) || !strings.Contains(got, "policy") {
		t.Errorf("a search shows what a rule denies, or does not say that it leaves it out: %s", got)
	}
	if got := call("search_pages", "query", "plain"); !strings.Contains(got, "Open.md") {
		t.Errorf("a search for what no rule covers: %s", got)
	}
	t.Logf("%d probes", probes)
}
