package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// TestBrowserReads: a person looks through a source, page by page.
func TestBrowserReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, crowded(), filledQueries(), 80, 24)
		r.press("@Sources/welcome", "enter")
		r.shows("Pages of welcome", "as agents see it", "42 pages · 20.1 MB · newest 12:00", "Ideas.md")
		r.press("j", "enter")
		r.shows("Journal/2026-11-21.md", "rendered", "# 会議の記録")
		r.hides("Ideas.md")
		r.press("G")
		r.shows("The page has 5120 KB")
		r.press("k", "g")
		r.shows("title: Alpha")
		r.press("z")
		r.shows("source", "A *first* paragraph")
		r.press("c", "s")
		if len(r.copied) != 1 || r.copied[0] != r.queries.pages.page.Text || r.saved["page-welcome.md"] != r.copied[0] {
			t.Errorf("copied %q, saved %q", r.copied, r.saved)
		}
		r.shows("the first 1.1 KB of Journal/2026-11-21.md")
		r.press("esc", "esc")
		r.shows("agents can")
		if d := cmp.Diff([]string{"welcome", "welcome Journal/2026-11-21.md", "welcome Journal/2026-11-21.md"}, r.queries.pages.read); d != "" {
			t.Errorf("read (-want +got):\n%s", d)
		}
	})
}

// TestBrowserFilters: typing narrows the list, and going back widens it.
func TestBrowserFilters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, crowded(), filledQueries(), 80, 24)
		r.press("@Sources/welcome", "b", "/", "PAGE 1")
		r.shows("No pages match the filter.")
		r.press("backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "page 1")
		r.shows("(10 of 42)", "Page 10.md", "Page 19.md")
		r.hides("Ideas.md")
		r.press("9", "backspace")
		r.shows("(10 of 42)")
		r.press("backspace", "1", "down", "enter", "R")
		r.shows("(10 of 42)", "Page 10.md")
		r.press("enter")
		if got := r.queries.pages.read; !strings.HasSuffix(got[len(got)-1], "Sub/Page 11.md") {
			t.Errorf("read %q", got)
		}
		r.press("esc", "esc")
		r.shows("Ideas.md")
		r.hides("(10 of 42)")
	})
}

// TestBrowserGoesOn: a page beside which the cursor has gone on is given up,
// and never shown for another.
func TestBrowserGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filledQueries()
		c.pages.hold = make(chan struct{})
		r := newTestPanelWith(t, crowded(), c, 140, 45)
		r.press("@Sources/welcome", "b", "j", "j", "k", "k")
		r.shows("Loading …")
		want := []string{"welcome", "welcome Ideas.md", "welcome Journal/2026-11-21.md", "welcome 会議/日本語の長い名前のページ.md", "welcome Journal/2026-11-21.md", "welcome Ideas.md"}
		if d := cmp.Diff(want, c.pages.read); d != "" {
			t.Errorf("read (-want +got):\n%s", d)
		}
		for _, k := range "jk" { // so fast that what is given up answers last
			r.update(tea.KeyPressMsg{Code: k, Text: string(k)})
		}
		r.settle()
		if c.pages.left != 6 {
			t.Errorf("%d of 6 pages that the cursor has left are given up", c.pages.left)
		}
		r.shows("Ideas.md ─", "Loading …")
		r.hides("context canceled")
		close(c.pages.hold)
		r.settle()
		r.shows("# 会議の記録")
		n := len(c.pages.read)
		r.press("x") // means nothing here
		if len(c.pages.read) != n {
			t.Errorf("a page that is there was read again: %q", c.pages.read[n:])
		}
		r.send(tea.WindowSizeMsg{Width: 110, Height: 45})
		if got := c.pages.read; len(got) != n+1 || got[n] != "welcome Ideas.md" {
			t.Errorf("another width: read %q", got[n:])
		}
	})
}

// TestBrowserSearches: a person sees the call that an agent would make, and
// what comes of it.
func TestBrowserSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, crowded(), filledQueries(), 80, 24)
		r.press("@Sources/notes", "S", "esc")
		r.shows("Pages of notes")
		r.press("S", "diagram", "enter")
		r.shows(`search_pages {"query":"diagram"}`, "3 matches · 1.2 KB, about 301 tokens", "Projects/Alpha.md:11")
		r.press("enter")
		r.shows("Projects/Alpha.md ─", "The architecture diagram is below.")
		r.press("esc", "G", "enter")
		r.shows("There is no page to open.")
		r.press("S", "x", "enter")
		if got := r.queries.pages.read; !slices.Equal(got, []string{"notes", "notes diagram", "notes Projects/Alpha.md", "notes diagramx"}) {
			t.Errorf("read %q", got)
		}
		r.queries.fail(&status.CallError{Code: "denied", Msg: "not yours", Hint: "Ask for it."})
		r.press("S", "enter")
		r.shows("not yours", "Ask for it.")
		r.press("esc", "esc")
		r.shows("agents can")
	})
}

// TestBrowserAndTheHub: what is cut off is said, another hub is asked again, and
// a source that is gone takes its browser along.
func TestBrowserAndTheHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filledQueries()
		whole := c.pages.pages
		c.pages.pages = whole[:1]
		r := newTestPanelWith(t, crowded(), c, 80, 24)
		r.press("@Sources/welcome", "b")
		r.shows("connection to the hub lost")
		c.pages.pages = whole
		s := crowded()
		s.Hub.PID++
		r.hub.Set(s)
		r.settle()
		r.shows("42 pages")
		r.hides("went away")
		r.queries.fail(errors.New("the disk is on fire"))
		r.press("R")
		r.shows("the disk is on fire")
		s.Sources = s.Sources[1:]
		r.hub.Set(s)
		r.settle()
		r.hides("disk is on fire")
		r.shows("agents can")
	})
}

// TestBrowserSpoken: who hears the panel is told a page in plain lines, and not
// a page beside every name.
func TestBrowserSpoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := []string{}
		r := newTestPanelWith(t, crowded(), filledQueries(), 80, 24)
		r.m.fx.cancel()
		s := NewScreenReader(r.m.cfg, func(line string) { said = append(said, line) })
		r.m = s.m
		r.run(r.m.Init())
		r.settle()
		r.press("@Sources/welcome", "b")
		s.m = r.m
		s = s.read()
		if got := strings.Join(said, "\n"); !strings.Contains(got, "Selected: Ideas.md") || strings.Contains(got, "会議の記録") {
			t.Errorf("the list:\n%s", got)
		}
		said = nil
		r.press("enter")
		s.m = r.m
		_ = s.read()
		if got := strings.Join(said, "\n"); !strings.Contains(got, "# 会議の記録\nA first paragraph with code, a link (https://example.org/a)") || strings.ContainsAny(got, "\x1b╭") {
			t.Errorf("the page:\n%s", got)
		}
	})
}
