package mirror_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/mirror"
)

// world is a folder and a database with people at both, and a mirror that is
// killed anywhere.
type world struct {
	t      *rapid.T
	trees  mirror.Trees
	copies []string
	lines  int
	wanted map[string]bool // lines that nobody has removed
}

// Whatever people do at both sides, and wherever the mirror is killed, both sides
// become the same, and no line is lost that nobody removed.
func TestBothSidesConverge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, wanted: map[string]bool{}, trees: mirror.Trees{Base: mirror.Tree{}, Disk: mirror.Tree{}, Database: mirror.Tree{}}}
		for range rapid.IntRange(1, 25).Draw(t, "rounds") {
			for range rapid.IntRange(0, 4).Draw(t, "edits") {
				w.edit()
			}
			w.mirror(rapid.Float64Range(0, 1).Draw(t, "risk"))
		}
		w.mirror(0)
		if !maps.Equal(w.trees.Disk, w.trees.Database) || !maps.Equal(w.trees.Disk, w.trees.Base) {
			t.Fatalf("the sides differ\ndisk %q\ndatabase %q\nbase %q", w.trees.Disk, w.trees.Database, w.trees.Base)
		}
		if p := mirror.MakePlan(w.trees); !maps.Equal(p.Want, w.trees.Disk) || len(p.Copies) > 0 {
			t.Fatalf("sides that agree get a plan: %q", p)
		}
		w.checkPaths(w.trees.Disk)
		kept := strings.Join(w.copies, "")
		for _, page := range w.trees.Disk {
			kept += page.Content
		}
		for line := range w.wanted {
			if !strings.Contains(kept, line) {
				t.Fatalf("lost %q; kept %q; trees %q", line, kept, w.trees)
			}
		}
	})
}

// side is one of both, as a person draws it.
func (w *world) side() mirror.Tree {
	if rapid.Bool().Draw(w.t, "on disk") {
		return w.trees.Disk
	}
	return w.trees.Database
}

func (w *world) line() string {
	w.lines++
	line := fmt.Sprintf("<%d>\n", w.lines)
	w.wanted[line] = true
	return line
}

// edit is what a person does to one side.
func (w *world) edit() {
	side := w.side()
	path := rapid.SampledFrom([]string{"A.md", "B.md", "a.md", "B-2.md", "F/A.md"}).Draw(w.t, "path")
	ids := slices.Sorted(maps.Keys(side))
	action := "create"
	if len(ids) > 0 {
		action = rapid.SampledFrom([]string{"create", "insert", "insert", "replace", "replace", "move", "exchange", "delete"}).Draw(w.t, "action")
	}
	if action == "create" {
		id := fmt.Sprint("id", rapid.IntRange(0, 5).Draw(w.t, "id"))
		if _, exists := side[id]; !exists && isFree(side, path) {
			side[id] = mirror.Page{Path: path, Content: w.line() + w.line() + w.line()}
		}
		return
	}
	id := rapid.SampledFrom(ids).Draw(w.t, "page")
	page := side[id]
	lines := strings.SplitAfter(page.Content, "\n")
	at := rapid.IntRange(0, len(lines)-1).Draw(w.t, "line")
	switch action {
	case "insert":
		lines = slices.Insert(lines, at, w.line())
	case "replace":
		delete(w.wanted, lines[at])
		lines[at] = w.line()
	case "move":
		if isFree(side, path) {
			page.Path = path
		}
	case "exchange":
		other := rapid.SampledFrom(ids).Draw(w.t, "other")
		with := side[other]
		if other != id {
			page.Path, with.Path = with.Path, page.Path
			side[other] = with
		}
	case "delete":
		for _, line := range lines {
			delete(w.wanted, line)
		}
		delete(side, id)
		return
	}
	page.Content = strings.Join(lines, "")
	side[id] = page
}

func isFree(side mirror.Tree, path string) bool {
	for _, page := range side {
		if folder.FoldName(page.Path) == folder.FoldName(path) {
			return false
		}
	}
	return true
}

// mirror makes a plan and carries it out, unless it is killed or people are faster.
func (w *world) mirror(risk float64) {
	killed := func() bool { return risk > 0 && rapid.Float64Range(0, 1).Draw(w.t, "luck") < risk/8 }
	disturb := func() {
		if risk > 0 && rapid.IntRange(0, 3).Draw(w.t, "disturbed") == 0 {
			w.edit()
		}
	}
	plan := mirror.MakePlan(w.trees)
	w.checkPaths(plan.Want)
	onDisk, inDatabase := mirror.MakeSteps(w.trees.Disk, plan.Want), mirror.MakeSteps(w.trees.Database, plan.Want)
	agreed := map[string]int{}
	for _, lost := range plan.Copies {
		if killed() {
			return
		}
		w.copies = append(w.copies, lost.Content)
	}
	for _, side := range []struct {
		tree  mirror.Tree
		steps []mirror.Step
	}{{w.trees.Disk, onDisk}, {w.trees.Database, inDatabase}} {
		late := map[string]bool{}
		for _, s := range side.steps {
			disturb()
			if killed() {
				return
			}
			late[s.ID] = !w.take(side.tree, s)
		}
		for _, id := range allIDs(w.trees.Base, plan.Want) {
			if !late[id] {
				agreed[id]++
			}
		}
	}
	for id, sides := range agreed {
		if killed() {
			return
		}
		if page, exists := plan.Want[id]; sides == 2 && exists {
			w.trees.Base[id] = page
		} else if sides == 2 {
			delete(w.trees.Base, id)
		}
	}
}

func allIDs(a, b mirror.Tree) []string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}

// take carries out a step if the side is as the plan saw it.
func (w *world) take(side mirror.Tree, s mirror.Step) bool {
	now, exists := side[s.ID]
	if exists != (s.Before != nil) || exists && now != *s.Before {
		return false
	}
	if s.After == nil {
		delete(side, s.ID)
		return true
	}
	delete(side, s.ID)
	if !isFree(side, s.After.Path) {
		if exists {
			side[s.ID] = now
		}
		return false
	}
	side[s.ID] = *s.After
	return true
}

func (w *world) checkPaths(tree mirror.Tree) {
	seen := map[string]string{}
	for id, page := range tree {
		name := folder.FoldName(page.Path)
		if seen[name] != "" {
			w.t.Fatalf("%s and %s have one path: %q", id, seen[name], tree)
		}
		seen[name] = id
	}
}
