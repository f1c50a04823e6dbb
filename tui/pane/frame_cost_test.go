package pane

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/prose"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// full are panes with as much in them as there may be.
func full() map[string]Pane {
	k, now := DefaultKeys(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s := status.Snapshot{Time: now, Hub: status.Hub{Component: status.Component{State: status.Ready}}}
	for i := range 500 {
		s.Sources = append(s.Sources, status.Source{
			Component: status.Component{Name: fmt.Sprintf("source-%d", i), State: status.Ready}, Kind: "markdown", Location: "/home/ada/notes", Effects: []string{"read"},
		})
	}
	for i := range 500 {
		s.Sessions = append(s.Sessions, status.Session{Component: status.Component{State: status.Ready}, Client: fmt.Sprintf("client-%d", i), Calls: 9, LastCall: now})
		s.Installations = append(s.Installations, status.Installation{ID: fmt.Sprintf("client/%d", i), Title: fmt.Sprintf("Client %d", i), State: status.Ready})
	}
	calls := make([]status.Call, maxCalls)
	for i := range calls {
		calls[i] = status.Call{
			Seq: uint64(i + 1), Time: now.Add(time.Duration(i-len(calls)) * 30 * time.Millisecond), Client: fmt.Sprintf("client-%d", i%50), Source: "notes",
			Tool: fmt.Sprintf("tool_%d", i%80), Effect: "read", Duration: time.Duration(i) * time.Microsecond, ResponseBytes: i,
		}
	}
	changes := status.Changes{Diffs: map[string]string{"0": strings.Repeat("+a line of what was written\n", 20_000)}}
	for i := range 10_000 {
		changes.Changes = append(changes.Changes, status.Change{ID: fmt.Sprint(i), Session: fmt.Sprint(i % 500), Target: "Journal/2026-11-21", Action: "update", Time: now})
	}
	var tools []status.Tool
	for i := range 500 {
		tools = append(tools, status.Tool{Name: fmt.Sprintf("tool_%d", i), Effect: "read", Bytes: 900, Schema: json.RawMessage(`{"properties":{"a":{"type":"string"}}}`)})
	}
	pages := status.PageList{Total: 100_000}
	for i := range pages.Total {
		pages.Pages = append(pages.Pages, status.Page{Name: fmt.Sprintf("Projects/%d/A page with a name %d.md", i%97, i), Size: int64(i), Modified: now})
	}
	text := strings.Repeat("# A page\n\nwith *some* text, `code` and 日本語\n\n", 5000)
	rows, err := prose.Markdown(context.Background(), text, 66)
	if err != nil {
		panic(err)
	}
	all := map[string]Pane{}
	for _, kind := range All() {
		all[kind.Name] = kind.New(k, time.UTC)
	}
	for _, name := range []string{"Pages", "Pages filtered", "Page", "Page with links"} {
		all[name] = NewSources(k, time.UTC)
	}
	for name, p := range all {
		p = p.SetSnapshot(s)
		if sized, ok := p.(Resizer); ok {
			p = sized.Resize(140, 43)
		}
		if strings.HasPrefix(name, "Page") {
			p = p.(Sources).openSourceBrowser(false)
		}
		if w, ok := p.(CallObserver); ok {
			p = w.ObserveCalls(calls)
		}
		for l, ok := p.(Querier); ok && l.WantedQuery() != nil; l, ok = p.(Querier) {
			f := Result{Query: l.WantedQuery(), Changes: changes, Tools: tools, Pages: pages, Page: status.PageText{Text: text, MIME: "text/markdown", Size: int64(len(text))}, Rows: rows}
			for i := range 200 {
				f.Settings = append(f.Settings, status.Setting{Key: fmt.Sprintf("key.%d", i), Description: "what it means", Default: "1"})
			}
			p = l.TakeResult(f)
		}
		all[name] = p
	}
	filtered := all["Pages filtered"].(Sources)
	b := *filtered.browse
	b.list = b.list.withFilter(widget.NewFilterInput("page with a name 9"))
	all["Pages filtered"] = filtered.withSourceBrowser(b).TakeResult(Result{Query: filtered.withSourceBrowser(b).WantedQuery(), Rows: rows})
	var links status.PageLinks
	for i := range 200 {
		links.Out = append(links.Out, status.PageLink{Page: fmt.Sprintf("Projects/%d/Another page.md", i), Line: i + 1})
		links.In = append(links.In, status.PageLink{Page: fmt.Sprintf("Journal/%d/A day.md", i), Line: i + 1})
	}
	all["Page"] = openFirstPage(all["Page"].(Sources), Result{Rows: rows})
	all["Page with links"] = openFirstPage(all["Page with links"].(Sources), Result{Rows: rows, Links: links})
	return all
}

// openFirstPage unfolds folders down to a page, opens it, and scrolls.
func openFirstPage(s Sources, r Result) Pane {
	b := *s.browse
	for ; !b.page.open; b.list.cursor++ {
		b, _ = b.openSelected()
	}
	p := Pane(s.withSourceBrowser(b))
	for s := p.(Sources); s.WantedQuery() != nil; s = p.(Sources) {
		r.Query = s.WantedQuery()
		p = s.TakeResult(r)
	}
	b = *p.(Sources).browse
	b.page.top = 7000
	return p.(Sources).withSourceBrowser(b)
}

// BenchmarkFrame draws one screen of each pane.
func BenchmarkFrame(b *testing.B) {
	for name, p := range full() {
		b.Run(name, func(b *testing.B) {
			t := theme.New(theme.Mode{Dark: true})
			b.ReportAllocs()
			for b.Loop() {
				_ = p.View(t, 140, 43)
			}
		})
	}
}

// BenchmarkCalls takes a batch of calls into a full Activity.
func BenchmarkCalls(b *testing.B) {
	p := full()[ActivityPane].(CallObserver)
	calls := make([]status.Call, 100)
	b.ReportAllocs()
	for b.Loop() {
		p = p.ObserveCalls(calls).(CallObserver)
	}
}

// TestFullPanesLearnAndRest: what a pane has learnt it does not want again.
func TestFullPanesLearnAndRest(t *testing.T) {
	for name, p := range full() {
		if l, ok := p.(Querier); ok && l.WantedQuery() != nil {
			t.Errorf("%s still wants %v", name, l.WantedQuery())
		}
	}
}

// BenchmarkPageFilter types a letter into the filter of 100,000 pages.
func BenchmarkPageFilter(b *testing.B) {
	list := full()["Pages"].(Sources).browse.list
	b.ReportAllocs()
	for b.Loop() {
		_ = list.withFilter(widget.NewFilterInput("e 9"))
	}
}
