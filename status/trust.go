package status

import "time"

// An Approval is one call that waits for a person. Its Plan, with the diff, is
// what [Client].Preview answers to an Allow of it.
type Approval struct {
	ID      string    `json:"id"`
	Since   time.Time `json:"since"`
	Until   time.Time `json:"until"` // then it is refused by itself
	Session string    `json:"session"`
	Client  string    `json:"client"`
	Proven  bool      `json:"proven,omitempty"`
	Source  string    `json:"source"`
	Tool    string    `json:"tool"`
	Effect  string    `json:"effect"`
	Targets []string  `json:"targets"`          // what would change, at most ten
	More    int       `json:"more"`             // how many targets there are besides
	Why     string    `json:"why"`              // the rule that asks, in words
	Reason  string    `json:"reason,omitempty"` // why the agent wants it, in its own words; empty: it does not say
	Args    string    `json:"args"`             // the arguments as JSON, cut at 2 KB
}

// An ApprovalOutcome is what became of an Approval that waits no more.
type ApprovalOutcome struct {
	ID         string     `json:"id"` // of the Approval
	Resolution Resolution `json:"as"`
	By         By         `json:"by,omitempty"` // empty: nobody answered
}

// Resolution says how an Approval ended.
type Resolution string

// The closed list of endings.
const (
	Allowed    Resolution = "allowed"
	Refused    Resolution = "refused"
	TimedOut   Resolution = "too-late" // nobody answered in time
	ClientLeft Resolution = "left"     // whoever called waits no more
	AskedAgain Resolution = "anew"     // what is allowed has changed, so the call is judged again
)

// By says what kind of answerer ended an Approval.
type By string

// The answerers.
const (
	ByPerson By = "person" // in a panel, or by `lectern approve`
	ByClient By = "client" // who calls asked its own user
)

// Scope is how far an Answer reaches.
type Scope string

// The scopes.
const (
	Once       Scope = "once"
	ForSession Scope = "session" // this tool and source, until the session ends or anything about it changes
	Always     Scope = "always"  // writes a rule into the configuration
)

// An Answer is what a person says to an Approval.
type Answer struct {
	Scope  Scope  `json:"scope,omitempty"`  // of an Allow; empty: once
	Reason string `json:"reason,omitempty"` // of a Refuse: reaches the agent
}

// A Grant says what agents may do.
type Grant struct {
	Client  string   `json:"client,omitempty"` // empty: every client
	Source  string   `json:"source,omitempty"` // empty: every source
	Effects []string `json:"effects"`          // what is granted; what is not named is not
	Ask     []string `json:"ask,omitempty"`    // of these, what a person is asked about first
	Reset   bool     `json:"reset,omitempty"`  // instead: forget what was said of Client and Source
}

// An Option is a key of the configuration and its new value.
type Option struct {
	Key   string `json:"key"`   // "hub.port"
	Value string `json:"value"` // as a person types it; empty: back to the default
}

// Asked is the Code of a Call that was answered with a question to the client's
// user. It comes again with their answer, and is a Call of its own then.
const Asked = "asked"

// A Call is one call of a tool by an agent, after it has ended. It holds no
// content: sizes alone.
type Call struct {
	Seq           uint64        `json:"seq"` // counts up by one over all calls of a hub
	Time          time.Time     `json:"time"`
	Session       string        `json:"session"`
	Client        string        `json:"client"`
	Source        string        `json:"source"`
	Tool          string        `json:"tool"`
	Effect        string        `json:"effect"`
	Duration      time.Duration `json:"duration_ns"`
	RequestBytes  int           `json:"asked"`          // bytes of the arguments
	ResponseBytes int           `json:"answered"`       // bytes of the answer
	Code          string        `json:"code,omitempty"` // of the error, or Asked; empty: it went well
	Changes       []string      `json:"changes,omitempty"`
	Missed        uint64        `json:"missed,omitempty"` // calls before this one that were dropped because the reader was slow
}

// Failed reports whether the call ended with an error.
func (c *Call) Failed() bool { return c.Code != "" && c.Code != Asked }

// A CallQuery picks calls. A hub keeps the last few thousand.
type CallQuery struct {
	After  uint64 `json:"after,omitempty"`  // skips those up to and including this number
	Follow bool   `json:"follow,omitempty"` // goes on as calls end
}

// Outcome says what became of a Change.
type Outcome string

// The outcomes.
const (
	Written        Outcome = "written" // it happened, and stands
	Undone         Outcome = "undone"  // it was taken back
	OutcomeUnknown Outcome = "unsure"  // whether it happened is not known
)

// A Change is one write of one target by an agent, or by an undo.
type Change struct {
	ID         string    `json:"id"`
	Time       time.Time `json:"time"`
	Client     string    `json:"client"`
	Session    string    `json:"session"`
	Call       string    `json:"call"` // the same for all Changes of one call
	Source     string    `json:"source"`
	Tool       string    `json:"tool"`
	Target     string    `json:"target"`
	Action     string    `json:"action"` // "create", "update" or "delete"
	Outcome    Outcome   `json:"outcome"`
	Undoes     string    `json:"undoes,omitempty"` // the ID of the Change that this one took back
	Before     int       `json:"before"`           // bytes
	After      int       `json:"after"`
	Reason     string    `json:"reason,omitempty"`      // why the agent made it, in its own words
	CannotUndo string    `json:"cannot_undo,omitempty"` // why it cannot be undone; empty: it can
}

// A Filter says which Changes: by ID, or all that fit what is given.
type Filter struct {
	IDs     []string  `json:"ids,omitempty"`
	Source  string    `json:"source,omitempty"`
	Client  string    `json:"client,omitempty"`
	Session string    `json:"session,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Before  string    `json:"before,omitempty"` // for reading: older than the Change with this ID
	Limit   int       `json:"limit,omitempty"`  // for reading: 0: 100
	Merge   bool      `json:"merge,omitempty"`  // for undoing: keep later edits of a text by a three-way merge
}

// Changes are the Changes that a Pick picks, newest first.
type Changes struct {
	Changes []Change `json:"changes"`
	More    bool     `json:"more"` // there are older ones
	// Diffs are unified diffs by ID, for those that a Pick names by ID.
	Diffs map[string]string `json:"diffs,omitempty"`
}
