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
		r.press("enter", "j", "enter")
		r.shows("Journal/2026-11-21.md", "rendered", "# 会議の記録")
		r.hides("Ideas.md")
		r.press("G")
		r.shows("The page has 5120 KB")
		r.press("k", "g")
		r.shows("title: Alpha")
		r.press("z")
		r.shows("source", "A *first* paragraph")
		r.press("c")
		if len(r.copied) != 1 || r.copied[0] != r.queries.pages.page.Text {
			t.Errorf("copied %q", r.copied)
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
		r.press("@Sources/welcome", "b", "/", "pqz")
		r.shows("No pages match the filter.")
		r.press("backspace", "backspace", "backspace", "page 1")
		r.shows("(13 of 42)", "Page 10.md", "Page 19.md")
		r.hides("Ideas.md")
		r.press("9")
		r.shows("(1 of 42)", "Page 19.md")
		r.press("backspace", "down", "enter", "R")
		r.shows("(13 of 42)", "Page 10.md")
		r.press("enter")
		if got := r.queries.pages.read; !strings.HasSuffix(got[len(got)-1], "Sub/Page 11.md") {
			t.Errorf("read %q", got)
		}
		r.press("esc", "esc")
		r.shows("15 of 43", "Page 11.md") // its folder is unfolded
		r.hides("(13 of 42)")
	})
}

// TestBrowserGoesOn: a page beside which the cursor has gone on is given up,
// and never shown for another.
func TestBrowserGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := filledQueries()
		c.pages.hold = make(chan struct{})
		r := newTestPanelWith(t, crowded(), c, 140, 45)
		r.press("@Sources/welcome", "b", "o", "j", "j", "k", "k")
		r.shows("Loading …", "newest first")
		const third = "welcome Projects/A folder with a long name/Sub/Page 00.md"
		want := []string{"welcome", "welcome Journal/2026-11-21.md", "welcome Ideas.md", third, "welcome Ideas.md", "welcome Journal/2026-11-21.md"}
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
		r.shows("Journal/2026-11-21.md ─", "Loading …")
		r.hides("context canceled")
		close(c.pages.hold)
		r.settle()
		r.shows("# 会議の記録")
		n := len(c.pages.read)
		r.press("x") // means nothing here
		if len(c.pages.read) != n {
			t.Errorf("a page was read again: %q", c.pages.read[n:])
		}
		r.send(tea.WindowSizeMsg{Width: 110, Height: 45})
		if got := c.pages.read; len(got) != n+1 || got[n] != "welcome Journal/2026-11-21.md" {
			t.Errorf("another width: read %q", got[n:])
		}
	})
}

// TestBrowserSearches: a person sees the call that an agent would make, and
// what comes of it.
func TestBrowserSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, crowded(), filledQueries(), 80, 24)
		r.press("@Sources/notes", "S", "dia", "esc")
		r.shows("Sources 4", "agents can") // where the search began
		r.press("S", "diagram", "enter")
		r.shows(`search_pages {"query":"diagram"}`, "3 matches · 1.2 KB, about 301 tokens", "Projects/Alpha.md:11")
		r.press("enter")
		r.shows("Projects/Alpha.md ─", "The architecture diagram is below.")
		r.press("esc", "G", "enter")
		r.shows("There is no page to open.")
		r.press("S", "x", "enter")
		if got := r.queries.pages.read; !slices.Equal(got, []string{"notes diagram", "notes Projects/Alpha.md", "notes diagramx"}) {
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
		s = s.sayUpdates()
		if got := strings.Join(said, "\n"); !strings.Contains(got, "Selected: Journal 1") || strings.Contains(got, "会議の記録") {
			t.Errorf("the list:\n%s", got)
		}
		said = nil
		r.press("G", "enter")
		s.m = r.m
		_ = s.sayUpdates()
		if got := strings.Join(said, "\n"); !strings.Contains(got, "# 会議の記録\nA first paragraph with code, a link (https://example.org/a)") || strings.ContainsAny(got, "\x1b╭") {
			t.Errorf("the page:\n%s", got)
		}
	})
}

