package toolstest

import "github.com/lectern-mcp/lectern/tools"

// NestedTargets says of a place whose targets lie within or beside each other, as
// blocks do on a page, what follows from that. The suite asks it instead of
// taking every State for its target's own. All funcs are set.
type NestedTargets struct {
	// SameState reports whether two States of a target are one to [tools.Keeper], as
	// where they differ in a neighbour alone.
	SameState func(target string, a, b tools.State) bool
	// Affects reports whether what a Change is about holds another target, lies
	// in it or names it, so that taking the Change back may well turn what that
	// held from was to now.
	Affects func(c tools.Change, target string, was, now tools.State) bool
	// Blocked reports whether a Change cannot be taken back at the moment because
	// what its target hangs on is gone, though the target is as it was left.
	Blocked func(c tools.Change) bool
}

func (p Fixture) sameState(target string, a, b tools.State) bool {
	return equalStates(a, b) || p.Nested != nil && p.Nested.SameState(target, a, b)
}

// affected says whether one of changes may have changed a target.
func (p Fixture) affected(changes []tools.Change, target string, was, now tools.State) bool {
	for _, c := range changes {
		if c.Target == target || p.Nested != nil && p.Nested.Affects(c, target, was, now) {
			return true
		}
	}
	return false
}

func (p Fixture) blocked(changes []tools.Change) bool {
	for _, c := range changes {
		if p.Nested != nil && p.Nested.Blocked(c) {
			return true
		}
	}
	return false
}
