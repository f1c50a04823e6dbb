package tui

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

var errJournalLocked = errors.New("read journal: it is locked")

// One search asks every source that agents can read. Its rows name their source, and what
// could not search is named, too.
func TestSearchAllSources(t *testing.T) {
	s := lively()
	for i := range s.Sources {
		s.Sources[i].State, s.Sources[i].Effects = status.Ready, []string{"read"}
	}
	first, last := s.Sources[0].Name, s.Sources[len(s.Sources)-1].Name
	runPanel(t, s, func(r *testPanel) {
		r.queries.pages.found = status.Search{}
		r.queries.pages.foundIn = map[string]pane.SourceSearchResult{
			first: {Search: status.Search{Hits: []status.Hit{{Page: "Garden/Roses.md", Line: 4, Text: "prune the roses"}}}},
			last:  {Err: errors.New("it has no search")},
		}
		r.press("@Overview", "/")
		r.shows("Search all sources", "words to search for", "when you stop typing")
		r.press("roses", "enter")
		r.wait(time.Second)
		r.shows("“roses”", first+" 1", "not searched: "+last+" (it", "1 match", "Garden/Roses.md:4", "prune the roses")
		for _, one := range s.Sources {
			if !slices.Contains(r.queries.pages.read, one.Name+" roses") {
				t.Errorf("%s was not searched: %q", one.Name, r.queries.pages.read)
			}
		}
		r.press("enter")
		r.wait(time.Second)
		r.shows("Garden/Roses.md")
		r.hides("Search all sources")
		r.press("esc")
		r.shows("Search all sources", "Garden/Roses.md:4") // the same matches
		r.press("S", " wild", "enter")
		r.wait(time.Second)
		r.shows("“roses wild”")
		r.press("esc")
		r.hides("Search all sources")
		r.shows("1 Overview")
	})
}

// A pause in typing searches, the keys before it do not, and enter does not search for the same
// again; what was found stays until there is more.
func TestSearchAllAsYouType(t *testing.T) {
	s := lively()
	for i := range s.Sources {
		s.Sources[i].State, s.Sources[i].Effects = status.Failed, nil
	}
	s.Sources[0].State, s.Sources[0].Effects = status.Ready, []string{"read"}
	runPanel(t, s, func(r *testPanel) {
		name := s.Sources[0].Name
		r.press("@Overview", "/", "di")
		r.wait(2 * typingPause)
		r.press("a")
		r.wait(typingPause)
		r.shows("“dia”", "3 matches", "Projects/Alpha.md:11")
		r.press("gram")
		r.shows("“diagram”", "searching …", "Projects/Alpha.md:11")
		r.wait(typingPause)
		r.press("enter", "j")
		if got := r.queries.pages.read; !slices.Equal(got, []string{name + " dia", name + " diagram"}) {
			t.Errorf("searched %q", got)
		}
		r.press("R")
		r.wait(time.Second)
		if n := len(r.queries.pages.read); n != 3 {
			t.Errorf("%d searches", n)
		}
		r.press("/", "backspace", "backspace", "backspace", "backspace", "backspace", "backspace", "enter")
		r.wait(time.Second)
		if got := r.queries.pages.read; len(got) != 4 || got[3] != name+" d" {
			t.Errorf("searched %q", got)
		}
	})
}

// Sources answer in every order. Enter opens what the screen shows under the cursor,
// wherever the person has moved it and whatever comes meanwhile; it is the first row
// as long as they have not.
func TestSearchAllOpensWhatIsUnderTheCursor(t *testing.T) {
	s := lively()
	for i := range s.Sources {
		s.Sources[i].State, s.Sources[i].Effects = status.Failed, nil
	}
	names := make([]string, 3)
	found := map[string]pane.SourceSearchResult{}
	for i := range names {
		names[i] = s.Sources[i].Name
		s.Sources[i].State, s.Sources[i].Effects = status.Ready, []string{"read"}
		hits := []status.Hit{{Page: names[i] + "-roses.md"}, {Page: names[i] + "-more.md"}}
		found[names[i]] = pane.SourceSearchResult{Search: status.Search{Hits: hits}}
	}
	quick := []time.Duration{20 * time.Millisecond, 90 * time.Millisecond, 300 * time.Millisecond}
	slow := []time.Duration{20 * time.Millisecond, 2 * time.Second, 4 * time.Second}
	for _, times := range [][]time.Duration{quick, slow} {
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			for _, moves := range []int{0, 1, 5} {
				for _, pause := range []time.Duration{10 * time.Millisecond, 5 * time.Second} {
					runPanel(t, s, func(r *testPanel) {
						r.queries.pages.foundIn, r.queries.pages.after = found, map[string]time.Duration{}
						for i, name := range names {
							r.queries.pages.after[name] = times[order[i]]
						}
						what := fmt.Sprint(r.queries.pages.after, " moved ", moves, ", opened after ", pause)
						r.press("@Overview", "/", "roses", "enter")
						r.wait(time.Second)
						first := r.selectedPage()
						if first != r.pagesFound()[0] || times[2] == quick[2] && first != names[0]+"-roses.md" {
							t.Errorf("%s: of %q the first is selected: %q", what, r.pagesFound(), first)
						}
						for range moves {
							r.press("j")
						}
						was, above := r.selectedPage(), r.pagesFound()
						r.wait(pause)
						if now := r.selectedPage(); now != was || !slices.Equal(r.pagesFound()[:len(above)], above) {
							t.Errorf("%s: under the cursor was %q, and is %q; of %q there is %q", what, was, now, above, r.pagesFound())
						}
						r.press("enter")
						r.hides("Search all sources")
						r.shows(was)
					})
				}
			}
		}
	}
}

// What was found for other words is not what enter opens.
func TestSearchAllOpensNothingOfFormerWords(t *testing.T) {
	s := lively()
	for i := range s.Sources {
		s.Sources[i].State, s.Sources[i].Effects = status.Failed, nil
	}
	s.Sources[0].State, s.Sources[0].Effects = status.Ready, []string{"read"}
	runPanel(t, s, func(r *testPanel) {
		r.queries.pages.after = map[string]time.Duration{s.Sources[0].Name: time.Second}
		r.press("@Overview", "/", "diagram", "enter")
		r.wait(2 * time.Second)
		r.press("/", "backspace", "enter", "enter")
		r.shows("“diagra”", "searching …", "Search all sources", "not answered yet")
		if selected := r.selectedPage(); selected != "" {
			t.Errorf("%q is under the cursor", selected)
		}
		r.wait(2 * time.Second)
		r.press("enter")
		r.hides("Search all sources")
	})
}

var pagePattern = regexp.MustCompile(`\S+\.md`)

// pagesFound are the pages in the rows of a search, from above.
func (r *testPanel) pagesFound() []string { return pagePattern.FindAllString(r.screen(), -1) }

// selectedPage is the page in the row under the cursor; empty: there is none.
func (r *testPanel) selectedPage() string {
	for row := range strings.Lines(r.m.View().Content) {
		if page := pagePattern.FindString(ansi.Strip(row)); page != "" && strings.Contains(row, ";48;2;52;52;78m") {
			return page
		}
	}
	return ""
}

// The palette finds it, too, and without a source that can be read it says so.
func TestSearchAllNeedsASource(t *testing.T) {
	s := lively()
	for i := range s.Sources {
		s.Sources[i].State = status.Failed
	}
	runPanel(t, s, func(r *testPanel) {
		r.press("@Overview", "/")
		r.shows("There is no source that agents can read now.")
		r.press(":", "search all")
		r.shows("search all sources")
	})
}
