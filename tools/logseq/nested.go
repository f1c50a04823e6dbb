package logseq

import (
	"bytes"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// A patch is what some changes are about: the blocks and pages in them.
type patch struct {
	blocks, pages map[string]bool
}

// DifferOnlyWithin implements tools.Nester: two States are one but for the changes when
// they are equal without the blocks and pages that those are about.
func (g *Graph) DifferOnlyWithin(name string, a, b tools.State, changes []tools.Change) bool {
	t, err := targetOf(name)
	if err != nil {
		return false
	}
	p := patch{map[string]bool{}, map[string]bool{}}
	for _, c := range changes {
		if p.add(c) != nil {
			return false
		}
	}
	if t.blocky() {
		return p.blocks[t.name] || p.sameBlock(a, b)
	}
	return p.pages[t.name] && a.Exists != b.Exists || p.samePage(t, a, b)
}

func (p patch) add(c tools.Change) error {
	t, err := targetOf(c.Target)
	if err != nil {
		return err
	}
	if t.blocky() {
		p.blocks[t.name] = true
	} else {
		p.pages[t.name] = true
	}
	for _, s := range []tools.State{c.Before, c.After} {
		if t.blocky() {
			k, err := read[kept](s)
			if err != nil {
				return err
			}
			p.hold(k.Children)
			continue
		}
		k, err := read[keptPage](s)
		if err != nil {
			return err
		}
		p.pages[k.Name] = true
		p.hold(k.Blocks)
	}
	return nil
}

func (p patch) hold(blocks []keptBlock) {
	for _, b := range blocks {
		p.blocks[string(b.UUID)] = true
		p.hold(b.Children)
	}
}

// rest is blocks without those that the changes are about.
func (p patch) rest(blocks []keptBlock) []keptBlock {
	var rest []keptBlock
	for _, b := range blocks {
		if !p.blocks[string(b.UUID)] {
			b.Children = p.rest(b.Children)
			rest = append(rest, b)
		}
	}
	return rest
}

func (p patch) sameBlock(a, b tools.State) bool {
	x, errX := read[kept](a)
	y, errY := read[kept](b)
	if errX != nil || errY != nil || a.Exists != b.Exists {
		return false
	}
	x.After, y.After = "", ""
	if p.pages[x.Page] && p.pages[y.Page] { // renamed
		x.Page, y.Page = "", ""
	}
	x.Children, y.Children = p.rest(x.Children), p.rest(y.Children)
	return bytes.Equal(stateOf(x).Data, stateOf(y).Data)
}

// samePage compares pages. That a head among the changes is of the same page
// says that those are about its name and properties.
func (p patch) samePage(t target, a, b tools.State) bool {
	x, errX := read[keptPage](a)
	y, errY := read[keptPage](b)
	if errX != nil || errY != nil || a.Exists != b.Exists {
		return false
	}
	if slices.ContainsFunc([]string{t.name, x.Name, y.Name}, func(name string) bool { return p.pages[name] }) {
		x = keptPage{Blocks: x.Blocks}
		y = keptPage{Blocks: y.Blocks}
	}
	x.Blocks, y.Blocks = p.rest(x.Blocks), p.rest(y.Blocks)
	return bytes.Equal(stateOf(x).Data, stateOf(y).Data)
}
