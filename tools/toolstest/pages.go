package toolstest

import (
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools"
)

// pageMost is how much of a page the suite reads, in bytes.
const pageMost = 64 << 10

// pages looks through a source as a person does: every page that is listed,
// and some that are not there.
func pages(s *suite) {
	s.Helper()
	src := s.open("one")
	before := src.Digest()
	listed := s.listed(src.OpenedSource)
	for _, p := range listed {
		text, err := src.Page(s.ctx(), p.Name, pageMost)
		switch {
		case err != nil:
			s.Errorf("page %s is listed and not there: %v", clip(p.Name, 80), err)
		case text.MIME == "":
			s.Errorf("page %s: no MIME type", clip(p.Name, 80))
		case len(text.Text) > pageMost || text.Size < int64(len(text.Text)):
			s.Errorf("page %s: %d bytes of %d, where at most %d were wanted", clip(p.Name, 80), len(text.Text), text.Size, pageMost)
		}
		if cut, err := src.Page(s.ctx(), p.Name, 3); err == nil && (len(cut.Text) > 3 || utf8.ValidString(text.Text) && !utf8.ValidString(cut.Text)) {
			s.Errorf("page %s, cut to 3 bytes: %q", clip(p.Name, 80), cut.Text)
		}
	}
	for _, text := range texts() {
		s.readable("page "+clip(text, 80), func() error {
			_, err := src.Page(s.ctx(), text, pageMost)
			return err
		})
	}
	if src.Digest() != before {
		s.Errorf("looking through the pages changed the data")
	}
}

// listed are the pages of a source, none where its System has none to look
// through.
func (s *suite) listed(o *tools.OpenedSource) []tools.PageInfo {
	s.Helper()
	listed, err := o.Pages(s.ctx())
	if err != nil && tools.AsError(err).Code != tools.NotFound {
		s.Errorf("list pages: %v", err)
	}
	seen := map[string]bool{}
	for _, p := range listed {
		if p.Name == "" || seen[p.Name] {
			s.Errorf("page %q is listed twice, or has no name", clip(p.Name, 80))
		}
		seen[p.Name] = true
	}
	return listed
}

// searches calls what says that it searches with a query alone, and looks
// whether the pages that it finds are there.
func searches(s *suite) {
	s.Helper()
	t, ok := s.manifest.Search()
	if !ok {
		s.tb.Skipf("%s has no search", s.manifest.Name)
	}
	src := s.open("one")
	queries := []string{"a", "e"}
	for _, x := range t.Examples {
		if query, ok := object(x.In)["query"].(string); ok {
			queries = append(queries, query)
		}
	}
	found := 0
	for _, query := range queries {
		args, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			s.Fatalf("marshal query: %v", err)
		}
		got := s.call(s.ctx(), src.OpenedSource, t, args)
		if got.err != nil {
			s.Errorf("%s: %v", describe(t, args), got)
			continue
		}
		hits, err := t.Hits(got.result.JSON)
		if err != nil {
			s.Errorf("%s: hits of its answer: %v", describe(t, args), err)
		}
		for _, h := range hits {
			if found++; h.Page == "" {
				continue
			}
			if _, err := src.Page(s.ctx(), h.Page, pageMost); err != nil {
				s.Errorf("%s found page %s, which cannot be read: %v", describe(t, args), clip(h.Page, 80), err)
			}
		}
	}
	if found == 0 {
		s.Errorf("%s found nothing for any of %q", t.Name, queries)
	}
}

// readsPages looks through the pages of two worlds. When they were written
// differs from place to place and is left out.
func (s *suite) readsPages(ask asking, words []string) {
	s.Helper()
	ask("list pages", func(w *worldly) any {
		listed, err := w.Pages(s.ctx())
		for i := range listed {
			listed[i].Modified = time.Time{}
		}
		return []any{listed, s.told(err)}
	})
	for _, word := range words {
		ask("page "+word, func(w *worldly) any {
			text, err := w.Page(s.ctx(), word, pageMost)
			return []any{text, s.told(err)}
		})
	}
}
