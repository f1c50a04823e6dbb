package mirror_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/mirror"
)

// Each side holds a page as it was, changed, or not at all; and so does the base.
func TestPlanOfOnePage(t *testing.T) {
	same := mirror.Page{Path: "A.md", Content: "1\n2\n3\n"}
	first := mirror.Page{Path: "A.md", Content: "one\n2\n3\n"}
	last := mirror.Page{Path: "A.md", Content: "1\n2\nthree\n"}
	other := mirror.Page{Path: "A.md", Content: "eins\n2\n3\n"}
	moved := mirror.Page{Path: "B.md", Content: same.Content}
	gone := mirror.Page{}
	for name, c := range map[string]struct{ base, disk, database, want, lost mirror.Page }{
		"nothing changed":                  {same, same, same, same, gone},
		"edited on disk":                   {same, first, same, first, gone},
		"edited in the database":           {same, same, first, first, gone},
		"edited apart":                     {same, first, last, mirror.Page{Path: "A.md", Content: "one\n2\nthree\n"}, gone},
		"edited alike":                     {same, first, first, first, gone},
		"edited in conflict":               {same, first, other, other, first},
		"moved on disk":                    {same, moved, same, moved, gone},
		"moved here and edited there":      {same, moved, first, mirror.Page{Path: "B.md", Content: first.Content}, gone},
		"edited here and moved there":      {same, first, moved, mirror.Page{Path: "B.md", Content: first.Content}, gone},
		"moved to two places":              {same, moved, mirror.Page{Path: "C.md", Content: same.Content}, mirror.Page{Path: "C.md", Content: same.Content}, gone},
		"deleted on disk":                  {same, gone, same, gone, gone},
		"deleted in the database":          {same, same, gone, gone, gone},
		"deleted on both":                  {same, gone, gone, gone, gone},
		"deleted on disk, edited there":    {same, gone, first, first, gone},
		"deleted there, edited on disk":    {same, first, gone, first, gone},
		"deleted there, moved on disk":     {same, moved, gone, moved, gone},
		"new on disk":                      {gone, first, gone, first, gone},
		"new in the database":              {gone, gone, first, first, gone},
		"new on both, alike":               {gone, first, first, first, gone},
		"new on both, different":           {gone, first, other, other, first},
		"new on both, with different path": {gone, same, moved, moved, gone},
	} {
		t.Run(name, func(t *testing.T) {
			p := mirror.MakePlan(mirror.Trees{Base: tree(c.base), Disk: tree(c.disk), Database: tree(c.database)})
			if !maps.Equal(p.Want, tree(c.want)) {
				t.Errorf("want %q", p.Want)
			}
			if kept := len(p.Copies) == 1 && p.Copies[0].Page == c.lost; kept != (c.lost != gone) || len(p.Copies) > 1 {
				t.Errorf("copies %q", p.Copies)
			}
		})
	}
}

// tree holds one page, or none if the page is empty.
func tree(p mirror.Page) mirror.Tree {
	if p == (mirror.Page{}) {
		return mirror.Tree{}
	}
	return mirror.Tree{"id": p}
}

// Pages that are new at one path on both sides both stay.
func TestNewPagesWithOnePath(t *testing.T) {
	p := mirror.MakePlan(mirror.Trees{
		Disk:     mirror.Tree{"a": {Path: "New.md", Content: "disk"}},
		Database: mirror.Tree{"b": {Path: "new.md", Content: "database"}},
	})
	want := mirror.Tree{"a": {Path: "New-2.md", Content: "disk"}, "b": {Path: "new.md", Content: "database"}}
	if !maps.Equal(p.Want, want) {
		t.Errorf("want %q", p.Want)
	}
}

// A file that is moved keeps its page, also without an id; a copy gets its own.
func TestIdentify(t *testing.T) {
	base := mirror.Tree{"a": {Path: "A.md", Content: "A"}, "b": {Path: "B.md", Content: "B"}, "c": {Path: "C.md", Content: "C"}}
	found := mirror.Identify(base, nil, []mirror.File{
		{Page: mirror.Page{Path: "0.md", Content: "copy of A"}, ID: "a"},
		{Page: mirror.Page{Path: "A.md", Content: "A"}, ID: "a"},
		{Page: mirror.Page{Path: "B.md", Content: "edited, and its id removed"}},
		{Page: mirror.Page{Path: "F/C.md", Content: "C"}},
		{Page: mirror.Page{Path: "D.md", Content: "D"}},
	}, newIDs())
	want := mirror.Tree{
		"a": base["a"], "b": {Path: "B.md", Content: "edited, and its id removed"}, "c": {Path: "F/C.md", Content: "C"},
		"new1": {Path: "0.md", Content: "copy of A"}, "new2": {Path: "D.md", Content: "D"},
	}
	if !maps.Equal(found, want) {
		t.Errorf("found %q", found)
	}
}

// Two files with the content of one missing page are both new: it may be either.
func TestIdentifyDoesNotGuess(t *testing.T) {
	base := mirror.Tree{"a": {Path: "A.md", Content: "A"}}
	found := mirror.Identify(base, nil, []mirror.File{
		{Page: mirror.Page{Path: "1.md", Content: "A"}}, {Page: mirror.Page{Path: "2.md", Content: "A"}},
	}, newIDs())
	if _, guessed := found["a"]; guessed || len(found) != 2 {
		t.Errorf("found %q", found)
	}
}

// A folder without ids and a database that hold the same paths are joined; a page that
// was on disk before is not taken for a new file at its path.
func TestIdentifyByDatabase(t *testing.T) {
	base := mirror.Tree{"old": {Path: "Was.md", Content: "old"}}
	database := mirror.Tree{"a": {Path: "A.md", Content: "there"}, "b": {Path: "B.md", Content: "b"}, "old": {Path: "Now.md", Content: "old"}}
	found := mirror.Identify(base, database, []mirror.File{
		{Page: mirror.Page{Path: "A.md", Content: "here"}},
		{Page: mirror.Page{Path: "B.md", Content: "other"}},
		{Page: mirror.Page{Path: "Moved.md", Content: "b"}, ID: "b"},
		{Page: mirror.Page{Path: "Now.md", Content: "new"}},
	}, newIDs())
	want := mirror.Tree{
		"a": {Path: "A.md", Content: "here"}, "b": {Path: "Moved.md", Content: "b"},
		"new1": {Path: "B.md", Content: "other"}, "new2": {Path: "Now.md", Content: "new"},
	}
	if !maps.Equal(found, want) {
		t.Errorf("found %q", found)
	}
}

func newIDs() func() string {
	n := 0
	return func() string { n++; return fmt.Sprint("new", n) }
}
