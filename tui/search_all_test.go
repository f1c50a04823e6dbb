package tui

import (
	"errors"
	"slices"
	"testing"
	"time"

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
