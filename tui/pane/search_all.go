package pane

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// SearchAllFocus opens [SourcesPane] at the search over all sources. No source can
// have this name.
const SearchAllFocus = "/"

// maxSearchedSources is how many sources one search asks.
const maxSearchedSources = 50

// minTypedCharacters is how many characters are searched for while they are typed: each search of
// a source is a call, in the record as any other.
const minTypedCharacters = 3

// An allSourcesSearch asks every source that agents can read for the same words. What a
// source finds is shown when it has answered, below what is there: rows that are on the
// screen stay where they are, so that enter opens what a person sees under the cursor.
type allSourcesSearch struct {
	keys    Keys
	query   widget.TextInput
	typing  bool
	asked   SearchAllQuery // no Text: nothing yet
	done    bool
	found   SearchAllQuery       // that answers are of: what was asked before, until something has come
	answers []SourceSearchResult // in the order in which they came
	cursor  int                  // among all hits
}

// A SourceSearchResult is what one source has found.
type SourceSearchResult struct {
	Source string
	Search status.Search
	Err    error // why it found nothing
}

// A sourceHit is a hit, and the source that has found it.
type sourceHit struct {
	status.Hit

	source string
}

// searchableSources are those that a search asks: all that serve and that agents can read.
func searchableSources(s status.Snapshot) []string {
	var names []string
	for _, one := range s.Sources {
		if (one.State == status.Ready || one.State == status.Degraded) && slices.Contains(one.Effects, "read") &&
			len(names) < maxSearchedSources {
			names = append(names, one.Name)
		}
	}
	return names
}

func searchAllDisabledReason(s status.Snapshot) string {
	if !IsHubRunning(s) {
		return hubNotRunning
	}
	return reasonUnless(len(searchableSources(s)) > 0, "There is no source that agents can read now.")
}

// openSearchAll is p with an empty search over all sources.
func openSearchAll(p Sources) Sources {
	p.browse, p.grant, p.folder, p.adding = nil, nil, nil, false
	p.searchAll = &allSourcesSearch{keys: p.keys, typing: true}
	return p
}

func (s allSourcesSearch) wantedQuery() Query {
	if s.asked.Text == "" || s.done {
		return nil
	}
	return s.asked
}

func (s allSourcesSearch) takeResult(r Result) allSourcesSearch {
	if r.Query != s.asked {
		return s
	}
	if s.found != s.asked {
		s.found, s.answers, s.cursor = s.asked, nil, 0
	}
	if !r.More {
		s.done = true
		return s
	}
	s.answers = append(slices.Clone(s.answers), r.Found)
	return s
}

// isOutdated reports whether the hits are of what was asked before. They stay on the
// screen until there are others, and cannot be selected.
func (s allSourcesSearch) isOutdated() bool { return s.found != s.asked }

func (s allSourcesSearch) hits() []sourceHit {
	var all []sourceHit
	for _, a := range s.answers {
		for _, h := range a.Search.Hits {
			all = append(all, sourceHit{h, a.Source})
		}
	}
	return all
}

func (s allSourcesSearch) selected() (sourceHit, bool) {
	all := s.hits()
	if len(all) == 0 || s.isOutdated() {
		return sourceHit{}, false
	}
	return all[widget.Clamp(s.cursor, len(all))], true
}

// handleSearchAllKey answers a key while the search over all sources is shown.
func handleSearchAllKey(p Sources, k Press) (Pane, Intent) {
	s := *p.searchAll
	p.searchAll = &s
	switch {
	case s.typing && key.Matches(k, p.keys.Enter):
		if text := strings.TrimSpace(s.query.Value()); text != "" {
			s, s.typing = s.ask(p, text, false), false
		}
	case s.typing && key.Matches(k, p.keys.Back) && s.asked.Text != "":
		s.typing = false
	case s.typing && !key.Matches(k, p.keys.Back):
		s.query, _ = s.query.HandleKey(k.KeyPressMsg)
		if text := strings.TrimSpace(s.query.Value()); utf8.RuneCountInString(text) >= minTypedCharacters {
			s = s.ask(p, text, true)
		}
	case key.Matches(k, p.keys.Back):
		p.searchAll = nil
		return p, OpenPane{Pane: OverviewPane}
	case key.Matches(k, p.keys.Search, p.keys.Filter):
		s.typing = true
	case key.Matches(k, p.keys.Refresh):
		s.done = false
		s.asked.Refresh++
	case key.Matches(k, p.keys.Enter):
		return openFoundPage(p)
	default:
		i, ok := p.keys.RowAfterKey(k.KeyPressMsg, s.cursor, len(s.hits()), k.H/2)
		if !ok {
			return p, Unhandled{}
		}
		if !s.isOutdated() {
			s.cursor = i
		}
	}
	return p, nil
}

