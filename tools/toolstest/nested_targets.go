package toolstest

import "github.com/lectern-mcp/lectern/tools"

// NestedTargets describes a fixture in which targets contain each other, as a
// page contains blocks. The suite uses it instead of comparing States. All
// funcs are set.
type NestedTargets struct {
	// SameState reports whether two States of a target count as equal for
	// [tools.Restorer], as when only a neighbour differs.
	SameState func(target string, a, b tools.State) bool
	// Affects reports whether the target of a Change contains another target,
	// is inside it or names it, so that undoing the Change may turn what that
	// held from was to now.
	Affects func(c tools.Change, target string, was, now tools.State) bool
	// Blocked reports whether a Change cannot be undone now because something
	// that its target depends on is missing.
	Blocked func(c tools.Change) bool
}

func (p Fixture) sameState(target string, a, b tools.State) bool {
	return equalStates(a, b) || p.Nested != nil && p.Nested.SameState(target, a, b)
}

// affected reports whether one of changes may have changed a target.
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
