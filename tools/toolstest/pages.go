package toolstest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// checkPages browses a source as a person does: every listed page, and some
// that do not exist.
func checkPages(s *suite) {
	s.Helper()
	src := s.open("one")
	before := src.Digest()
	listed := s.listPages(src.OpenedSource)
	for _, p := range listed {
		text, err := src.Page(s.ctx(), p.Name)
		switch {
		case err != nil:
			s.Errorf("page %s is listed but does not exist: %v", abbreviate(p.Name, 80), err)
		case text.MIME == "":
			s.Errorf("page %s: no MIME type", abbreviate(p.Name, 80))
		}
		checkPageLinks(s, src.OpenedSource, p.Name)
	}
	for _, text := range hostileTexts() {
		s.checkReadableError("page "+abbreviate(text, 80), func() error {
			_, err := src.Page(s.ctx(), text)
			_, linksErr := src.PageLinks(s.ctx(), text, 10)
			_, fileErr := src.PageFile(s.ctx(), text)
			if err != nil && (linksErr == nil || fileErr == nil) {
				s.Errorf("page %s does not exist but has links or a file: %v, %v", abbreviate(text, 80), linksErr, fileErr)
			}
			return err
		})
	}
	if src.Digest() != before {
		s.Errorf("browsing the pages changed the data")
	}
}

// checkPageLinks follows the links of a page, and looks at its file.
func checkPageLinks(s *suite, o *tools.OpenedSource, name string) {
	s.Helper()
	links, err := o.PageLinks(s.ctx(), name, 100)
	if err != nil && tools.AsError(err).Code != tools.NotFound {
		s.Errorf("links of page %s: %v", abbreviate(name, 80), err)
	}
	for _, l := range slices.Concat(links.Out, links.In) {
		if l.Page == "" && l.Text == "" {
			s.Errorf("page %s: a link says neither its page nor its text", abbreviate(name, 80))
		}
		if _, err := o.Page(s.ctx(), l.Page); l.Page != "" && err != nil {
			s.Errorf("page %s links page %s, which cannot be read: %v", abbreviate(name, 80), abbreviate(l.Page, 80), err)
		}
	}
	file, err := o.PageFile(s.ctx(), name)
	if err != nil {
		return // pages of this System are no files
	}
	if info, err := os.Stat(file); err != nil || !filepath.IsAbs(file) || !info.Mode().IsRegular() {
		s.Errorf("page %s: its file is %s: %v", abbreviate(name, 80), file, err)
	}
}

// listPages returns the pages of a source; none if its System declares no
// Pages.
func (s *suite) listPages(o *tools.OpenedSource) []tools.PageInfo {
	s.Helper()
	var listed []tools.PageInfo
	for q := (tools.PageQuery{Limit: 7}); ; {
		list, err := o.Pages(s.ctx(), q)
		if err != nil && tools.AsError(err).Code != tools.NotFound {
			s.Errorf("list pages after %q: %v", abbreviate(q.After, 80), err)
		}
		if len(list.Pages) > q.Limit || list.Next != "" && len(list.Pages) == 0 {
			s.Errorf("a list of at most %d pages has %d, and goes on after %q", q.Limit, len(list.Pages), abbreviate(list.Next, 80))
			break
		}
		listed = append(listed, list.Pages...)
		if q.After = list.Next; q.After == "" {
			break
		}
	}
	seen := map[string]bool{}
	for _, p := range listed {
		if p.Name == "" || seen[p.Name] {
			s.Errorf("page %q is listed twice, or has no name", abbreviate(p.Name, 80))
		}
		seen[p.Name] = true
	}
	return listed
}

// checkSearch calls the search of a System and checks that the pages in its
// results can be read.
func checkSearch(s *suite) {
	s.Helper()
	t, ok := s.manifest.SearchTool()
	if !ok {
		s.tb.Skipf("%s has no search", s.manifest.Name)
	}
	src := s.open("one")
	queries := []string{"a", "e"}
	for _, x := range t.Examples {
		if query, ok := decodeObject(x.In)["query"].(string); ok {
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
			s.Errorf("%s: %v", describeCall(t, args), got)
			continue
		}
		hits, err := t.Hits(got.result.JSON)
		if err != nil {
			s.Errorf("%s: hits of its answer: %v", describeCall(t, args), err)
		}
		for _, h := range hits {
			if found++; h.Page == "" {
				continue
			}
			if _, err := src.Page(s.ctx(), h.Page); err != nil {
				s.Errorf("%s found page %s, which cannot be read: %v", describeCall(t, args), abbreviate(h.Page, 80), err)
			}
		}
	}
	if found == 0 {
		s.Errorf("%s found nothing for any of %q", t.Name, queries)
	}
}

// comparePages compares the pages of two worlds, without their times.
func (s *suite) comparePages(ask compareFunc, words []string) {
	s.Helper()
	ask("list pages", func(w *observedSource) any {
		listed, err := w.Pages(s.ctx(), tools.PageQuery{Limit: tools.MaxPageList})
		for i := range listed.Pages {
			listed.Pages[i].Modified = time.Time{}
		}
		return []any{listed, s.errorJSON(err)}
	})
	for _, word := range words {
		ask("page "+word, func(w *observedSource) any {
			text, err := w.Page(s.ctx(), word)
			links, linksErr := w.PageLinks(s.ctx(), word, 100)
			_, fileErr := w.PageFile(s.ctx(), word)
			return []any{text, s.errorJSON(err), links, s.errorJSON(linksErr), s.errorJSON(fileErr)}
		})
	}
}
