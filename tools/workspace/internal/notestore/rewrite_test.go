package notestore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// A note is found as its newest text says, whatever of its class, title and links the save
// before had too: what stays the same is not written again.
func TestFoundAsSavedLast(t *testing.T) {
	runtest.InOrder(t)
	text := func(class, title, link string) string {
		return fmt.Sprintf("---\nclass: %s\n---\n# %s\n\nSee %s.\n", class, title, link)
	}
	versions := []string{
		text("Task", "One", "[[other]]"), text("Task", "One", "[[other]] again"), text("Task", "One", "[[third]]"),
		text("Task", "Two", "[[third]]"), text("Idea", "Two", "[[third]]"), text("Idea", "One", "workspace://ws/notes/third"),
		"", text("Idea", "One", "[[other]]"), text("Idea", "One", "nothing"),
	}
	eachDatabase(t, func(t *testing.T, s *Store) {
		saved(t, s, "other", "# Other\n", "third", "# Third\n", "names-one", "[[One]]\n", "names-two", "[[Two]]\n")
		for i, version := range versions {
			d := s.Begin(View{})
			if version == "" {
				if err := d.Delete(t.Context(), "ws", "n", Any); err != nil {
					t.Fatal(err)
				}
			} else {
				save(t, d, "n", version)
			}
			commit(t, d)

			d = s.Begin(View{})
			got := []string{}
			for _, class := range []string{"Task", "Idea"} {
				list, err := notes(t.Context(), d, Selection{Class: class})
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, class+fmt.Sprint(ids(list)))
			}
			all, err := d.Links(t.Context(), "ws", "", "", 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range all {
				if l.Source == "n" || l.Target == "n" {
					got = append(got, fmt.Sprintf("%s %s %s %v", l.Source, l.Target, l.Kind, l.Resolved))
				}
			}
			wanted := []string{"Task[]", "Idea[]"}
			if fields := strings.Fields(version); len(fields) > 0 {
				class, title, link := fields[2], fields[5], fields[7]
				for i := range wanted {
					if strings.HasPrefix(wanted[i], class) {
						wanted[i] = class + "[n]"
					}
				}
				switch name, isURI := strings.CutPrefix(link, "workspace://ws/notes/"); {
				case isURI:
					wanted = append(wanted, "n "+strings.TrimSuffix(name, ".")+" uri true")
				case strings.HasPrefix(link, "[["):
					wanted = append(wanted, "n "+strings.Trim(link, "[].")+" wiki true")
				}
				wanted = append(wanted, "names-"+strings.ToLower(title)+" n wiki true")
			}
			want(t, fmt.Sprintf("after save %d", i), got, wanted)
		}
	})
}
