package tools

import "context"

// A State is everything that a target holds at one moment, in a form of its
// System: the bytes of a file, a note as JSON, a block with its position and
// properties. The System can recreate the target from it exactly.
type State struct {
	Exists bool   // false: there is no such target, and Data and Mode are empty
	Data   []byte // complete and lossless; text if the System's data is text
	Mode   uint32 // permission bits of a file; 0 if the System has none
	// Revision is the id of the write that made it so, where the System keeps revisions
	// of such targets; empty: it does not, or it is not known any more of a target that was
	// deleted. It tells two writes of the same contents apart, and is not restored.
	Revision string
}

// A Change is what a call does to one target.
type Change struct {
	// Target is a permanent name that a person understands: a path, a page,
	// "block 6512a7…". The System finds the target by this name.
	Target string
	Before State
	After  State
	// AfterUnknown means that another application decides After when it writes.
	// [CallContext].AfterWrite reports it then. Before the write After is
	// the expected state, to show to a person, or empty.
	AfterUnknown bool
}

// A RevisionRestorer is a [Restorer] whose targets have revisions. It puts the id of the one
// that a write makes into the After of a Change before it writes, and writes all that has
// revisions in one step: after the process has died the id says whether it did.
type RevisionRestorer interface {
	// HasRevision reports whether a target was given a revision. It may have been written
	// again since.
	HasRevision(ctx context.Context, target, revision string) (bool, error)
}

// A Restorer is a [Source] whose Changes can be undone. The suite demands it of
// every Source with a tool that writes or deletes.
type Restorer interface {
	// State returns what target holds now. A missing target is not an error.
	// [CallContext].BeforeWrite may call it.
	State(ctx context.Context, target string) (State, error)
	// Restore takes every target from its Before to its After. If a target does
	// not hold its Before, in the revision that it names if it names one, Restore changes
	// nothing and returns Conflict with the target's name. A container, such as a folder, is created if it is missing
	// and removed when it becomes empty; if it exists already or must stay, that
	// is neither a conflict nor reported. Restore reports to c like any tool
	// that writes.
	Restore(ctx context.Context, c CallContext, changes []Change) error
}

// An UndoFilter is a [Restorer] with Changes that no undo takes back, such as that a
// key was revoked. Restore refuses them, too.
type UndoFilter interface {
	// CheckUndo returns why c, which takes a target back, must not be made: Denied,
	// with what to do instead. nil: it may be made. It looks at nothing but c.
	CheckUndo(c Change) error
}

// NestedTargets is a [Restorer] with targets inside other targets, as blocks are
// on a page, so that a Change of one changes what another holds.
type NestedTargets interface {
	// DifferOnlyWithin reports whether two States of target differ only in what
	// changes are about. The journal uses it to find out whether the Changes of
	// a later call explain why a target is not as an earlier call left it.
	DifferOnlyWithin(target string, a, b State, changes []Change) bool
}

// A ChangeFilter is a [Restorer] that can tell which Changes are hidden from
// agents. Without it, agents see no Changes of a source that hides anything.
type ChangeFilter interface {
	// HidesChange reports whether agents must not see c because its target is
	// hidden now, or was before or after the Change. When in doubt it is hidden.
	// A container is hidden only by its name.
	HidesChange(ctx context.Context, c Change) (bool, error)
}
