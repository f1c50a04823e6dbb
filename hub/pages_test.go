package hub_test

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A book is a Source of many pages.
type pagedSource struct{ pages int }

func (b *pagedSource) Close() error                { return nil }
func (b *pagedSource) Check(context.Context) error { return nil }

func (b *pagedSource) list(context.Context) ([]tools.PageInfo, error) {
	all := make([]tools.PageInfo, 0, b.pages)
	for i := range b.pages {
		all = append(all, tools.PageInfo{Name: fmt.Sprintf("Private/%d", i), Size: int64(i)})
	}
	return all, nil
}

func (b *pagedSource) page(_ context.Context, name string) (tools.PageText, error) {
	if !strings.HasPrefix(name, "Private/") {
		return tools.PageText{}, tools.Errorf(tools.NotFound, "no page %s", name)
	}
	return tools.PageText{Text: strings.Repeat("ä", status.MaxPageBytes), MIME: "text/plain"}, nil
}

type (
	findIn struct {
		Query string `json:"query" jsonschema:"words"`
	}
	findOut struct {
		Found []string `json:"found" jsonschema:"pages"`
	}
)

func (b *pagedSource) Find(_ context.Context, in findIn) (findOut, error) {
	return findOut{[]string{in.Query}}, nil
}

func startPaged(t *testing.T, pages int, rules []policy.Rule, effects ...tools.Effect) (*hub.Hub, *hubtest.Log) {
	t.Helper()
	system := tools.System[*pagedSource, struct{}]{
		Name: "book", Title: "Book", Doc: "For tests.",
		Open:  func(context.Context, struct{}, tools.Env) (*pagedSource, error) { return &pagedSource{pages}, nil },
		Pages: &tools.Pages[*pagedSource]{List: tools.AllPages((*pagedSource).list), Read: (*pagedSource).page},
		Tools: []tools.Tool[*pagedSource]{tools.Define(tools.Spec[findIn, findOut]{
			Name: "seek", Title: "Seek", Doc: "Seeks.", Effect: tools.Reads,
			Hits: func(out findOut) []tools.Hit { return []tools.Hit{{Page: out.Found[0], Line: 3, Text: "x"}} },
		}, (*pagedSource).Find)},
	}
	return startSystem(t, tools.Erase(system), rules, effects...)
}

func startSystem(t testing.TB, system tools.Kind, rules []policy.Rule, effects ...tools.Effect) (*hub.Hub, *hubtest.Log) {
	t.Helper()
	log := &hubtest.Log{}
	h := hub.New(hub.Config{
		Systems: []tools.Kind{system}, Sources: []hub.Source{{Name: "notes", Kind: "book", Effects: effects}, {Name: "odd", Kind: "odd"}}, Now: time.Now,
		Version: "1", Skill: "1", State: hubtest.NewFakeSnapshotStore(), Log: slog.New(slog.NewTextHandler(log, nil)), Policy: policy.New(nil, rules),
	})
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h, log
}

