package pane

import (
	"encoding/json"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/prose"
)

// A Query is what a pane would like to know that no snapshot holds: plain data
// that can be compared, from this file's closed list. The panel asks for the
// Want of the pane in sight, once until it is answered.
type Query interface{ query() }

// The wants. Turn counts how often a pane asked for the same, so that asking
// again is another Want.
type (
	// PlanQuery is the Plan of allowing the Approval with this Before.
	PlanQuery struct{ Approval string }
	// ChangesQuery is a page of the Changes that are older than the one with
	// this Before; empty: the newest.
	ChangesQuery struct {
		Before  string
		Refresh int
	}
	// DiffQuery is the diff of one Change.
	DiffQuery struct{ Change string }
	// ToolsQuery are the tools that a client sees of a source; empty: of all, and
	// a client that nothing is said about.
	ToolsQuery struct {
		Source, Client string
		Refresh        int
	}
	// ToolRunQuery is what came of a [Try]. No pane wants it: it is told.
	ToolRunQuery struct{ Source, Tool string }
	// TokenQuery is what came of a [Reveal]. No pane wants it: it is told.
	TokenQuery struct{ Of string }
	// ChecksQuery are the checks whose names begin with Prefix. Each is a Fact of
	// its own, with More.
	ChecksQuery struct {
		Prefix  string
		Refresh int
	}
	// SettingsQuery is every key of the configuration.
	SettingsQuery struct{ Refresh int }
	// PagesQuery are the pages of a source. They come as several Facts, with More.
	PagesQuery struct {
		Source  string
		Refresh int
	}
	// PageQuery is one page, laid out in rows of Width cells.
	PageQuery struct {
		Source, Page string
		Width        int
		Raw          bool // as it stands
		Refresh      int
	}
	// SearchQuery is what a source's search finds.
	SearchQuery struct {
		Source, Text string
		Refresh      int
	}
)

func (PlanQuery) query()     {}
func (ChangesQuery) query()  {}
func (DiffQuery) query()     {}
func (ToolsQuery) query()    {}
func (ToolRunQuery) query()  {}
func (TokenQuery) query()    {}
func (ChecksQuery) query()   {}
func (SettingsQuery) query() {}
func (PagesQuery) query()    {}
func (PageQuery) query()     {}
func (SearchQuery) query()   {}

// A Result is what came of a Want.
type Result struct {
	Query    Query
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

// Cancelable reports whether w is of no use once another is wanted, so that nobody
// needs to see it through: a page beside which the cursor has gone on.
func Cancelable(w Query) bool {
	switch w.(type) {
	case PagesQuery, PageQuery, SearchQuery:
		return true
	default:
		return false
	}
}
