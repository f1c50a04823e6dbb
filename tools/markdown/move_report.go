package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// LinkReport is what a move does to links.
type LinkReport struct {
	Rewritten      int           `json:"rewritten" jsonschema:"links changed so that they lead where they led"`
	Ambiguous      int           `json:"ambiguous,omitempty" jsonschema:"left: they may mean several pages, of which one moved"`
	NewlyAmbiguous int           `json:"newlyAmbiguous,omitempty" jsonschema:"left: they may mean several pages then"`
	Left           int           `json:"left,omitempty" jsonschema:"left: they are not written so that they lead there"`
	Unreadable     int           `json:"unreadable,omitempty" jsonschema:"files that could not be read"`
	List           []LinkOutcome `json:"list,omitempty" jsonschema:"of a dry run: which they are, rewritten ones last"`
}

// A LinkOutcome is one link that a move changes or leaves, or a file whose links could
// not be read.
type LinkOutcome struct {
	File    string      `json:"file" jsonschema:"where it stands, before the move"`
	Line    int         `json:"line,omitempty" jsonschema:"line there"`
	Link    string      `json:"link,omitempty" jsonschema:"its target as written"`
	To      string      `json:"to,omitempty" jsonschema:"its new target"`
	Outcome linkOutcome `json:"outcome" jsonschema:"left, newlyAmbiguous, ambiguous, unreadable or rewritten"`
}

// A linkOutcome is what becomes of a link; empty: it already leads where it should.
type linkOutcome string

const (
	linkLeft           linkOutcome = "left"
	linkNewlyAmbiguous linkOutcome = "newlyAmbiguous"
	linkAmbiguous      linkOutcome = "ambiguous"
	linkUnreadable     linkOutcome = "unreadable"
	linkRewritten      linkOutcome = "rewritten"
)

// linkOutcomes are all of them in the order of a list: first what somebody has to look at.
func linkOutcomes() []linkOutcome {
	return []linkOutcome{linkLeft, linkNewlyAmbiguous, linkAmbiguous, linkUnreadable, linkRewritten}
}

// reportOn is the report of one link.
func reportOn(o LinkOutcome) LinkReport {
	if o.Outcome == "" {
		return LinkReport{}
	}
	r := LinkReport{List: []LinkOutcome{o}}
	*r.count(o.Outcome) = 1
	return r
}

// count is the number of links with an outcome.
func (r *LinkReport) count(o linkOutcome) *int {
	switch o {
	case linkRewritten:
		return &r.Rewritten
	case linkAmbiguous:
		return &r.Ambiguous
	case linkNewlyAmbiguous:
		return &r.NewlyAmbiguous
	case linkUnreadable:
		return &r.Unreadable
	case linkLeft:
	}
	return &r.Left
}

func (r *LinkReport) add(more LinkReport) {
	for _, o := range linkOutcomes() {
		*r.count(o) += *more.count(o)
	}
	r.List = append(r.List, more.List...)
}

// then is the report of two moves of one call, which read the same pages.
func (r LinkReport) then(next LinkReport) LinkReport {
	for _, o := range linkOutcomes() {
		if o == linkRewritten {
			r.Rewritten += next.Rewritten
		} else {
			*r.count(o) = max(*r.count(o), *next.count(o))
		}
	}
	before := r.List
	r.List = slices.Clone(before)
	for _, o := range next.List {
		if o.Outcome == linkRewritten || !slices.Contains(before, o) {
			r.List = append(r.List, o)
		}
	}
	return r
}

// maxListedLinks is how many links a dry run lists, because an agent's context is small.
const maxListedLinks = 100

// finish is the report as it is answered: a dry run lists links, and a note says what
// else there is to know.
func (r LinkReport) finish(dryRun bool) (report LinkReport, note string) {
	var bases []string
	for _, o := range r.List {
		if isBase(o.File) && o.Outcome == linkLeft && !slices.Contains(bases, o.File) {
			bases = append(bases, o.File)
		}
	}
	if r.Ambiguous+r.NewlyAmbiguous+r.Left > 0 {
		note = "Some links were left as they are; get_page_links shows them. "
	}
	if len(bases) > 0 {
		note += "References in bases are not rewritten: " + firstNames(bases) + ". "
	}
	if !dryRun {
		r.List = nil
		return r, note
	}
	slices.SortFunc(r.List, func(a, b LinkOutcome) int {
		return cmp.Or(
			slices.Index(linkOutcomes(), a.Outcome)-slices.Index(linkOutcomes(), b.Outcome), strings.Compare(a.File, b.File), a.Line-b.Line,
			strings.Compare(a.Link, b.Link),
		)
	})
	if more := len(r.List) - maxListedLinks; more > 0 {
		r.List = r.List[:maxListedLinks]
		note += fmt.Sprintf("%d more links are not listed. ", more)
	}
	return r, note
}
