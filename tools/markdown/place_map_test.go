package markdown

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// A fork is a map of its own, however often it is forked, and what it was forked from
// stays as it was.
func TestPlaceMap(t *testing.T) {
	runtest.InOrder(t)
	r := rand.New(rand.NewPCG(1, 1))
	want := map[string]*node{}
	for i := range 3000 {
		want[fmt.Sprint(i)] = &node{place: fmt.Sprint(i)}
	}
	p, rebased := placeMap{base: maps.Clone(want)}, 0
	for round := range 40 {
		before, was := p, maps.Clone(want)
		if p = before.fork(); len(before.over) > 0 && len(p.over) == 0 {
			rebased++
		}
		for range 100 {
			place := fmt.Sprint(r.IntN(4000))
			at := &node{place: place}
			if r.IntN(3) == 0 {
				at = nil
				delete(want, place)
			} else {
				want[place] = at
			}
			p.set(place, at)
		}
		for _, one := range []struct {
			got  placeMap
			want map[string]*node
		}{{p, want}, {before, was}} {
			if !maps.Equal(maps.Collect(one.got.all()), one.want) || one.got.most() < len(one.want) {
				t.Fatalf("round %d: %d places, want %d", round, len(maps.Collect(one.got.all())), len(one.want))
			}
			for i := range 4000 {
				if place := fmt.Sprint(i); one.got.at(place) != one.want[place] {
					t.Fatalf("round %d: %s is %v, want %v", round, place, one.got.at(place), one.want[place])
				}
			}
		}
	}
	if rebased == 0 {
		t.Error("no fork has got a base of its own")
	}
}
