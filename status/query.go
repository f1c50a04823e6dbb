package status

import "encoding/json"

// A Query is a question with one answer.
type Query[In, Out any] struct{ Name string }

// A Stream is a question with any number of answers. If its input has the keys
// "after" and "follow" its answers have "seq", and a Client may continue it with
// the next hub.
type Stream[In, Out any] struct{ Name string }

// The queries. Each is declared here and listed in [Queries], answered through [HandleQuery] or [HandleStream]
// by the process that knows, and asked through [Ask] or [Open]. Nothing between
// the two names it.
var (
	LogsQuery  = Stream[LogFilter, Line]{"logs"}
	CallsQuery = Stream[CallFilter, Call]{"calls"}
	// LogPageQuery answers the lines of all hubs that are still on disk, whether or
	// not a hub is running.
	LogPageQuery = Query[LogPageFilter, LogPage]{"log-page"}
	// RecordedCallsQuery answers the calls of all hubs that are kept, newest first,
	// whether or not a hub is running.
	RecordedCallsQuery = Query[RecordedCallFilter, RecordedCalls]{"recorded-calls"}
	// AgentsQuery answers the agents of this hub and of earlier ones that are still
	// in the record of calls, the last seen first, at most [MaxAgents].
	AgentsQuery = Query[struct{}, []Agent]{"agents"}
	// ChangesQuery answers newest first.
	ChangesQuery = Query[Filter, Changes]{"changes"}
	// ApprovalTargetsQuery answers what a call that waits would change, and
	// ApprovalTextQuery how: all of it, part by part.
	ApprovalTargetsQuery = Query[ApprovalRange, ApprovalTargets]{"approval-targets"}
	ApprovalTextQuery    = Query[ApprovalRange, ApprovalText]{"approval-text"}
	// ProposedTextQuery answers what the page would hold after a call that waits, part
	// by part: for a person who edits it. Without an [Approval].Plan it is an error.
	ProposedTextQuery = Query[ApprovalRange, ApprovalText]{"proposed-text"}
	// ToolsQuery answers what a client sees.
	ToolsQuery = Query[ToolFilter, []Tool]{"tools"}
	// RunToolQuery runs a tool the way an agent does, grants and audit included,
	// and answers its JSON. What the tool or the hub refuses is a [*CallError].
	RunToolQuery = Query[ToolCall, json.RawMessage]{"run-tool"}
	// ChecksQuery runs the checks whose names begin with the input and delivers
	// each when it has its result.
	ChecksQuery = Stream[string, Check]{"checks"}
	// SourceCheckQuery carries out one check of a source's System. Questions for a
	// person come first, if there is one to ask; the check itself comes last.
	SourceCheckQuery = Stream[SourceCheckRequest, SourceCheckUpdate]{"source-check"}
	// AnswerQuestionQuery answers a [Question], which waits for it.
	AnswerQuestionQuery = Query[QuestionAnswer, struct{}]{"answer-question"}
	// CommandQuery carries out a command of a source's System and answers what it
	// prints; CompleteCommandQuery proposes values for one of its arguments.
	CommandQuery         = Stream[CommandRequest, CommandUpdate]{"command"}
	CompleteCommandQuery = Query[CommandArgument, []string]{"complete-command"}
	// SettingsQuery answers every key of the configuration.
	SettingsQuery = Query[struct{}, []Setting]{"settings"}
	// SourceKindsQuery answers the kinds of sources that can be added.
	SourceKindsQuery = Query[struct{}, []SourceKind]{"source-kinds"}
	// CompletePathQuery answers what completes a path on the panel's machine. A folder
	// that is missing or cannot be read completes nothing.
	CompletePathQuery = Query[PathPrefix, PathCompletion]{"complete-path"}

	// HiddenPagesQuery counts what the privacy rules of a source, named by the
	// input, hide now. If the source does not serve or cannot count, the answer is
	// a [*CallError].
	HiddenPagesQuery = Query[string, HiddenPages]{"hidden-pages"}

	// The pages of a source are as an agent sees them: what is hidden from
	// agents is not there, and what they may not read is a [*CallError].

	// PagesQuery answers some pages in the order of the source.
	PagesQuery = Query[PageFilter, PageList]{"pages"}
	// PageQuery answers at most [MaxPageBytes] of a page's text.
	PageQuery = Query[PageRef, PageText]{"page"}
	// PageLinksQuery answers the links of a page and to it.
	PageLinksQuery = Query[PageRef, PageLinks]{"page-links"}
	// PageFileQuery answers where the file of a page is, for a person to edit it.
	PageFileQuery = Query[PageRef, PageFile]{"page-file"}
	// SearchQuery runs the source's own search tool, as RunToolQuery would.
	SearchQuery = Query[SearchText, Search]{"search"}
)

// Queries describes every query, for the suite that all of them pass.
func Queries() []QueryInfo {
	return []QueryInfo{
		LogsQuery.info(), LogPageQuery.info(), CallsQuery.info(), RecordedCallsQuery.info(), AgentsQuery.info(),
		ChangesQuery.info(), ApprovalTargetsQuery.info(), ApprovalTextQuery.info(), ProposedTextQuery.info(),
		ToolsQuery.info(), RunToolQuery.info(), ChecksQuery.info(), SourceCheckQuery.info(),
		AnswerQuestionQuery.info(), CommandQuery.info(), CompleteCommandQuery.info(), SettingsQuery.info(),
		SourceKindsQuery.info(), CompletePathQuery.info(), PagesQuery.info(), PageQuery.info(),
		PageLinksQuery.info(), PageFileQuery.info(), SearchQuery.info(), HiddenPagesQuery.info(),
	}
}

// QueryInfo describes a query without its types.
type QueryInfo struct {
	Name    string
	Stream  bool
	In, Out any // zero values
}

func (q Query[In, Out]) info() QueryInfo { return QueryInfo{q.Name, false, *new(In), *new(Out)} }

func (s Stream[In, Out]) info() QueryInfo { return QueryInfo{s.Name, true, *new(In), *new(Out)} }
