package tools

import "context"

// A State is all that a target holds at one moment, in its System's own form:
// the bytes of a file, a note as JSON, a block with its place and its
// properties. From a State the System can make the target again exactly.
type State struct {
	Exists bool   // false: the target is not there, and the other fields are empty
	Data   []byte // whole and lossless; text as far as the System's data is text
	Mode   uint32 // permission bits of a file; 0: the System has none
}

// A Change is what a call does to one target.
type Change struct {
	// Target names what changes as a person would, and for good: a path, a page,
	// "block 6512a7…". The System finds it by this name alone.
	Target string
	Before State
	After  State
	// AfterUnknown says that After is not known before the write, as where another
	// application decides it; [CallContext].Changed then tells it. Until then After
	// is what is expected, for a person who is asked, or not there.
	AfterUnknown bool
}

// A Restorer is a [Source] whose Changes can be taken back. Every Source with a
// tool that writes or deletes is one; the suite sees to it.
type Restorer interface {
	// State is what target holds now. A target that is not there is no error. It
	// may be asked from within [CallContext].Changing.
	State(ctx context.Context, target string) (State, error)
	// Restore takes every target from its Before to its After. It changes
	// nothing and answers Conflict, naming the target, if one of them holds
	// something else than its Before. A target that only holds others is made
	// where it is missing and removed when nothing is left in it; it is no
	// conflict and not reported where it is there already or must stay. Restore
	// reports to c like any tool that writes.
	Restore(ctx context.Context, c CallContext, changes []Change) error
}

// A NestedTargets is a [Restorer] with targets that lie within others, as blocks do on a
// page, so that a Change of one changes what another holds.
type NestedTargets interface {
	// DifferOnlyWithin reports whether two States of target differ by nothing but what lies
	// in the targets of changes, or they in it. It is asked which of a later
	// call's Changes explain that a target is not as an earlier one left it.
	DifferOnlyWithin(target string, a, b State, changes []Change) bool
}

// A ChangeFilter is a [Restorer] that can tell which Changes are kept from agents. What
// the Changes of another hide is not known, so where anything is hidden an
// agent sees none of them.
type ChangeFilter interface {
	// HidesChange says whether agents must not know of c: its target is hidden as it
	// is now, or as it was before or after. What cannot be told is hidden. A
	// target that only holds others is hidden by its name alone.
	HidesChange(ctx context.Context, c Change) (bool, error)
}
