// Package status is the status API of Lectern: a [Snapshot] of what runs, what
// is wrong and which agents are connected, one table of queries (query.go) and
// one of actions (action.go). The hub fills it; the panel, `lectern status` and
// tests use it through a [Client].
//
// It is a leaf so that hub, supervisor, tui and installer can all depend on
// it: plain data with json tags and no I/O. Both ends of the wire that
// carries it are in status/loopback; the suite that every Client passes is in
// status/statustest. Start reading at [Snapshot].
//
// Text in a Snapshot may come from notes, clients and other programs: pass it
// through internal/safetext or tui/theme before a terminal shows it.
package status

import (
	"fmt"
	"time"
)

// A Snapshot is everything at one moment. It is a value: never changed, only
// replaced. It is small (a few KB), so watchers get whole ones.
type Snapshot struct {
	// Seq grows by at least one from one snapshot to the next of the same hub.
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"time"`
	Hub  Hub       `json:"hub"`
	// Sources are in the order of the configuration.
	Sources []Source `json:"sources"`
	// Sessions are the agents connected now, oldest first.
	Sessions []Session `json:"sessions"`
	// Peers are the applications connected now, in the order of their names.
	Peers []Peer `json:"peers"`
	// Problems are what a person can fix now, gravest first.
	Problems []Problem `json:"problems"`
	// Snippets are what to paste into MCP clients to connect them.
	Snippets []Snippet `json:"snippets"`
	// Approvals are the calls that wait for a person, oldest first.
	Approvals []Approval `json:"approvals"`
	// Running are the calls under way, oldest first, at most [MaxRunningCalls].
	Running []RunningCall `json:"running"`
	// Permits are the approvals for ten minutes that are in force, oldest first; nil:
	// there is none.
	Permits []Permit `json:"permits,omitempty"`
	// Outcomes are how the last Approvals ended, oldest first, at most 32.
	Outcomes []ApprovalOutcome `json:"outcomes"`
	// Installations are the MCP clients and other places on this machine that
	// Lectern can be put into. A hub knows none: the panel's own Client adds
	// them, as it does Update.
	Installations []Installation `json:"installations"`
	Discovered    []Discovered   `json:"discovered"` // the most certain first
	Update        Update         `json:"update"`
}

// State of a Component.
type State string

// The closed list of states.
const (
	Stopped   State = "stopped"    // not running, and not meant to
	Starting  State = "starting"   // wanted, not ready yet
	Ready     State = "ready"      // serves
	Waiting   State = "waiting"    // serves as soon as another program is connected; see Note
	Degraded  State = "degraded"   // serves, with a Problem
	Failed    State = "failed"     // wanted, does not serve; see Note and Problems
	CrashLoop State = "crash-loop" // failed too often; a person has to look
	Stopping  State = "stopping"   // finishes the calls in flight
)

// A Component is anything with a state: the hub, a source, a peer, a session.
type Component struct {
	Name  string    `json:"name"`
	State State     `json:"state"`
	Since time.Time `json:"since"`          // when it entered State
	Note  string    `json:"note,omitempty"` // one line about the state; empty: none
}

// Hub is the process that owns the sources.
type Hub struct {
	Component
	Version    string    `json:"version,omitempty"` // empty: no hub was ever reached
	Build      string    `json:"build,omitempty"`
	PID        int       `json:"pid,omitempty"`
	Started    time.Time `json:"started,omitzero"`
	Endpoint   string    `json:"endpoint,omitempty"`    // http://127.0.0.1:PORT/mcp; empty: HTTP is off or its port is taken
	Remote     string    `json:"remote,omitempty"`      // https://HOST:PORT of the second listener; empty: it does not listen
	Config     string    `json:"config"`                // path of the configuration file, which may not exist yet
	Calls      uint64    `json:"calls"`                 // tool calls since it started
	Failures   uint64    `json:"failures"`              // of these, calls that answered an error
	Restarts   int       `json:"restarts"`              // by the supervisor that watches it
	Memory     uint64    `json:"memory"`                // bytes obtained from the system
	Skill      string    `json:"skill,omitempty"`       // version of the skill it speaks
	Pinned     bool      `json:"pinned"`                // true: does not stop when idle
	AfterCrash bool      `json:"after_crash,omitempty"` // the hub before this one died
	// WritesPaused is since when a person has paused the writes of all agents; zero:
	// they have not.
	WritesPaused time.Time `json:"writes_paused,omitzero"`
	// PendingSettings are the keys of the configuration whose new values wait for a restart.
	PendingSettings []string `json:"pending_settings,omitempty"`
	// Stderr is what a hub that failed wrote there last, a line each; nil: it
	// runs, or wrote nothing. Only the process that starts hubs sets it.
	Stderr []string `json:"stderr,omitempty"`
}

// Source is one opened knowledge base.
type Source struct {
	Component
	Kind     string `json:"kind"`
	Location string `json:"location"` // folder, graph or address
	// Application is the title of the program that has to be connected, as a
	// Peer, for this source to serve; empty: it needs none.
	Application string   `json:"application,omitempty"`
	ReadOnly    bool     `json:"read_only"`
	Effects     []string `json:"effects"`          // what agents may do
	Ask         []string `json:"ask,omitempty"`    // of these, what a person approves first, whatever the rules say
	Grants      []Grant  `json:"grants,omitempty"` // what clients may do here that a grant names
	Role        string   `json:"role,omitempty"`   // of clients that were assigned none; empty: its System has no roles
	Tools       int      `json:"tools"`
	Calls       uint64   `json:"calls"`            // since the hub started
	Writes      uint64   `json:"writes"`           // of these, calls of tools that may change something
	Sample      bool     `json:"sample,omitempty"` // the Welcome vault that Lectern created
	// Tasks are what it does in the background now: at most 8, oldest first.
	Tasks []Task `json:"tasks,omitempty"`
	// Holds are why the hub does not leave when idle, a few words each.
	Holds []string `json:"holds,omitempty"`
	// Commands are what a person can type for it at the shell, with the names of
	// the arguments: "lectern cards key add NAME --source wiki".
	Commands []string `json:"commands,omitempty"`
	// Hidden is what its privacy rules hid when they were last counted: when it was
	// opened, or by [HiddenPagesQuery]. Nil: it has none, or nobody has counted.
	Hidden *HiddenPages `json:"hidden,omitempty"`
}

// A Task is background work of a source that takes a while.
type Task struct {
	Name  string    `json:"name"` // "index"
	Done  int64     `json:"done"`
	Total int64     `json:"total,omitempty"` // 0: unknown
	Since time.Time `json:"since"`
}

// String says how far the task is: "index, 40 %", or "index, 12 done".
func (t Task) String() string {
	if t.Total == 0 {
		return fmt.Sprintf("%s, %d done", t.Name, t.Done)
	}
	return fmt.Sprintf("%s, %d %%", t.Name, 100*t.Done/t.Total)
}

// Transport is how a session reached the hub.
type Transport string

// The transports.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	Route Transport = "route" // requests to a System's own routes
	Own   Transport = "own"   // calls that a source makes by itself, such as those of a schedule
)

// Session is one agent connected to the hub.
type Session struct {
	Component
	// Client is the name that the MCP client gives: a claim, unless Proven.
	Client    string    `json:"client"`
	Proven    bool      `json:"proven,omitempty"` // it presented the token made for it
	Grants    string    `json:"grants,omitempty"` // what it may do, in a few words; empty: what the sources grant
	Version   string    `json:"version,omitempty"`
	Transport Transport `json:"transport"`
	Scope     string    `json:"scope,omitempty"` // the sources it is limited to, separated by commas; empty: all
	Protocol  string    `json:"protocol,omitempty"`
	PID       int       `json:"pid,omitempty"` // of the `lectern serve` process; 0 over HTTP
	Calls     uint64    `json:"calls"`
	LastCall  time.Time `json:"last_call,omitzero"`
	LastTool  string    `json:"last_tool,omitempty"`
	// WritesPaused is since when a person has paused its writes; zero: they have not.
	WritesPaused time.Time `json:"writes_paused,omitzero"`
}

// Peer is another application, reached through its plugin. Its name is that of
// what it has open. Everything it says about itself is a claim.
type Peer struct {
	Component
	System      string `json:"system"`      // the kind of the sources that it serves
	Application string `json:"application"` // the title of that System
	Facts       []Fact `json:"facts"`       // in the order to show; it may have none
	Transport   string `json:"transport"`   // "websocket" or "poll"
	Origin      string `json:"origin,omitempty"`
	// Latency is the ping time, rounded so that it seldom changes; 0: not measured.
	Latency      time.Duration `json:"latency_ns"`
	Capabilities []Capability  `json:"capabilities"` // all that there may be
	Calls        uint64        `json:"calls"`
	Failures     uint64        `json:"failures"`
	Dropped      uint64        `json:"dropped"`              // answers without a call that waited for them
	LastError    string        `json:"last_error,omitempty"` // the code of the last failure
}

// A Fact is something that a Peer says about itself: "version" "0.10.15".
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Capability is something that a Peer can do, or cannot.
type Capability struct {
	Key    string `json:"key"`
	Title  string `json:"title"`
	Reason string `json:"reason,omitempty"` // why it is missing; empty: it is there
}

// Severity of a Problem.
type Severity string

// The severities, gravest first.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Notice  Severity = "notice"
)

// A Problem is something a person can fix.
type Problem struct {
	Code      string    `json:"code"`      // stable and documented: "source.gone"
	Component string    `json:"component"` // the name of the component it is about
	Severity  Severity  `json:"severity"`
	Title     string    `json:"title"` // one line: what is wrong, and where
	Fix       string    `json:"fix"`   // what to do, as a sentence
	Action    *Action   `json:"action,omitempty"`
	Since     time.Time `json:"since"`
}

// A Snippet is what to paste into the configuration of one MCP client.
type Snippet struct {
	Client      string `json:"client"` // "Claude Code"
	Destination string `json:"where"`  // "run in a shell", "~/.cursor/mcp.json"
	Text        string `json:"text"`
}
