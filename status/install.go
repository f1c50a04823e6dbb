package status

import "time"

// An Installation is a place on this machine that Lectern can be put into: an MCP
// client's configuration, an application's plugins, the skill of an agent, login.
type Installation struct {
	ID        string `json:"id"`    // "client/cursor", "plugin/SYSTEM", "skill/claude-code", "service"
	Title     string `json:"title"` // "Cursor"
	Detected  bool   `json:"here"`  // that program is on this machine
	Condition string `json:"condition"`
	// State is what Condition amounts to: Ready, in order; Stopped, not there;
	// Degraded, there and not in order.
	State   State  `json:"state"`
	File    string `json:"file,omitempty"`
	Note    string `json:"note,omitempty"`
	Version string `json:"version,omitempty"` // of what is there, where it has one
	// LastSeen is when a client was last connected with its token, within a
	// minute; zero: never.
	LastSeen time.Time `json:"last_seen,omitzero"`
	// Sources are those that a client's entry asks for, separated by commas;
	// empty: all. Bytes is what the tools of these take of each of its sessions; 0:
	// the client has no entry, or it is not known.
	Sources string `json:"sources,omitempty"`
	Bytes   int    `json:"bytes,omitempty"`
}

// Update is what is known of Lectern's versions.
type Update struct {
	Installed string    `json:"installed,omitempty"` // of the binary on disk
	Available string    `json:"available,omitempty"` // newest release; empty: not known
	Asked     time.Time `json:"asked,omitzero"`      // when Available was found out
	Pinned    string    `json:"pinned,omitempty"`
	Previous  string    `json:"previous,omitempty"` // what a rollback returns to; empty: there is none
	Note      string    `json:"note,omitempty"`     // why there is no update from here, such as a package manager's
	URL       string    `json:"url,omitempty"`      // where to get it by hand
	Steps     []Check   `json:"steps"`              // of the update under way or the last one
	Done      int64     `json:"done"`               // bytes of the download
	Total     int64     `json:"total"`
	Rate      int64     `json:"rate"` // bytes per second
}

// A Check is one check of the doctor, or one step of an update.
type Check struct {
	Name   string      `json:"name"` // stable: "hub.port"
	Title  string      `json:"title"`
	Result CheckResult `json:"result"`
	Detail string      `json:"detail,omitempty"` // what was found
	Fix    string      `json:"fix,omitempty"`
	Action *Action     `json:"action,omitempty"` // what fixes it
}

// CheckResult of a Check.
type CheckResult string

// The results.
const (
	CheckPending CheckResult = "pending" // not run yet
	CheckRunning CheckResult = "running"
	CheckOK      CheckResult = "ok"
	CheckWarn    CheckResult = "warn" // works, and could be better
	CheckFail    CheckResult = "fail"
	CheckSkipped CheckResult = "skipped" // could not be run; Detail says why
)

// A Discovered is a knowledge base on this machine that is not a source yet. The
// panel's own Client adds those it finds; a hub knows none.
type Discovered struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"` // what the source would be called
	Location string `json:"location"`
	Reason   string `json:"reason"` // "Obsidian knows it"
}
