package status

import (
	"strconv"
	"time"
)

// An Approval is one call that waits for a person. Its Plan, with the beginning
// and the end of long diffs, is what [Client].Preview answers for the action that
// allows it; [ApprovalTargetsQuery] and [ApprovalTextQuery] answer all.
type Approval struct {
	ID      string    `json:"id"`
	Since   time.Time `json:"since"`
	Until   time.Time `json:"until"` // then it is refused
	Session string    `json:"session"`
	Client  string    `json:"client"`
	Proven  bool      `json:"proven,omitempty"`
	Source  string    `json:"source"`
	Tool    string    `json:"tool"`
	Effect  string    `json:"effect"`
	Targets []string  `json:"targets"` // what would change, at most ten; "old.md → new.md" moves
	More    int       `json:"more"`    // how many targets there are beyond those
	// Move says that it would move targets; nil: it would do something else, or more.
	Move *TargetMove `json:"move,omitempty"`

	Added     int    `json:"added"`            // lines, of all targets
	Removed   int    `json:"removed"`          // lines, of all targets
	Bytes     int    `json:"bytes"`            // of the whole text of what it would do
	Shown     bool   `json:"shown,omitempty"`  // a person was shown all of it; see [MarkShown]
	AskReason string `json:"why"`              // the rule that asks, in words
	Reason    string `json:"reason,omitempty"` // why the agent wants it, in its own words; empty: no reason given
	// it cannot be allowed for longer: it makes other calls, or its client has not proved its name
	OnlyOnce bool `json:"only_once,omitempty"`
	// Within is where a Permit that allows it can reach, the narrowest first: see
	// [Permit].Within. Empty: it cannot be allowed for ten minutes.
	Within []string `json:"within,omitempty"`
	// Plan names the change to the text of one page, which a person may allow in
	// part, or with a text of their own: see [TextEdit]. Empty: all of it or
	// nothing is allowed.
	Plan  string `json:"plan,omitempty"`
	Hunks int    `json:"hunks,omitempty"` // of that change, as its text shows them; 0 without a Plan
	Args  string `json:"args"`            // the arguments as JSON, cut at 2 KB
}

// ClientLabel is the name of a client for a person who decides: a name that is
// only claimed is quoted and marked, so that it cannot be taken for a proven one.
func ClientLabel(name string, proven bool) string {
	const most = 60 // characters
	switch runes := []rune(name); {
	case name == "":
		return "a client without a name"
	case proven:
		return name
	case len(runes) > most:
		return strconv.Quote(string(runes[:most])+"…") + " (claimed)"
	}
	return strconv.Quote(name) + " (claimed)"
}

// Bounds of one answer about an Approval; [ApprovalTargets].Next and
// [ApprovalText].Next say where to go on.
const (
	MaxApprovalTargets = 1000
	MaxApprovalText    = 256 << 10 // bytes
)

// An ApprovalRange asks for part of what a call that waits would do.
type ApprovalRange struct {
	ID   string `json:"id"`             // of the Approval
	From int    `json:"from,omitempty"` // the first target, or the first byte of the text
}

// ApprovalTargets are some of the targets of a call that waits, in the order of
// its text.
type ApprovalTargets struct {
	Targets []ApprovalTarget `json:"targets"`
	Total   int              `json:"total"`   // targets of the call
	Added   int              `json:"added"`   // lines, of all targets
	Removed int              `json:"removed"` // lines, of all targets
	Bytes   int              `json:"bytes"`   // of the whole text
	Next    int              `json:"next,omitempty"`
}

// An ApprovalTarget is one thing that a call would change, or a call that it
// would make which only reads.
type ApprovalTarget struct {
	Name    string `json:"name"`           // with its source, if there are several
	From    string `json:"from,omitempty"` // its name before it was moved; empty: it stays where it is
	Action  string `json:"action"`         // "create", "change", "move", "delete" or "call"
	Added   int    `json:"added"`          // lines; 0 also if it is not text
	Removed int    `json:"removed"`
	Offset  int    `json:"offset"` // of its part of the text, which begins with a headline
	Bytes   int    `json:"bytes"`  // of that part
}

// FullName is the name, of what moves both: "old.md → new.md".
func (t ApprovalTarget) FullName() string {
	if t.From == "" {
		return t.Name
	}
	return t.From + " → " + t.Name
}

// ApprovalText is part of the text of what a call that waits would do: for each
// target a headline and its diff, or its arguments where nothing more is known.
// Target names are escaped for a terminal, and diffs are as they are.
type ApprovalText struct {
	Text  string `json:"text"`
	From  int    `json:"from"`  // of its first byte: that of the request, or the start of a character
	Bytes int    `json:"bytes"` // of the whole text
	Next  int    `json:"next,omitempty"`
}

// An ApprovalOutcome says how an Approval ended.
type ApprovalOutcome struct {
	ID         string     `json:"id"` // of the Approval
	Resolution Resolution `json:"resolution"`
	By         By         `json:"by,omitempty"` // empty: it ended without an answer
	PersonEdit            // with which it was Allowed
	// Call is what became of the call that was Allowed; nil: it goes on, or the
	// client has not come back for it yet.
	Call *CallEnd `json:"call,omitempty"`
}

// A CallEnd says how a call ended that a person allowed.
type CallEnd struct {
	Code    string `json:"code,omitempty"`    // of the error that the agent was told; empty: it succeeded
	Message string `json:"message,omitempty"` // of that error
	// AskedAgain: nothing was written and the agent was told nothing, because what
	// the call would change had changed; it waits again, as another Approval.
	AskedAgain bool          `json:"asked_again,omitempty"`
	Changes    []string      `json:"changes,omitempty"` // the IDs of what it wrote, at most ten; empty: no Change is known
	Duration   time.Duration `json:"duration_ns"`       // from the answer to the end
}

// Resolution says how an Approval ended.
type Resolution string

// The closed list of resolutions.
const (
	Allowed    Resolution = "allowed"
	Refused    Resolution = "refused"
	TimedOut   Resolution = "timed-out"   // there was no answer in time
	ClientLeft Resolution = "client-left" // the caller cancelled or disconnected
	AskedAgain Resolution = "asked-again" // the policy has changed, so the call is decided again
	Displaced  Resolution = "displaced"   // its client had too many calls waiting
	Permitted  Resolution = "permitted"   // a Permit that a person gave meanwhile covers it, so it goes on
)

// By says who answered an Approval.
type By string

// The answerers.
const (
	ByPerson By = "person" // in a panel, or by `lectern approve`
	ByClient By = "client" // the MCP client asked its own user
)

// Scope is how far an Answer reaches.
type Scope string

// The scopes.
const (
	Once       Scope = "once"
	ForSession Scope = "session"     // this tool and source, until the session ends or anything about it changes
	Always     Scope = "always"      // writes a rule into the configuration
	Timed      Scope = "ten-minutes" // gives a Permit
)

// An Answer is what a person says to an Approval.
type Answer struct {
	Scope  Scope  `json:"scope,omitempty"`  // of an Allow; empty: once
	Reason string `json:"reason,omitempty"` // of a Refuse: reaches the agent
	// Within, of an Allow for ten minutes: one of [Approval].Within; empty: the
	// narrowest.
	Within string `json:"within,omitempty"`
	// Shown, of an Allow: the person was shown everything, or was told what
	// they were not shown. Without it only an Approval that was Shown is allowed.
	Shown bool `json:"shown,omitempty"`
	// Edit, of an Allow once: what the person has written in place of what the call
	// would write; nil: that itself.
	Edit *TextEdit `json:"edit,omitempty"`
}
