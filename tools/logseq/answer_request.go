package logseq

import (
	"context"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// RequestID names a request of the user.
type RequestID string

func (RequestID) maxLength() int { return 100 }

// JSONSchema implements tools.SchemaProvider.
func (RequestID) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

// AnswerRequestIn are the arguments of answer_request.
type AnswerRequestIn struct {
	RequestID RequestID `json:"request_id" jsonschema:"id, from list_requests"`
	Content   Content   `json:"content,omitempty" jsonschema:"Markdown to write below what the request is about; omit to only take it off the list"`
	DryRun    bool      `json:"dry_run,omitempty" jsonschema:"only check"`
}

// RequestAnswered is the answer of answer_request.
type RequestAnswered struct {
	RequestID RequestID `json:"request_id" jsonschema:"the request"`
	PageName  string    `json:"page_name,omitempty" jsonschema:"page that was written to"`
	Blocks    []UUID    `json:"blocks,omitempty" jsonschema:"uuids of the new top-level blocks"`
	Written
}

func answerRequest() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[AnswerRequestIn, RequestAnswered]{
		Name: "answer_request", Title: "Answer a request", Effect: tools.Writes, OptIn: true, Timeout: treeTimeout,
		Selects: []string{"request_id"},
		Doc:     "Writes an answer below what the user asked about, and takes the request off the list.\nNeeds requests.",
		Examples: []tools.Example[AnswerRequestIn, RequestAnswered]{
			{Purpose: "answer in the graph", In: AnswerRequestIn{RequestID: exampleRequest, Content: "Sow it in March"}, AnyAnswer: true},
		},
	}, writesGraph(runAnswerRequest), "requests")
}

// exampleRequest is used in the declared example.
const exampleRequest RequestID = "6540a1b2-0000-4000-8000-000000000a01"

// runAnswerRequest implements answer_request: the answer first, so that a
// request whose answer could not be written stays on the list.
func runAnswerRequest(ctx context.Context, g *Graph, c tools.CallContext, in AnswerRequestIn) (RequestAnswered, error) {
	out := RequestAnswered{RequestID: in.RequestID}
	if in.Content != "" {
		if err := g.requireCapability("blocks.create"); err != nil {
			return out, err
		}
	}
	all, err := visibleRequests(ctx, g)
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(all, func(r Request) bool { return r.ID == string(in.RequestID) })
	if i < 0 {
		return out, noRequestError(string(in.RequestID))
	}
	out.Written = Written{Success: !in.DryRun, Verified: !in.DryRun, DryRun: in.DryRun}
	if in.Content != "" {
		if out, err = writeAnswer(ctx, g, c, in, all[i], out); err != nil {
			return out, err
		}
	}
	if in.DryRun {
		return out, nil
	}
	if err := g.peer.Call(ctx, "requests.close", struct {
		ID string `json:"id"`
	}{all[i].ID}, nil, true); err != nil && !isNotFound(err) {
		out.Warnings = append(out.Warnings, "The request could not be taken off the list.")
	}
	announceRequests(g)
	return out, nil
}

// writeAnswer writes below the first block that a request is about, or at the
// end of its page.
func writeAnswer(
	ctx context.Context, g *Graph, c tools.CallContext, in AnswerRequestIn, r Request, out RequestAnswered,
) (RequestAnswered, error) {
	drafts, err := parseContent("content", string(in.Content))
	if err != nil {
		return out, err
	}
	at := positionArgs{pageArgument: "page_name", parentArgument: "parent_block_uuid"}
	if len(r.Blocks) > 0 {
		at.parent = r.Blocks[0].UUID
	} else {
		at.page = Name(r.Page[0].UUID)
	}
	drafts, warnings := g.flattenIfNeeded(string(in.Content), drafts)
	newRequest := func(p insertPosition) writeRequest {
		if isSingleBlock(drafts) {
			return g.createRequest(p, drafts[0])
		}
		return g.insertRequest(p, drafts, nil)
	}
	p, written, err := g.insertDrafts(ctx, c, at, drafts, in.DryRun, newRequest)
	out.PageName, out.Written = p.page.Name, written
	out.Warnings = append(out.Warnings, warnings...)
	if err == nil && !in.DryRun {
		out.Blocks = topUUIDs(drafts)
	}
	return out, err
}
