package markdown

import (
	"iter"
	"maps"
)

// A placeMap holds nodes by their places. A fork of it shares what neither has changed, so that
// to change a few of very many is cheap. What has been forked must not be changed.
type placeMap struct {
	base map[string]*node
	over map[string]*node // in a fork: what differs from base; nil is none
}

// maxOver is how many places of a fork differ from its base until it gets one of its own.
const maxOver = 1000

// fork is a placeMap with the same nodes, which may be changed.
func (p placeMap) fork() placeMap {
	if len(p.over) > maxOver {
		return placeMap{base: maps.Collect(p.all()), over: map[string]*node{}}
	}
	over := maps.Clone(p.over)
	if over == nil {
		over = map[string]*node{}
	}
	return placeMap{p.base, over}
}

// at is the node of a place; nil: there is none.
func (p placeMap) at(place string) *node {
	if at, differs := p.over[place]; differs {
		return at
	}
	return p.base[place]
}

// set puts a node at a place; nil removes it.
func (p placeMap) set(place string, at *node) {
	switch {
	case p.over != nil:
		p.over[place] = at
	case at != nil:
		p.base[place] = at
	default:
		delete(p.base, place)
	}
}

// all visits every place in any order.
func (p placeMap) all() iter.Seq2[string, *node] {
	return func(yield func(string, *node) bool) {
		for place, at := range p.base {
			if _, differs := p.over[place]; !differs && !yield(place, at) {
				return
			}
		}
		for place, at := range p.over {
			if at != nil && !yield(place, at) {
				return
			}
		}
	}
}

// most is at least the number of places.
func (p placeMap) most() int { return len(p.base) + len(p.over) }
