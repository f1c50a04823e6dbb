package pane

import (
	"encoding/json"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/prose"
)

// A Query asks for something that a pane shows and no snapshot holds: comparable
// plain data, from the closed list of this file. The panel asks the Query of the
// visible pane, once until it is answered.
type Query interface{ isQuery() }

// The queries. Refresh counts how often a pane asked the same, so that asking
// again is another Query.
type (
	// ApprovalQuery asks what a waiting call would do: the beginning and the end,
	// or all of it.
	ApprovalQuery struct {
		Approval string
		All      bool
	}
	// EditPlanQuery asks what a person's version of a waiting call would write.
	EditPlanQuery struct {
		Approval string
		Edit     *status.TextEdit
	}
	// ChangesQuery asks for the Changes before the one with this ID; empty: the
	// newest.
	ChangesQuery struct {
		Before  string
		Refresh int
	}
	// RecordedCallsQuery asks for recorded calls before the one with this ID; 0: the
	// newest.
	RecordedCallsQuery struct {
		Search status.CallSearch
		Before int64
	}
	// OlderLinesQuery asks for the lines of the log on disk before a place, or before
	// the line that was logged at Until.
	OlderLinesQuery struct {
		Before string
		Until  time.Time
	}
	// AgentsQuery asks which agents have been there.
	AgentsQuery struct{ Refresh int }
	// DiffQuery asks for the diff of one Change.
	DiffQuery struct {
		Change   string
		Prefetch bool // before it is selected, so that the key that selects it shows it at once
	}
	// ToolsQuery asks for the tools of a source that a client sees. No Source:
	// all sources. No Client: one without grants of its own.
	ToolsQuery struct {
		Source, Client string
		Refresh        int
	}
	// ToolRunResultID is about the result of a [RunTool]; no pane asks it.
	ToolRunResultID struct{ Source, Tool string }
	// TokenRevealResultID is about the result of a [RevealToken]; no pane asks it.
	TokenRevealResultID struct{ Of string }
	// ChecksQuery runs the checks whose names begin with Prefix. Each is a Result
	// of its own, with More.
	ChecksQuery struct {
		Prefix  string
		Refresh int
	}
	// SettingsQuery asks for every key of the configuration.
	SettingsQuery struct{ Refresh int }
	// SourceKindsQuery asks which kinds of sources can be added.
	SourceKindsQuery struct{}
	// CompletePathQuery asks what completes a path, with files or only folders.
	CompletePathQuery struct {
		Path  string
		Files bool
	}
	// PagesQuery asks for some pages of a source.
	PagesQuery struct {
		Source  string
		Match   string // part of their names
		After   string // Next of the list before
		Refresh int
	}
	// PageQuery asks for one page, laid out in rows of Width cells.
	PageQuery struct {
		Source, Page string
		Width        int
		Raw          bool // its source text
		Refresh      int
	}
	// PageLinksQuery asks for the links of a page.
	PageLinksQuery struct {
		Source, Page string
		Refresh      int
	}
	// SearchAllQuery asks several sources, whose names commas separate, for what their
	// searches find. What each has found is a Result of its own, with More. Typing: while
	// the words are typed, so that it waits for a pause.
	SearchAllQuery struct {
		Sources, Text string
		Typing        bool
		Refresh       int
	}
	// DayChangesQuery asks for the Changes from one time to another, in seconds since
	// 1970, with their diffs.
	DayChangesQuery struct {
		From, To int64
		Refresh  int
	}
	// PageEditResultID is about the end of an [EditPage]; no pane asks it.
	PageEditResultID struct{ Source, Page string }
	// SearchQuery asks for what a source's search finds. Typing: while the words are
	// typed, so that it waits for a pause.
	SearchQuery struct {
		Source, Text string
		Typing       bool
		Refresh      int
	}
)

func (ApprovalQuery) isQuery()       {}
func (EditPlanQuery) isQuery()       {}
func (ChangesQuery) isQuery()        {}
func (RecordedCallsQuery) isQuery()  {}
func (OlderLinesQuery) isQuery()     {}
func (AgentsQuery) isQuery()         {}
func (DiffQuery) isQuery()           {}
func (ToolsQuery) isQuery()          {}
func (ToolRunResultID) isQuery()     {}
func (TokenRevealResultID) isQuery() {}
func (ChecksQuery) isQuery()         {}
func (SettingsQuery) isQuery()       {}
func (SourceKindsQuery) isQuery()    {}
func (CompletePathQuery) isQuery()   {}
func (PagesQuery) isQuery()          {}
func (PageQuery) isQuery()           {}
func (PageLinksQuery) isQuery()      {}
func (PageEditResultID) isQuery()    {}
func (SearchQuery) isQuery()         {}
func (SearchAllQuery) isQuery()      {}
func (DayChangesQuery) isQuery()     {}

// A Result answers a Query.
type Result struct {
	Query    Query
	Err      error // why there is no answer; the rest is empty then
	More     bool  // more Results of this Query follow
	Approval ApprovalContent
	Plan     status.Plan
	Calls    status.RecordedCalls
	Changes  status.Changes
	Agents   []status.Agent
	Tools    []status.Tool
	Answer   json.RawMessage
	Check    status.Check
	Settings []status.Setting
	Kinds    []status.SourceKind
	Paths    status.PathCompletion
	Token    string
	Pages    status.PageList
	Page     status.PageText
	Rows     []prose.Row // of Page
	Links    status.PageLinks
	// OlderLines are of the log on disk.
	OlderLines status.LogPage
	Search     status.Search
	Found      SourceSearchResult
}

// IsQueryCancelable reports whether q is of no use once another is asked, such as the
// page beside a list in which the cursor has moved on.
func IsQueryCancelable(q Query) bool {
	switch q.(type) {
	case RecordedCallsQuery, PagesQuery, PageQuery, PageLinksQuery, SearchQuery, SearchAllQuery, DayChangesQuery, CompletePathQuery:
		return true
	default:
		return false
	}
}
