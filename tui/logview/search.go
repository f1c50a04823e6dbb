package pane

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// A search is a regular expression and the lines, of those that the lens lets
// through, in which it was found. It hides nothing: that is the filter's work.
type search struct {
	text    string
	pattern *regexp.Regexp // nil: nothing is looked for
	problem string         // why text is no expression
	hits    []uint64       // numbers of lines, ascending; some may be gone
	at      uint64         // the hit that was gone to last; 0: none
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

// setSearch looks for s in every line in sight of the lens.
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

// dropGoneHits drops hits whose lines are gone.
func (v *filteredLog) dropGoneHits() {
	gone, _ := slices.BinarySearch(v.search.hits, v.ring.first)
	if gone > 0 && gone*2 > len(v.search.hits) {
		v.search.hits = slices.Delete(v.search.hits, 0, gone)
	}
}

// liveHits are the hits that are still there.
func (v *filteredLog) liveHits() []uint64 {
	i, _ := slices.BinarySearch(v.search.hits, v.ring.first)
	return v.search.hits[i:]
}

// nextHit is the hit after line n, or before it when d is negative; it goes round.
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
func (p Logs) findKey(k Press) Pane {
	switch {
	case key.Matches(k, p.keys.Enter):
		p.mode = reading
		if p.view.search.at == 0 {
			return p.jump(k, -1) // as less does at the end of a file: what came last is wanted first
		}
		return p
	case key.Matches(k, p.keys.Back):
		p.mode, p.find = reading, TextInput{}
		p.view.setSearch(search{})
		return p
	default:
		p.find, _ = p.find.HandleKey(k.KeyPressMsg)
	}
	p.view.setSearch(newSearch(p.find.Value()))
	return p
}

// jump brings the next hit, or the one before, to the middle of what is seen.
func (p Logs) jump(k Press, d int) Logs {
	w, h := p.inside(k.W, k.H)
	from := p.view.search.at
	if from == 0 || !slices.Contains(p.view.liveHits(), from) {
		begin := p.firstVisible(w, h)
		if d < 0 {
			begin = p.stepRows(begin, h, w)
		}
		if begin.i >= p.view.len() {
			return p
		}
		from = p.view.at(begin.i) + 1
		if d > 0 {
			from -= 2
		}
	}
	hit, ok := p.view.nextHit(from, d)
	if !ok {
		return p
	}
	p.view.search.at = hit
	return p.pinTo(p.stepRows(rowPosition{i: p.view.find(hit)}, -h/2, w))
}

// hitSummary says how the search goes; empty: there is none.
func (p Logs) hitSummary() string {
	s := p.view.search
	switch {
	case s.problem != "":
		return s.problem
	case s.pattern == nil:
		return ""
	}
	found := p.view.liveHits()
	if i, there := slices.BinarySearch(found, s.at); there && s.at != 0 {
		return fmt.Sprintf("%s of %s", Count(uint64(i+1)), Plural(uint64(len(found)), "hit"))
	}
	return Plural(uint64(len(found)), "hit")
}

// highlightHits paints what the search finds in text.
func (p Logs) highlightHits(t theme.Theme, text string) string {
	var b strings.Builder
	at := 0
	for _, m := range p.view.search.pattern.FindAllStringIndex(text, 64) { // more fit no screen
		b.WriteString(t.Text.Text(text[at:m[0]]))
		b.WriteString(t.Match.Text(text[m[0]:m[1]]))
		at = m[1]
	}
	b.WriteString(t.Text.Text(text[at:]))
	return b.String()
}
