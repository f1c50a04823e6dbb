package status

import (
	"fmt"
	"slices"
	"time"
)

// Outcome is the present state of a Change.
type Outcome string

// The outcomes.
const (
	Written Outcome = "written" // it happened and has not been undone
	Undone  Outcome = "undone"  // it has been undone
	// OutcomeUnknown: writing it was interrupted, and its target holds neither what
	// it held before nor what was to be written: somebody has edited it since. It
	// is left as it is. Until the source serves again all that was interrupted is
	// unknown.
	OutcomeUnknown Outcome = "unknown"
)

// A Change is one write of one target by an agent, or by an undo.
type Change struct {
	ID         string    `json:"id"`
	Time       time.Time `json:"time"`
	Client     string    `json:"client"`
	Session    string    `json:"session"`
	Call       string    `json:"call"`            // the same for all Changes of one call
	Group      string    `json:"group,omitempty"` // the same for all Changes that are undone with it, of a call that made others; empty: none
	Source     string    `json:"source"`
	Tool       string    `json:"tool"`
	Target     string    `json:"target"`
	Action     string    `json:"action"` // "create", "update" or "delete"
	Outcome    Outcome   `json:"outcome"`
	Undoes     string    `json:"undoes,omitempty"` // the ID of the Change that this one undid
	Before     int       `json:"before"`           // bytes
	After      int       `json:"after"`
	Reason     string    `json:"reason,omitempty"`      // why the agent made it, in its own words
	Approval   string    `json:"approval,omitempty"`    // the ID of the person's approval that let its call through; empty: nobody was asked
	CannotUndo string    `json:"cannot_undo,omitempty"` // why not; empty: it can be undone
	PersonEdit

	// MovedFrom is what the target that a Change creates was called before its call moved it, and MovedTo
	// where the one that it deletes was moved; empty: it was not moved.
	MovedFrom string `json:"moved_from,omitempty"`
	MovedTo   string `json:"moved_to,omitempty"`
	// MovedLinks is how many links its call changed with all that it moved; 0 also of all but one of these.
	MovedLinks int `json:"moved_links,omitempty"`
}

// Summary says what the Change did: "update a.md", "move a.md → b.md and 3 links".
func (c Change) Summary() string {
	switch links := (TargetMove{Links: c.MovedLinks}).LinksText(); {
	case c.MovedTo != "":
		return "move " + c.Target + " → " + c.MovedTo
	case c.MovedFrom == "":
		return c.Action + " " + c.Target
	case links != "":
		return fmt.Sprintf("move %s → %s and %s", c.MovedFrom, c.Target, links)
	default:
		return "move " + c.MovedFrom + " → " + c.Target
	}
}

// MergeMoves leaves out each Change that deletes what another one of changes created under another name:
// that one stands for the move.
func MergeMoves(changes []Change) []Change {
	type half struct{ call, source, from, to string }
	created := map[half]bool{}
	for _, c := range changes {
		if c.MovedFrom != "" {
			created[half{c.Call, c.Source, c.MovedFrom, c.Target}] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		return c.MovedTo != "" && created[half{c.Call, c.Source, c.Target, c.MovedTo}]
	})
}

// A Filter selects Changes: by ID, or all that match every field that is set.
type Filter struct {
	IDs     []string  `json:"ids,omitempty"`
	Source  string    `json:"source,omitempty"`
	Client  string    `json:"client,omitempty"`
	Session string    `json:"session,omitempty"`
	Group   string    `json:"group,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Before  string    `json:"before,omitempty"` // for reading: older than the Change with this ID
	Limit   int       `json:"limit,omitempty"`  // for reading: 0: 100
	Merge   bool      `json:"merge,omitempty"`  // for undoing: keep later edits of a text by a three-way merge
	Skip    bool      `json:"skip,omitempty"`   // for undoing: undo the other calls if some cannot be undone
}

// Changes are the Changes that a Filter selects, newest first.
type Changes struct {
	Changes []Change `json:"changes"`
	More    bool     `json:"more"` // there are older ones
	// Diffs are unified diffs by ID, for those that a Filter names by ID.
	Diffs map[string]string `json:"diffs,omitempty"`
}
