package orgfile

import (
	"fmt"
	"strings"
	"testing"
)

func TestSelect(t *testing.T) {
	f, err := Parse([]byte(`#+TODO: TODO NEXT | DONE
#+FILETAGS: :all:
#+TAGS: [ work : mail call ] home
* TODO First :mail:
** NEXT second
** DONE third :home:
* fourth
** COMMENT TODO fifth
*** TODO sixth
* TODO seventh :ARCHIVE:
** TODO eighth
* TODO FIRST again :home:
`), "", DefaultSettings(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]Selection{
		"First second third fourth FIRST again": {},
		"First second FIRST again":              {Open: true},
		"second third":                          {States: []string{"NEXT", "DONE"}},
		"fourth":                                {States: []string{""}},
		"First second third":                    {Tags: []string{"work", "all"}},
		"First ":                                {Tags: []string{"work"}, LocalTags: true},
		"third":                                 {Tags: []string{"work", "home"}},
		"First second fourth":                   {ExcludeTags: []string{"home"}},
		"First FIRST again":                     {Title: "fiRst"},
		"FIRST again":                           {Title: "FIRST", MatchCase: true},
		"First second third fourth seventh eighth FIRST again":   {Archived: true},
		"First second third fourth TODO fifth sixth FIRST again": {Commented: true},
		"fourth FIRST again": {Hidden: func(i int) bool { return i == 0 }},
		"First second third fourth TODO fifth sixth seventh eighth FIRST again": {Archived: true, Commented: true},
	} {
		var got []string
		for _, i := range f.Select(s) {
			got = append(got, f.Text(f.Headlines[i].Title))
		}
		if strings.Join(got, " ") != strings.TrimSpace(want) {
			t.Errorf("%s: %q", fmt.Sprint(s.States, s.Tags, s.Title), got)
		}
	}
}