// ask searches for text, unless that has been asked already. typing: once there is a pause.
func (s allSourcesSearch) ask(p Sources, text string, typing bool) allSourcesSearch {
	if s.asked.Text == text {
		return s
	}
	s.done = false
	s.asked = SearchAllQuery{Sources: strings.Join(searchableSources(p.snap), ","), Text: text, Typing: typing, Refresh: s.asked.Refresh}
	return s
}

// openFoundPage opens the page of the selected hit, at the words that were searched.
func openFoundPage(p Sources) (Pane, Intent) {
	if p.searchAll.isOutdated() {
		return p, ShowMessage{"The sources have not answered yet."}
	}
	hit, any := p.searchAll.selected()
	if !any || hit.Page == "" {
		return p, ShowMessage{"There is no page to open."}
	}
	p.browserCount++
	b := newSourceBrowser(p.keys, p.zone, hit.source, p.w, p.h).setSnapshot(p.snap)
	b.refresh = p.browserCount << 16
	b.focus, b.search.submitted = focusHits, p.searchAll.asked.Text
	b.search.got = b.searchQuery()
	b.page.open, b.page.name, b.links.cursor = true, hit.Page, -1
	return p.withSourceBrowser(b), nil
}

func (s allSourcesSearch) bindings() []key.Binding {
	help := widget.WithHelp
	if s.typing {
		return []key.Binding{help(s.keys.Enter, "search"), help(s.keys.Back, "close")}
	}
	return []key.Binding{
		help(s.keys.Enter, "open the page"), help(s.keys.Search, "search again"), help(s.keys.Back, "back to Overview"),
	}
}

func (s allSourcesSearch) section(t theme.Theme) widget.Section {
	hits := s.hits()
	note := "as an agent searches"
	if s.done || len(hits) > 0 {
		note = widget.CountWithNoun(len(hits), "match")
	}
	return widget.Section{Title: "Search all sources", Note: note, Min: 2, Preferred: 1 << 20, Rows: func(w, h int) []string {
		rows := []string{t.Key.Text("› ") + s.query.Draw(t, w-2, s.typing, "words to search for")}
		if s.asked.Text == "" {
			return append(rows, t.Dim.Wrap("Asks every source that agents can read, each with its own search tool and the permissions of an "+
				"agent, when you stop typing.", w)...)
		}
		rows = append(rows, t.Dim.Wrap(s.summary(), w)...)
		rows = append(rows, "")
		from, to := widget.VisibleRange(len(hits), s.cursor, max(1, (min(h, widget.ScreenReaderHeight)-len(rows))/2))
		for i := from; i < to; i++ {
			for _, row := range drawSourceHit(t, hits[i], i == s.cursor && !s.isOutdated(), w) {
				rows = append(rows, t.MarkRowRegion(i, row))
			}
		}
		return rows
	}}
}

// summary says how many matches each source has, and which have none or could not
// search.
func (s allSourcesSearch) summary() string {
	var found, failed []string
	none := 0
	for _, a := range s.answers {
		switch n := len(a.Search.Hits); {
		case a.Err != nil:
			failed = append(failed, a.Source+" ("+a.Err.Error()+")")
		case n == 0:
			none++
		default:
			found = append(found, fmt.Sprintf("%s %d", a.Source, n))
		}
	}
	words := []string{fmt.Sprintf("“%s”", s.asked.Text)}
	if len(found) > 0 {
		words = append(words, strings.Join(found, ", "))
	}
	if none > 0 {
		words = append(words, "no match in "+widget.CountWithNoun(none, "source"))
	}
	if len(failed) > 0 {
		words = append(words, "not searched: "+strings.Join(failed, ", "))
	}
	switch waits := len(strings.Split(s.asked.Sources, ",")) - len(s.answers); {
	case s.isOutdated():
		words = []string{fmt.Sprintf("“%s”", s.asked.Text), "searching …"}
	case waits > 0 && !s.done:
		words = append(words, "waiting for "+widget.CountWithNoun(waits, "source")+" …")
	}
	return strings.Join(words, " · ")
}

// drawSourceHit is the source and the page, and below that what stands there.
func drawSourceHit(t theme.Theme, hit sourceHit, selected bool, w int) []string {
	if selected {
		t = t.ForSelectedRow()
	}
	line := ""
	if hit.Line > 0 {
		line = fmt.Sprintf(":%d", hit.Line)
	}
	name := min(16, max(8, w/5))
	where := t.Busy.Fit(hit.source, name) + t.Text.Text(" ") + t.Strong.CutLeft(widget.OrDash(hit.Page), w-name-1-len(line)) + t.Dim.Text(line)
	what := t.Text.Cut("  "+strings.Join(strings.Fields(hit.Text), " "), w)
	return []string{widget.FillRow(t, where, w), widget.FillRow(t, what, w)}
}