// TestShelf: a person looks through a source page by page and with its search.
func TestShelf(t *testing.T) {
	h, log := startPaged(t, 5000, nil)
	lists, pages, filter := 0, []status.Page{}, status.PageFilter{Source: "notes"}
	for {
		l, err := h.PersonAPI().Pages(t.Context(), filter)
		if err != nil || l.Total != 5000 {
			t.Fatalf("a list says that there are %d pages: %v", l.Total, err)
		}
		lists, pages = lists+1, append(pages, l.Pages...)
		if filter.After = l.Next; l.Next == "" {
			break
		}
	}
	l, err := h.PersonAPI().Pages(t.Context(), status.PageFilter{Source: "notes", Match: "VATE/49", Limit: 1 << 20})
	if err != nil || l.Total != 111 || len(l.Pages) != 111 || l.Pages[0].Name != "Private/49" {
		t.Errorf("%d of %d pages match: %v", len(l.Pages), l.Total, err)
	}
	if len(pages) != 5000 || pages[4999] != (status.Page{Name: "Private/4999", Size: 4999}) || lists < 5 || lists > 50 {
		t.Errorf("%d pages in %d lists", len(pages), lists)
	}
	p, err := h.PersonAPI().Page(t.Context(), "notes", "Private/1")
	if err != nil || len(p.Text) != status.MaxPageBytes || p.Size != 2*status.MaxPageBytes || p.MIME != "text/plain" {
		t.Errorf("a long page: %d of %d bytes, %s, %v", len(p.Text), p.Size, p.MIME, err)
	}
	found, err := h.PersonAPI().Search(t.Context(), "notes", `a "b"`)
	want := status.Search{Tool: "seek", Args: []byte(`{"query":"a \"b\""}`), Bytes: 21, Hits: []status.Hit{{Page: `a "b"`, Line: 3, Text: "x"}}}
	if err != nil || cmp.Diff(want, found) != "" {
		t.Errorf("search: %v\n%s", err, cmp.Diff(want, found))
	}
	h.Calls().Flush()
	if !strings.Contains(log.String(), "tool=seek") {
		t.Errorf("the search left no trace:\n%s", log)
	}
	for what, err := range map[string]error{
		"not_found no page":   second(h.PersonAPI().Page(t.Context(), "notes", "nothing")),
		"not_found no source": second(h.PersonAPI().Pages(t.Context(), status.PageFilter{Source: "nowhere"})),
		"unavailable":         second(h.PersonAPI().Search(t.Context(), "odd", "a")),
	} {
		code, words, _ := strings.Cut(what, " ")
		if e := tools.AsError(err); e == nil || string(e.Code) != code || !strings.Contains(e.Message, words) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestBrowserIsAnAgents: what agents may not read, the person who looks as one
// does not see either.
func TestBrowserIsAnAgents(t *testing.T) {
	denied := func(err error) bool { e := tools.AsError(err); return e != nil && e.Code == tools.Denied }
	h, _ := startPaged(t, 1, nil, tools.Writes)
	for what, err := range map[string]error{
		"pages": second(h.PersonAPI().Pages(t.Context(), status.PageFilter{Source: "notes"})), "page": second(h.PersonAPI().Page(t.Context(), "notes", "Private/0")), "search": second(h.PersonAPI().Search(t.Context(), "notes", "a")),
	} {
		if !denied(err) {
			t.Errorf("%s without the grant: %v", what, err)
		}
	}
	h, _ = startPaged(t, 1, []policy.Rule{{Do: policy.Deny, Path: "Private/**"}})
	if _, err := h.PersonAPI().Pages(t.Context(), status.PageFilter{Source: "notes"}); err != nil {
		t.Errorf("pages with a rule for one: %v", err)
	}
	if _, err := h.PersonAPI().Page(t.Context(), "notes", "Private/0"); !denied(err) {
		t.Errorf("a page that a rule denies: %v", err)
	}
}

// million lists a million pages by their numbers, as a database would.
func (b *pagedSource) million(_ context.Context, q tools.PageQuery) (tools.PageList, error) {
	const all = 1_000_000
	list, i := tools.PageList{}, 0
	if q.After != "" {
		i, _ = strconv.Atoi(q.After)
	}
	for ; i < all && len(list.Pages) < q.Limit; i++ {
		if name := fmt.Sprintf("Page %07d", i); strings.Contains(name, q.Match) {
			list.Pages = append(list.Pages, tools.PageInfo{Name: name})
		}
	}
	if i < all {
		list.Next = strconv.Itoa(i)
	}
	return list, nil
}

// BenchmarkMillionPages lists pages at the beginning, in the middle and at the end
// of a source of a million: each list within 5 ms.
func BenchmarkMillionPages(b *testing.B) {
	h, _ := startSystem(b, tools.Erase(tools.System[*pagedSource, struct{}]{
		Name: "book", Title: "Book", Doc: "For benchmarks.",
		Open:  func(context.Context, struct{}, tools.Env) (*pagedSource, error) { return &pagedSource{}, nil },
		Pages: &tools.Pages[*pagedSource]{List: (*pagedSource).million, Read: (*pagedSource).page},
	}), nil)
	for name, filter := range map[string]status.PageFilter{
		"first": {}, "middle": {After: "500000"}, "last": {After: "999500"}, "match": {Match: "7"},
	} {
		filter.Source = "notes"
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if l, err := h.PersonAPI().Pages(b.Context(), filter); err != nil || len(l.Pages) != 500 {
					b.Fatalf("%d pages, %v", len(l.Pages), err)
				}
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }
