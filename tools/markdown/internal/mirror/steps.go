package mirror

import (
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/internal/folder"
)

// A Step takes one page from what a side holds to what it will hold; nil is a
// missing page. It must not be carried out unless the side still holds Before and
// the path of After is free: the next plan makes up for a step that was not.
type Step struct {
	ID            string
	Before, After *Page
}

// MakeSteps orders what takes a side from one tree to another so that no step needs
// a path that another page still has. Pages that exchange their paths go by a
// numbered one.
func MakeSteps(from, want Tree) []Step {
	o := stepOrder{now: maps.Clone(from), want: want, taken: map[string]bool{}}
	if o.now == nil {
		o.now = Tree{}
	}
	for _, page := range from {
		o.taken[folder.FoldName(page.Path)] = true
	}
	var pending []string
	for _, id := range slices.Sorted(maps.Keys(from)) {
		if _, stays := want[id]; !stays {
			o.take(id, nil)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if page, exists := from[id]; !exists || page != want[id] {
			pending = append(pending, id)
		}
	}
	for len(pending) > 0 {
		blocked := slices.DeleteFunc(slices.Clone(pending), o.reach)
		if len(blocked) == len(pending) {
			o.park(blocked)
		}
		pending = blocked
	}
	return o.steps
}

// stepOrder is a side while its steps are put in order.
type stepOrder struct {
	now, want Tree
	taken     map[string]bool
	steps     []Step
}

// take adds the step of a page to what it will be.
func (o *stepOrder) take(id string, after *Page) {
	step := Step{ID: id, After: after}
	if before, exists := o.now[id]; exists {
		step.Before = &before
		delete(o.taken, folder.FoldName(before.Path))
		delete(o.now, id)
	}
	if after != nil {
		o.now[id] = *after
		o.taken[folder.FoldName(after.Path)] = true
	}
	o.steps = append(o.steps, step)
}

// reach takes a page to what is wanted, unless another page is in its way.
func (o *stepOrder) reach(id string) bool {
	want := o.want[id]
	name := folder.FoldName(want.Path)
	if now, exists := o.now[id]; o.taken[name] && (!exists || folder.FoldName(now.Path) != name) {
		return false
	}
	o.take(id, &want)
	return true
}

// park moves the first page that exists out of the way of the others. All of
// blocked wait for one another; so at least one of them exists.
func (o *stepOrder) park(blocked []string) {
	avoid := maps.Clone(o.taken)
	for _, page := range o.want {
		avoid[folder.FoldName(page.Path)] = true
	}
	for _, id := range blocked {
		if page, exists := o.now[id]; exists {
			page.Path = freePath(page.Path, avoid)
			o.take(id, &page)
			return
		}
	}
}
