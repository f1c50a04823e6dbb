package status

import "time"

// Asked is the Code of a Call that was answered with a question to the client's
// user. The client repeats it with their answer, and that is a Call of its own.
const Asked = "asked"

// A Call is one call of a tool by an agent, after it has ended. It holds no
// content, only sizes.
type Call struct {
	Seq           uint64        `json:"seq"` // counts up by one over all calls of a hub
	Time          time.Time     `json:"time"`
	Session       string        `json:"session"`
	Client        string        `json:"client"`
	Source        string        `json:"source"`
	Tool          string        `json:"tool"`
	Effect        string        `json:"effect"`
	Duration      time.Duration `json:"duration_ns"`
	RequestBytes  int           `json:"request_bytes"`  // of the arguments
	ResponseBytes int           `json:"response_bytes"` // of the answer
	Code          string        `json:"code,omitempty"` // of the error, or Asked; empty: it succeeded
	Changes       []string      `json:"changes,omitempty"`
	Targets       []string      `json:"targets,omitempty"` // what it touched, as far as its tool tells: at most 20 names, shortened
	Missed        uint64        `json:"missed,omitempty"`  // calls before this one that were dropped because the reader was slow
}

// Failed reports whether the call ended with an error.
func (c *Call) Failed() bool { return c.Code != "" && c.Code != Asked }

// A CallFilter selects calls. A hub keeps the last few thousand.
type CallFilter struct {
	After  uint64 `json:"after,omitempty"`  // skip those up to and including this number
	Follow bool   `json:"follow,omitempty"` // go on as calls end
}

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
	CannotUndo string    `json:"cannot_undo,omitempty"` // why not; empty: it can be undone
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
