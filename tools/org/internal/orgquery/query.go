// Package orgquery finds headlines by queries like
//
//	todo:NEXT tags:work deadline:<=+7d (heading:report or "annual figures") !priority:C
//
// Terms beside each other are all wanted; "and", "or", "not" or "!" and parentheses
// join them. A term is text in quotes or a word, looked for in the entry's heading
// and own text, or a predicate with values behind its colon. The words follow
// org-ql's queries that are no Lisp. It works on [orgfile.View]s, so that hidden
// headlines are neither found nor tell anything. It opens no files. The System for
// Org imports it. Start reading at [Parse].
package orgquery

import (
	"fmt"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// A Query is a condition that headlines meet or not. It may be used by several
// goroutines.
type Query struct {
	match  condition
	states []string
}

// States are the TODO states that the query names.
func (q *Query) States() []string { return q.states }

// A SyntaxError says what cannot be understood and where.
type SyntaxError struct {
	Column  int // in letters, from 1
	Message string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("query, column %d: %s", e.Column, e.Message) }

// maxDepth bounds how deep parentheses and negations may be nested.
const maxDepth = 100

// Parse reads a query. Relative dates in it are seen from now. The error is a
// [SyntaxError].
func Parse(text string, now time.Time) (*Query, error) {
	p := parser{letters: []rune(text), now: now}
	year, month, day := now.Date()
	p.today = orgtime.NewDay(year, month, day)
	p.skipBlanks()
	if p.pos == len(p.letters) {
		return nil, p.fault(p.pos, `the query is empty; write for example todo:TODO tags:work "some text"`)
	}
	match, err := p.parseOr(0)
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.letters) {
		return nil, p.fault(p.pos, "this parenthesis closes nothing")
	}
	return &Query{match, p.states}, nil
}

// Options say where Select looks.
type Options struct {
	Archived  bool // in archived subtrees too
	Commented bool // in subtrees under COMMENT too
}

// Select returns the headlines that v shows and that meet the query, in the order
// of the file.
func (q *Query) Select(v *orgfile.View, o Options) []int {
	f := v.File
	e := entry{view: v, groups: map[string][]string{}}
	if f.Settings.GroupTags {
		e.groups = f.Settings.TagGroups()
	}
	if !o.Archived && slices.Contains(f.Settings.FileTags, orgfile.ArchiveTag) {
		return nil
	}
	var out []int
	for i := 0; i < len(f.Headlines); {
		h := &f.Headlines[i]
		if v.Hidden(i) || !o.Commented && h.Commented || !o.Archived && !h.Tags.Empty() && slices.Contains(f.LocalTags(i), orgfile.ArchiveTag) {
			i = f.AfterSubtree(i)
			continue
		}
		if e.i = i; q.match(&e) {
			out = append(out, i)
		}
		i++
	}
	return out
}

// An entry is the headline that is looked at.
type entry struct {
	view   *orgfile.View
	i      int
	groups map[string][]string
}

type condition func(e *entry) bool

func (e *entry) file() *orgfile.File { return e.view.File }

func (e *entry) headline() *orgfile.Headline { return &e.view.File.Headlines[e.i] }

// text returns the heading and the entry's own text, down to the next heading.
func (e *entry) text() []byte {
	return e.view.File.Source[e.headline().Begin:e.view.File.EntryEnd(e.i)]
}
