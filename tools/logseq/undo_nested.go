package logseq

import (
	"bytes"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// affectedTargets are the blocks and pages that some changes are about.
type affectedTargets struct {
	blocks, pages map[string]bool
}

// DifferOnlyWithin implements tools.NestedTargets: it compares two States
// without the blocks and pages that the changes are about.
func (g *Graph) DifferOnlyWithin(name string, a, b tools.State, changes []tools.Change) bool {
	t, err := parseTarget(name)
	if err != nil {
		return false
	}
	p := affectedTargets{map[string]bool{}, map[string]bool{}}
	for _, c := range changes {
		if p.add(c) != nil {
			return false
		}
	}
	if t.isBlock() {
		return p.blocks[t.name] || p.sameBlock(a, b)
	}
	return p.pages[t.name] && a.Exists != b.Exists || p.samePage(t, a, b)
}

func (p affectedTargets) add(c tools.Change) error {
	t, err := parseTarget(c.Target)
	if err != nil {
		return err
	}
	if t.isBlock() {
		p.blocks[t.name] = true
	} else {
		p.pages[t.name] = true
	}
	for _, s := range []tools.State{c.Before, c.After} {
		if t.isBlock() {
			k, err := decodeState[blockSnapshot](s)
			if err != nil {
				return err
			}
			p.addBlocks(k.Children)
			continue
		}
		k, err := decodeState[pageSnapshot](s)
		if err != nil {
			return err
		}
		p.pages[k.Name] = true
		p.addBlocks(k.Blocks)
	}
	return nil
}

func (p affectedTargets) addBlocks(blocks []blockTree) {
	for _, b := range blocks {
		p.blocks[string(b.UUID)] = true
		p.addBlocks(b.Children)
	}
}

// remaining returns blocks without those that the changes are about.
func (p affectedTargets) remaining(blocks []blockTree) []blockTree {
	var rest []blockTree
	for _, b := range blocks {
		if !p.blocks[string(b.UUID)] {
			b.Children = p.remaining(b.Children)
			rest = append(rest, b)
		}
	}
	return rest
}

func (p affectedTargets) sameBlock(a, b tools.State) bool {
	x, errX := decodeState[blockSnapshot](a)
	y, errY := decodeState[blockSnapshot](b)
	if errX != nil || errY != nil || a.Exists != b.Exists {
		return false
	}
	x.blockPlace, y.blockPlace = x.home(), y.home()
	if p.pages[x.Page] && p.pages[y.Page] { // renamed
		x.Page, y.Page = "", ""
	}
	x.Children, y.Children = p.remaining(x.Children), p.remaining(y.Children)
	return bytes.Equal(encodeState(x).Data, encodeState(y).Data)
}

// samePage compares pages. If the changes include the head of this page, its
// name and properties are not compared.
func (p affectedTargets) samePage(t target, a, b tools.State) bool {
	x, errX := decodeState[pageSnapshot](a)
	y, errY := decodeState[pageSnapshot](b)
	if errX != nil || errY != nil || a.Exists != b.Exists {
		return false
	}
	if slices.ContainsFunc([]string{t.name, x.Name, y.Name}, func(name string) bool { return p.pages[name] }) {
		x = pageSnapshot{Blocks: x.Blocks}
		y = pageSnapshot{Blocks: y.Blocks}
	}
	x.Blocks, y.Blocks = p.remaining(x.Blocks), p.remaining(y.Blocks)
	return bytes.Equal(encodeState(x).Data, encodeState(y).Data)
}
