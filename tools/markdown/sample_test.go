package markdown_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
)

// Every page of the sample vault has a title, and every link leads to a page
// except the one that shows what a broken link is.
func TestSampleVaultLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, markdown.System().Manifest().Sample.Files); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(markdown.Config{Path: tools.Folder(dir)})
	if err != nil {
		t.Fatal(err)
	}
	source, err := markdown.System().Open(t.Context(), config, tools.Env{Name: "welcome", Log: slog.New(slog.DiscardHandler), Now: time.Now, ResourceChanged: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = source.Close() })
	call := func(tool, args string, out any) {
		t.Helper()
		r, err := source.Call(t.Context(), tools.CallContext{}, tool, json.RawMessage(args))
		if err != nil {
			t.Fatalf("%s %s: %v", tool, args, err)
		}
		if err := json.Unmarshal(r.JSON, out); err != nil {
			t.Fatal(err)
		}
	}
	var list markdown.ListPagesOut
	call("list_pages", `{"depth":5}`, &list)
	if len(list.Pages) < 12 || list.Pages[0].Path != "Welcome.md" {
		t.Errorf("%d pages, the first is %s", len(list.Pages), list.Pages[0].Path)
	}
	for _, p := range list.Pages {
		if !strings.HasPrefix(p.PageID, "welcome-") || p.Icon == "" {
			t.Errorf("%s: id %q, icon %q", p.Path, p.PageID, p.Icon)
		}
		var links markdown.GetPageLinksOut
		call("get_page_links", `{"path":"`+p.Path+`"}`, &links)
		if len(links.Incoming) == 0 {
			t.Errorf("%s: no page links to it", p.Path)
		}
		for _, l := range links.Outgoing {
			if meant := l.Title == "A page that is not there"; (l.Status == "broken") != meant || l.Status == "ambiguous" {
				t.Errorf("%s line %d: the link to %q is %s", p.Path, l.Line, l.Title, l.Status)
			}
		}
	}
}
