package pane

import (
	"encoding/json"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/prose"
)

// A Want is what a pane would like to know that no snapshot holds: plain data
// that can be compared, from this file's closed list. The panel asks for the
// Want of the pane in sight, once until it is answered.
type Want interface{ want() }

// The wants. Turn counts how often a pane asked for the same, so that asking
// again is another Want.
type (
	// PlanOf is the Plan of allowing the Approval with this ID.
	PlanOf struct{ Approval string }
	// ChangesBefore is a page of the Changes that are older than the one with
	// this ID; empty: the newest.
	ChangesBefore struct {
		ID   string
		Turn int
	}
	// DiffOf is the diff of one Change.
	DiffOf struct{ Change string }
	// ToolsFor are the tools that a client sees of a source; empty: of all, and
	// a client that nothing is said about.
	ToolsFor struct {
		Source, Client string
		Turn           int
	}
	// Trial is what came of a [Try]. No pane wants it: it is told.
	Trial struct{ Source, Tool string }
	// Token is what came of a [Reveal]. No pane wants it: it is told.
	Token struct{ Of string }
	// ChecksOf are the checks whose names begin with Prefix. Each is a Fact of
	// its own, with More.
	ChecksOf struct {
		Prefix string
		Turn   int
	}
	// SettingsOf is every key of the configuration.
	SettingsOf struct{ Turn int }
	// PagesOf are the pages of a source. They come as several Facts, with More.
	PagesOf struct {
		Source string
		Turn   int
	}
	// PageIn is one page, laid out in rows of Width cells.
	PageIn struct {
		Source, Page string
		Width        int
		Raw          bool // as it stands
		Turn         int
	}
	// HitsOf is what a source's search finds.
	HitsOf struct {
		Source, Query string
		Turn          int
	}
)

func (PlanOf) want()        {}
func (ChangesBefore) want() {}
func (DiffOf) want()        {}
func (ToolsFor) want()      {}
func (Trial) want()         {}
func (Token) want()         {}
func (ChecksOf) want()      {}
func (SettingsOf) want()    {}
func (PagesOf) want()       {}
func (PageIn) want()        {}
func (HitsOf) want()        {}

// A Fact is what came of a Want.
type Fact struct {
	Want     Want
	Err      error // why it is not known; the rest is empty then
	More     bool  // further Facts of this Want come
	Plan     status.Plan
	Changes  status.Changes
	Tools    []status.Tool
	Answer   json.RawMessage
	Check    status.Check
	Settings []status.Setting
	Token    string
	Pages    status.PageList
	Page     status.PageText
	Rows     []prose.Row // of Page
	Search   status.Search
}

// Passing reports whether w is of no use once another is wanted, so that nobody
// needs to see it through: a page beside which the cursor has gone on.
func Passing(w Want) bool {
	switch w.(type) {
	case PagesOf, PageIn, HitsOf:
		return true
	default:
		return false
	}
}

// A Learner is a Pane that shows more than a snapshot.
type Learner interface {
	// Wants is what the pane would like to know most; nil: nothing. It stays
	// the same until it is learnt, or no longer wanted.
	Wants() Want
	// Learn takes a Fact. What it says, an error too, is not wanted again.
	Learn(f Fact) Pane
}

// A Witness is a Pane that follows what agents do.
type Witness interface {
	// See takes calls, oldest first.
	See(calls []status.Call) Pane
}

// An Actor is a Pane that shows what becomes of actions.
type Actor interface {
	// Done says that a was carried out, or why it was not.
	Done(a status.Action, err error) Pane
}
