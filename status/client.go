package status

import (
	"context"
	"time"
)

// A Client reads the picture and asks for changes. supervisor.Local is one
// inside the hub, status/loopback.Dial one over the control socket,
// supervisor/daemon.Client one that works without a hub too, the panel's own in
// cmd/lectern one that also tells and does what concerns this machine, and
// statustest.Fake one for tests. All pass statustest.Run.
//
// A channel that a method returns is closed when ctx ends or the hub is gone;
// the reader then asks again.
type Client interface {
	// Watch delivers the current snapshot at once and then one after changes.
	// A slow reader misses intermediate snapshots, never the last.
	Watch(ctx context.Context) (<-chan Snapshot, error)
	// Logs delivers lines that match q, oldest first.
	Logs(ctx context.Context, q LogQuery) (<-chan Line, error)
	// Preview says what Do would change. It changes nothing.
	Preview(ctx context.Context, a Action) (Plan, error)
	// Do carries a out and returns when it is done.
	Do(ctx context.Context, a Action) error
}

// Verb of an Action.
type Verb string

// The verbs.
const (
	StartHub     Verb = "hub.start"
	StopHub      Verb = "hub.stop"
	RestartHub   Verb = "hub.restart"
	PinHub       Verb = "hub.pin"   // stay when idle, until unpinned
	UnpinHub     Verb = "hub.unpin" // leave when idle again
	AddSource    Verb = "source.add"
	RemoveSource Verb = "source.remove" // forgets it; its files stay
	ReopenSource Verb = "source.reopen"
	Reload       Verb = "config.reload" // read the configuration file again

	SetGrant            Verb = "grant.set"      // what agents may do; Grant
	SetOption           Verb = "option.set"     // a key of the configuration; Option
	AllowOrigin         Verb = "origin.allow"   // lets a plugin's page in; Part: the origin
	RotateToken         Verb = "token.rotate"   // Part: "plugin" or "clients"
	Allow               Verb = "approval.allow" // Part: the Approval's ID; Answer
	Refuse              Verb = "approval.deny"  // Part: the Approval's ID; Answer
	UndoChanges         Verb = "changes.undo"   // Pick
	ResetCircuitBreaker Verb = "fuse.reset"     // Part: the client's name
	Acknowledge         Verb = "problem.seen"   // Part: the code of a Problem that need not be shown any more
	CheckUpdate         Verb = "update.check"
	InstallUpdate       Verb = "update.install" // Part: a version; empty: the newest
	RollBack            Verb = "update.rollback"
	Install             Verb = "install"   // Part: the ID of an Install
	Uninstall           Verb = "uninstall" // Part: the ID of an Install
)

// An Action is something a person asked for.
type Action struct {
	Verb   Verb   `json:"verb"`
	Target string `json:"part,omitempty"` // what it is about, by name; empty: the hub
	// Source is for AddSource alone.
	Source *NewSource `json:"source,omitempty"`
	Answer *Answer    `json:"answer,omitempty"` // for Allow and Refuse
	Filter *Filter    `json:"pick,omitempty"`   // for UndoChanges
	Grant  *Grant     `json:"grant,omitempty"`  // for SetGrant
	Option *Option    `json:"option,omitempty"` // for SetOption
}

// NewSource is what a person says of a source to add.
type NewSource struct {
	Name     string `json:"name,omitempty"` // empty: made from the folder's name
	Kind     string `json:"kind,omitempty"` // empty: detected
	Place    string `json:"place"`
	ReadOnly bool   `json:"read_only,omitempty"`
	Ask      bool   `json:"ask,omitempty"` // a person is asked before anything is written
	// Exclude and Only are marks of what agents must not see, such as
	// "Private/**" and "#secret".
	Exclude []string `json:"exclude,omitempty"`
	Only    []string `json:"only,omitempty"`
}

// A Plan is what an Action would change, for a person to agree to.
type Plan struct {
	Title string   `json:"title"` // "Remove source notes"
	Steps []Step   `json:"steps"`
	Risks []string `json:"risks"` // "3 agents are connected and lose their tools"
}

// A Step is one change of a Plan.
type Step struct {
	What string `json:"what"`           // "edit /home/me/.config/lectern/config.toml"
	Diff string `json:"diff,omitempty"` // unified diff; empty: not a text file
}

// Level of a Line.
type Level string

// The levels.
const (
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Fail  Level = "error"
)

// A LogQuery picks lines of the log.
type LogQuery struct {
	// After skips the lines up to and including this sequence number; 0: from
	// the oldest line that is still kept.
	After uint64 `json:"after,omitempty"`
	// Last keeps only this many of the lines that are there already; 0: all.
	Last      int    `json:"last,omitempty"`
	Level     Level  `json:"level,omitempty"`  // this level and graver; empty: Info
	Component string `json:"part,omitempty"`   // empty: all parts
	Follow    bool   `json:"follow,omitempty"` // go on as lines arrive
}

// A Line of the log. Its text is safe for a terminal: control characters are
// already escaped.
type Line struct {
	Seq       uint64    `json:"seq"` // counts up by one over all lines of a hub
	Time      time.Time `json:"time"`
	Level     Level     `json:"level"`
	Component string    `json:"part"`
	Text      string    `json:"text"` // message and attributes on one line
	// Missed is how many lines before this one were dropped because the reader
	// was slow or the ring had already given them up.
	Missed uint64 `json:"missed,omitempty"`
}
