package status

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

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
		LogsQuery.info(), LogPageQuery.info(), CallsQuery.info(), RecordedCallsQuery.info(), AgentsQuery.info(), ChangesQuery.info(), ApprovalTargetsQuery.info(), ApprovalTextQuery.info(), ToolsQuery.info(), RunToolQuery.info(), ChecksQuery.info(),
		SourceCheckQuery.info(), AnswerQuestionQuery.info(), CommandQuery.info(), CompleteCommandQuery.info(),
		SettingsQuery.info(), SourceKindsQuery.info(), PagesQuery.info(), PageQuery.info(), PageLinksQuery.info(), PageFileQuery.info(),
		SearchQuery.info(), HiddenPagesQuery.info(),
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

// A Request is a query with its input, as it travels.
type Request struct {
	Query string
	Input json.RawMessage
}

// A Response is an answer as it travels, or why there is none.
type Response struct {
	Value json.RawMessage
	Err   error
}

// errNoAnswer is for a hub that ends a query without answering it.
var errNoAnswer = errors.New("the hub did not answer the question; it may be of another version: run `lectern hub restart`")

// Ask asks c for the answer to q.
func Ask[In, Out any](ctx context.Context, c Client, q Query[In, Out], in In) (Out, error) {
	var out Out
	responses, err := send(ctx, c, q.Name, in)
	if err != nil {
		return out, err
	}
	switch r, ok := <-responses; {
	case !ok && ctx.Err() != nil:
		return out, ctx.Err()
	case !ok:
		return out, errNoAnswer
	case r.Err != nil:
		return out, r.Err
	default:
		return out, decode(r.Value, &out)
	}
}

// Open asks c for the answers to s. The channel is closed after the last, and
// when ctx ends or the hub is gone.
func Open[In, Out any](ctx context.Context, c Client, s Stream[In, Out], in In) (<-chan Out, error) {
	responses, err := send(ctx, c, s.Name, in)
	if err != nil {
		return nil, err
	}
	ch := make(chan Out)
	go func() {
		defer close(ch)
		for r := range responses {
			var out Out
			if r.Err != nil || decode(r.Value, &out) != nil {
				return
			}
			select {
			case ch <- out:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, nil
}

func send(ctx context.Context, c Client, query string, in any) (<-chan Response, error) {
	input, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encode query %s: %w", query, err)
	}
	return c.Query(ctx, Request{query, input})
}

func decode(b []byte, out any) error {
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("read answer of the hub: %w", err)
	}
	return nil
}

// QueryHandlers answer the queries that a process can, by name.
type QueryHandlers map[string]func(ctx context.Context, input json.RawMessage) (<-chan Response, error)

// HandleQuery has f answer q.
func HandleQuery[In, Out any](hs QueryHandlers, q Query[In, Out], f func(context.Context, In) (Out, error)) {
	hs[q.Name] = func(ctx context.Context, input json.RawMessage) (<-chan Response, error) {
		in, err := decodeInput[In](input)
		if err != nil {
			return nil, err
		}
		out, err := f(ctx, in)
		if err != nil {
			return nil, err
		}
		ch := make(chan Response, 1)
		ch <- encode(out)
		close(ch)
		return ch, nil
	}
}

// HandleStream has f answer s.
func HandleStream[In, Out any](hs QueryHandlers, s Stream[In, Out], f func(context.Context, In) (<-chan Out, error)) {
	hs[s.Name] = func(ctx context.Context, input json.RawMessage) (<-chan Response, error) {
		in, err := decodeInput[In](input)
		if err != nil {
			return nil, err
		}
		outs, err := f(ctx, in)
		if err != nil {
			return nil, err
		}
		ch := make(chan Response)
		go func() {
			defer close(ch)
			for out := range outs {
				select {
				case ch <- encode(out):
				case <-ctx.Done():
					return
				}
			}
		}()
		return ch, nil
	}
}

// decodeInput refuses fields that it does not know: a hub must not answer half
// of what a client of another version asks.
func decodeInput[In any](input json.RawMessage) (in In, err error) {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return in, fmt.Errorf("read request: %w", err)
	}
	return in, nil
}

// encode keeps the text of tools and pages as it is: it is not for a web page.
func encode(out any) Response {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return Response{Err: fmt.Errorf("encode answer: %w", err)}
	}
	return Response{Value: bytes.TrimSuffix(b.Bytes(), []byte("\n"))}
}
