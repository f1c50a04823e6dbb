package markdown

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/runtest"
)

// An outline that follows what has come and gone is the one that is made of all names,
// and the one before stays as it was.
func TestOutlineFollows(t *testing.T) {
	runtest.InOrder(t)
	random := rand.New(rand.NewPCG(3, 3))
	followed := 0
	files := map[string]bool{}
	folders := map[string]bool{}
	last := folder.Listing{}
	o := newOutline(last)
	for range 3000 {
		for range 1 + random.IntN(3) {
			changeNames(random, files, folders)
		}
		now := folder.Listing{Files: slices.Sorted(maps.Keys(files)), Folders: slices.Sorted(maps.Keys(folders))}
		removed, added := differences(last.Files, now.Files)
		want, before := newOutline(now), describeOutline(o)
		if got := o.tryFollow(last, now, added, removed); got != nil {
			followed++
			if g, w := describeOutline(got), describeOutline(want); g != w {
				t.Fatalf("%q and %q to %q and %q is\n%s\nwant\n%s", last.Folders, last.Files, now.Folders, now.Files, g, w)
			}
			want = got
		}
		if after := describeOutline(o); after != before {
			t.Fatalf("the outline before has changed from\n%s\nto\n%s", before, after)
		}
		last, o = now, want
	}
	if followed < 1500 {
		t.Errorf("only %d were followed", followed)
	}
}

// changeNames adds or removes one name, with the folders above and all that is below.
func changeNames(random *rand.Rand, files, folders map[string]bool) {
	if len(files)+len(folders) > 0 && random.IntN(2) == 0 {
		all := slices.Concat(slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(folders)))
		name := all[random.IntN(len(all))]
		below := func(other string, _ bool) bool { return other == name || strings.HasPrefix(other, name+"/") }
		maps.DeleteFunc(files, below)
		maps.DeleteFunc(folders, below)
		return
	}
	parts := []string{"a", "b", "a b", "a.b"}
	var name string
	for range 1 + random.IntN(3) {
		name = path.Join(name, parts[random.IntN(len(parts))])
	}
	if random.IntN(4) > 0 {
		name += []string{".md", ".md", ".md", ".md", ".MD", ".png", "/_index.md"}[random.IntN(7)]
		files[name] = true
		name = path.Dir(name)
	}
	for ; name != "."; name = path.Dir(name) {
		folders[name] = true
	}
}

func describeOutline(o *outline) string {
	var b strings.Builder
	var write func(n *node, indent string)
	write = func(n *node, indent string) {
		fmt.Fprintf(&b, "%s%s %q %v\n", indent, n.place, n.page, n.folder)
		for _, c := range n.children {
			if o.places.at(c.place) != c {
				b.WriteString("another node\n")
			}
			write(c, indent+" ")
		}
	}
	write(o.root, "")
	for _, place := range slices.Sorted(maps.Keys(maps.Collect(o.places.all()))) {
		at := o.places.at(place)
		fmt.Fprintf(&b, "%s %s %q %v %d\n", place, at.place, at.page, at.folder, len(at.children))
	}
	fmt.Fprintf(&b, "%q %q %v %q %v", o.files, o.listed, o.indexed, o.ignored, len(o.attachments()))
	return b.String()
}
