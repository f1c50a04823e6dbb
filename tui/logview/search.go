package logview

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A search is a regular expression and the lines, of those that the filter lets
// through, in which it was found. It hides nothing: that is the filter's work.
type search struct {
	text    string
	pattern *regexp.Regexp // nil: nothing is looked for
	problem string         // why text is no expression
	hits    []uint64       // numbers of lines, ascending; some may be gone
	at      uint64         // the match that was gone to last; 0: none
}

// newSearch understands text. Without capitals the case does not matter.
func newSearch(text string) search {
	s := search{text: text}
	if text == "" {
		return s
	}
	if text == strings.ToLower(text) {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(text)
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		s.problem = fmt.Sprintf("%s: %s", e.Code, theme.Sanitize(e.Expr))
	} else if err == nil && !re.MatchString("") { // what is found everywhere finds nothing
		s.pattern = re
	}
	return s
}

// setSearch looks for s in every line that the filter lets through.
func (v *filteredLog) setSearch(s search) {
	v.search = s
	v.search.hits = nil
	if s.pattern == nil {
		return
	}
	for _, n := range v.numbers[v.head:] {
		v.recordHit(n)
	}
}

// recordHit takes note of line n if the search finds something in it.
func (v *filteredLog) recordHit(n uint64) {
	if p := v.search.pattern; p != nil && p.Match(v.ring.text(v.ring.line(n))) {
		v.search.hits = append(v.search.hits, n)
	}
}

// dropGoneHits drops matches whose lines are gone.
func (v *filteredLog) dropGoneHits() {
	gone, _ := slices.BinarySearch(v.search.hits, v.ring.first)
	if gone > 0 && gone*2 > len(v.search.hits) {
		v.search.hits = slices.Delete(v.search.hits, 0, gone)
	}
}

// liveHits are the matches that are still there.
func (v *filteredLog) liveHits() []uint64 {
	i, _ := slices.BinarySearch(v.search.hits, v.ring.first)
	return v.search.hits[i:]
}

// nextHit is the match after line n, or before it when d is negative; it goes
// round.
func (v *filteredLog) nextHit(n uint64, d int) (hit uint64, ok bool) {
	found := v.liveHits()
	if len(found) == 0 {
		return 0, false
	}
	i, exact := slices.BinarySearch(found, n)
	switch {
	case d < 0:
		i--
	case exact:
		i++
	}
	return found[(i+len(found))%len(found)], true
}

// findKey answers a key while an expression is typed.
func (v View) findKey(k tea.KeyPressMsg, w, h int) View {
	switch {
	case key.Matches(k, v.nav.Enter):
		v.finding = false
		if v.log.search.at == 0 {
			return v.jump(-1, w, h) // as less does at the end of a file: what came last is wanted first
		}
		return v
	case key.Matches(k, v.nav.Back):
		v.finding, v.find = false, widget.TextInput{}
		v.log.setSearch(search{})
		return v
	default:
		v.find, _ = v.find.HandleKey(k)
	}
	v.log.setSearch(newSearch(v.find.Value()))
	return v
}

// jump brings the next match, or the one before, to the middle of what is seen.
func (v View) jump(d, w, h int) View {
	h = v.rowsIn(h)
	from := v.log.search.at
	if from == 0 || !slices.Contains(v.log.liveHits(), from) {
		begin := v.firstVisible(w, h)
		if d < 0 {
			begin = v.stepRows(begin, h, w)
		}
		if begin.i >= v.log.len() {
			return v
		}
		from = v.log.at(begin.i) + 1
		if d > 0 {
			from -= 2
		}
	}
	hit, ok := v.log.nextHit(from, d)
	if !ok {
		return v
	}
	v.log.search.at = hit
	return v.pinTo(v.stepRows(rowPosition{i: v.log.find(hit)}, -h/2, w))
}

// hitSummary says how the search goes; empty: there is none.
func (v *filteredLog) hitSummary() string {
	s := v.search
	switch {
	case s.problem != "":
		return s.problem
	case s.pattern == nil:
		return ""
	}
	found := v.liveHits()
	if i, there := slices.BinarySearch(found, s.at); there && s.at != 0 {
		return fmt.Sprintf("%s of %s", widget.Count(i+1), widget.Plural(len(found), "match"))
	}
	return widget.Plural(len(found), "match")
}

// highlightHits paints what the search finds in text.
func (v *filteredLog) highlightHits(t theme.Theme, text string) string {
	var b strings.Builder
	at := 0
	for _, m := range v.search.pattern.FindAllStringIndex(text, 64) { // more fit no screen
		b.WriteString(t.Text.Text(text[at:m[0]]))
		b.WriteString(t.Match.Text(text[m[0]:m[1]]))
		at = m[1]
	}
	b.WriteString(t.Text.Text(text[at:]))
	return b.String()
}
