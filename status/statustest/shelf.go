package statustest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// RunShelf checks that a Shelf which asks a Fake keeps the promises of
// status.Shelf; wrap is as in [Run].
func RunShelf(t *testing.T, wrap func(*testing.T, *Fake) status.Browser) {
	t.Helper()
	for _, c := range []struct {
		name  string
		check func(*testing.T, *Fake, status.Browser)
	}{
		{"pages arrive whole and in order", checkPages},
		{"a page arrives whole", checkPage},
		{"a page may be as long as it is allowed to be", checkLongPage},
		{"a search arrives whole", checkSearch},
		{"refusals of a shelf keep their code", checkShelfRefusals},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := new(Fake)
			c.check(t, f, wrap(t, f))
		})
	}
}

func checkPages(t *testing.T, f *Fake, s status.Browser) {
	none, err := s.Pages(soon(t), "notes")
	if err != nil {
		t.Fatalf("pages: %v", err)
	}
	if got := closes(t, none); len(got) != 0 {
		t.Errorf("an empty source has the pages %v", got)
	}
	written := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var want []status.PageList
	for i := range 40 {
		want = append(want, status.PageList{Total: 40, Pages: []status.Page{{Name: fmt.Sprintf("Grüße/%d <&>", i), Size: int64(i), Modified: written}}})
	}
	f.SetPages(want...)
	ch, err := s.Pages(soon(t), "notes")
	if err != nil {
		t.Fatalf("pages: %v", err)
	}
	if diff := cmp.Diff(want, closes(t, ch)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Asked{What: "pages", Source: "notes"}, f.Asked()[1]); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func checkPage(t *testing.T, f *Fake, s status.Browser) {
	want := status.PageText{Text: "# A\r\n\x1b[31m\u202e\n", MIME: "text/markdown", Size: 7 << 20}
	f.SetPage(want)
	got, err := s.Page(soon(t), "notes", "会議/A b.md")
	if err != nil {
		t.Fatalf("page: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Asked{{What: "page", Source: "notes", Name: "会議/A b.md"}}, f.Asked()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// checkLongPage sends what grows most on the way.
func checkLongPage(t *testing.T, f *Fake, s status.Browser) {
	want := status.PageText{Text: strings.Repeat("\x01", status.PageMost), MIME: "text/plain", Size: status.PageMost}
	f.SetPage(want)
	got, err := s.Page(soon(t), "notes", "long")
	if err != nil || got != want {
		t.Errorf("a page of %d bytes: %d, %v", len(want.Text), len(got.Text), err)
	}
}

func checkSearch(t *testing.T, f *Fake, s status.Browser) {
	want := status.Search{
		Tool: "search_pages", Args: json.RawMessage(`{"query":"a <b>"}`), Bytes: 812,
		Hits: []status.Hit{{Page: "A.md", Line: 3, Text: "x & y"}, {Text: "nowhere"}},
	}
	f.SetSearch(want)
	got, err := s.Search(soon(t), "notes", "a <b>")
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	var query struct{ Query string }
	if err := json.Unmarshal(got.Args, &query); err != nil || query.Query != "a <b>" {
		t.Errorf("arguments %s: %v", got.Args, err)
	}
	got.Args = want.Args
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("search (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Asked{{What: "search", Source: "notes", Name: "a <b>"}}, f.Asked()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func checkShelfRefusals(t *testing.T, f *Fake, s status.Browser) {
	want := &status.CallError{Code: "denied", Msg: "not yours", Hint: "Ask the user."}
	f.SetErr(want)
	_, pages := s.Pages(soon(t), "notes")
	_, page := s.Page(soon(t), "notes", "A")
	_, search := s.Search(soon(t), "notes", "a")
	for what, err := range map[string]error{"pages": pages, "page": page, "search": search} {
		got, ok := errors.AsType[*status.CallError](err)
		if !ok {
			t.Errorf("%s: %v, want a CallError", what, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}