// TestBrowserTree: folders fold, what is folded stays so, and every page can be
// reached.
func TestBrowserTree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, crowded(), filledQueries(), 80, 24)
		r.press("@Sources/welcome", "b")
		r.shows("▸ Journal", "▸ Projects/A folder with a long name/Sub", "37", "Zettel.md")
		r.hides("Page 00.md")
		r.press("j", "j", "right")
		r.shows("▾ Projects/A folder with a long name/Sub", "Page 00.md", "▐")
		r.press("right")
		r.shows("There is nothing to fold here.")
		r.press("j", "j", "left", "left")
		r.hides("Page 00.md")
		r.press("R")
		r.hides("Page 00.md")
		r.press("o")
		r.shows("newest first", "2026-11-21.md")
		r.press("o")
		r.shows("largest first")
		r.press("G", "o")
		r.shows("▾ old", "2019.md") // the page that is selected is in sight
	})
}

// TestBrowserFollowsLinks: from page to page by links on it and to it, and back the
// way one came.
func TestBrowserFollowsLinks(t *testing.T) {
	for _, w := range []int{80, 140} {
		synctest.Test(t, func(t *testing.T) {
			r := newTestPanelWith(t, crowded(), filledQueries(), w, 40)
			r.press("@Sources/welcome", "b", "G", "enter")
			r.shows("Links 2 out, 1 in", "→ Ideas.md", "✗ Projekts (broken)", "← Journal/2026-11-21.md", ":7")
			r.press("enter")
			r.shows("Press tab to select a link first.")
			r.press("tab", "tab", "enter")
			r.shows("There is no page to go to: Projekts (broken).")
			r.press("b", "enter")
			r.shows("Journal/2026-11-21.md (esc: back to Zettel.md)")
			r.press("tab")
			r.shows("This page has no links, and no page links to it.")
			r.press("esc", "tab", "enter")
			r.shows("Ideas.md (esc: back to Zettel.md)")
			r.press("esc")
			r.shows("Zettel.md ─", "Links 2 out, 1 in")
			r.press("esc")
			r.shows("Pages of welcome")
		})
	}
}

// TestBrowserEdits: the file of a page is opened in the person's editor, and read
// again afterwards.
func TestBrowserEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, crowded(), filledQueries(), 80, 24)
		r.press("@Sources/welcome", "b", "e")
		r.shows("No page selected.")
		r.press("G", "e")
		if d := cmp.Diff([]string{"/home/ada/welcome/Zettel.md"}, r.editedFiles); d != "" {
			t.Errorf("edited (-want +got):\n%s", d)
		}
		r.shows("This was your own edit")
		r.press("enter")
		n := len(r.queries.pages.read)
		r.press("e")
		if got := r.queries.pages.read; len(got) != n+1 || got[n] != "welcome Zettel.md" {
			t.Errorf("after the edit it read %q", got[n:])
		}
		r.queries.fail(&status.CallError{Code: "not_found", Msg: "the pages of wiki are not files that an editor could open"})
		r.press("e")
		r.shows("cannot edit Zettel.md", "not files that an editor")
	})
}

// TestBrowserSearchesAsYouType: a pause in typing searches, the keys before it do
// not, and enter does not search for the same again.
func TestBrowserSearchesAsYouType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestPanelWith(t, crowded(), filledQueries(), 80, 24)
		r.press("@Sources/notes", "S", "dia")
		r.wait(typingPause)
		r.shows("3 matches", "Projects/Alpha.md:11")
		r.press("gram")
		r.shows("3 matches") // what was found stays until more is known
		r.wait(typingPause)
		r.press("enter", "j")
		if got := r.queries.pages.read; !slices.Equal(got, []string{"notes dia", "notes diagram"}) {
			t.Errorf("read %q", got)
		}
	})
}
