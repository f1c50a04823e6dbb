// Package tools is the vocabulary of Lectern: a [System] is a kind of
// knowledge base, a [Source] is one opened System, and a [Tool] is one thing
// an agent may do with a Source.
//
// A System is declared once, as a value. The tools published over MCP,
// SKILL.md, the pages under docs/tools, the snapshots under tools/all/testdata,
// `lectern call`, the panel's Tools view and the suite in tools/toolstest all
// read that value, so they cannot contradict each other.
//
// The package does no I/O and knows nothing of MCP, HTTP or the terminal. Every
// System imports it, and so do hub, journal and the renderers in tools/doc. It
// is product code: the tools that developers use are pinned in .ci/dev.mod.
//
// Start reading at [Define] in tool.go, then [System] in system.go, then
// tools/toolstest/memo, the template of a System. Arguments are checked in
// validate.go; errors and their wire format are in error.go.
package tools

// An Effect is what a tool can do to a Source. MCP hints, grants, policy and
// the journal all derive from it.
type Effect string

// The closed list of effects, from harmless to dangerous.
const (
	Reads   Effect = "read"   // changes nothing; the suite proves it
	Writes  Effect = "write"  // adds or replaces content
	Deletes Effect = "delete" // removes content
	Runs    Effect = "run"    // executes a script
	Admin   Effect = "admin"  // changes permissions; never granted by default
)

// Effects lists every Effect in the order shown to people.
func Effects() []Effect { return []Effect{Reads, Writes, Deletes, Runs, Admin} }
