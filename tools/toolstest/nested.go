package toolstest

import "github.com/lectern-mcp/lectern/tools"

// Nested says of a place whose targets lie within or beside each other, as
// blocks do on a page, what follows from that. The suite asks it instead of
// taking every State for its target's own. All funcs are set.
type Nested struct {
	// Same reports whether two States of a target are one to [tools.Keeper], as
	// where they differ in a neighbour alone.
	Same func(target string, a, b tools.State) bool
	// Touches reports whether what a Change is about holds another target, lies
	// in it or names it, so that taking the Change back may well turn what that
	// held from was to now.
	Touches func(c tools.Change, target string, was, now tools.State) bool
	// Stuck reports whether a Change cannot be taken back at the moment because
	// what its target hangs on is gone, though the target is as it was left.
	Stuck func(c tools.Change) bool
}

func (p Place) same(target string, a, b tools.State) bool {
	return equalStates(a, b) || p.Nested != nil && p.Nested.Same(target, a, b)
}

// touched says whether one of changes may have changed a target.
func (p Place) touched(changes []tools.Change, target string, was, now tools.State) bool {
	for _, c := range changes {
		if c.Target == target || p.Nested != nil && p.Nested.Touches(c, target, was, now) {
			return true
		}
	}
	return false
}

func (p Place) stuck(changes []tools.Change) bool {
	for _, c := range changes {
		if p.Nested != nil && p.Nested.Stuck(c) {
			return true
		}
	}
	return false
}
