package logseq

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// ListRequestsOut is the answer of list_requests.
type ListRequestsOut struct {
	Requests Requests `json:"requests" jsonschema:"oldest first"`
	Total    int      `json:"total" jsonschema:"total requests"`
	Note     string   `json:"note,omitempty" jsonschema:"more about the result"`
}

// Requests is a list of requests.
type Requests []Request

// A Request is something in Logseq about which the user asked an agent: blocks,
// or a page.
type Request struct {
	ID     string `json:"id" jsonschema:"for answer_request"`
	At     string `json:"at" jsonschema:"when the user asked"`
	Blocks Blocks `json:"blocks,omitempty" jsonschema:"blocks that it is about; what they say is the question"`
	Page   Pages  `json:"page,omitempty" jsonschema:"or the page that it is about"`
}

func listRequests() tools.Tool[*Graph] {
	return define(tools.Spec[NoArguments, ListRequestsOut]{
		Name: "list_requests", Title: "What the user asks", Effect: tools.Reads, OptIn: true,
		Doc: "Lists what the user asked agents about, with \"Ask an agent about this\" in Logseq.\n" +
			"Needs requests. Subscribe to logseq://SOURCE/requests to be told of new ones. answer_request takes one off the list.",
		Redact:   ListRequestsOut.redact,
		Examples: []tools.Example[NoArguments, ListRequestsOut]{{Purpose: "see what the user wants", AnyAnswer: true}},
	}, readsGraph(runListRequests), "requests")
}

// redact leaves out what is on covered pages, and requests of which nothing is
// left.
func (out ListRequestsOut) redact(covered func(page string) bool) ListRequestsOut {
	var kept Requests
	for _, r := range out.Requests {
		r.Blocks = slices.DeleteFunc(slices.Clone(r.Blocks), func(b Block) bool { return covered(b.PageName) })
		r.Page = slices.DeleteFunc(slices.Clone(r.Page), func(p Page) bool { return covered(p.Name) })
		if len(r.Blocks)+len(r.Page) > 0 {
			kept = append(kept, r)
		}
	}
	out.Total -= len(out.Requests) - len(kept)
	out.Requests = kept
	return out
}

// runListRequests implements list_requests.
func runListRequests(ctx context.Context, g *Graph, _ NoArguments) (ListRequestsOut, error) {
	all, err := visibleRequests(ctx, g)
	if err != nil {
		return ListRequestsOut{}, err
	}
	out := ListRequestsOut{Requests: fitAnswer(all, Request.size), Total: len(all)}
	if left := len(all) - len(out.Requests); left > 0 {
		out.Note = "Answer these to see the others."
	}
	return out, nil
}

// size is roughly the number of bytes in the request.
func (r Request) size() int {
	n := 100
	for _, b := range r.Blocks {
		n += b.size()
	}
	for _, p := range r.Page {
		n += p.size()
	}
	return n
}

// wireRequest is a request as the Peer keeps it: by uuids, so that names and
// texts are those of now.
type wireRequest struct {
	ID     string `json:"id"`
	At     int64  `json:"at"` // ms
	Blocks []UUID `json:"blocks"`
	Page   UUID   `json:"page"`
}

// visibleRequests returns the requests that wait in the Peer, oldest first. One
// about nothing that an agent may see does not exist.
func visibleRequests(ctx context.Context, g *Graph) (Requests, error) {
	var queued struct {
		Requests []wireRequest `json:"requests"`
	}
	if err := g.query(ctx, "requests.list", struct{}{}, &queued); err != nil {
		return nil, err
	}
	var all Requests
	for _, w := range queued.Requests {
		r, err := visibleRequest(ctx, g, w)
		if err := ignoreNotFound(err); err != nil {
			return nil, err
		}
		if err == nil {
			all = append(all, r)
		}
	}
	return all, nil
}

// visibleRequest answers NotFound for a request about nothing that an agent may
// see.
func visibleRequest(ctx context.Context, g *Graph, w wireRequest) (Request, error) {
	r := Request{ID: w.ID, At: time.UnixMilli(w.At).UTC().Format(time.RFC3339)}
	blocks, err := visibleBlocksOf(ctx, g, w.Blocks[:min(len(w.Blocks), maxSelected)])
	if err != nil {
		return r, err
	}
	r.Blocks = blocksForAgent(blocks)
	if w.Page != "" {
		p, err := g.page(ctx, string(w.Page))
		if err != nil {
			return r, err
		}
		r.Page = Pages{p.forAgent()}
	}
	if len(r.Blocks)+len(r.Page) == 0 {
		return r, noRequestError(w.ID)
	}
	return r, nil
}

func noRequestError(id string) error {
	return tools.Errorf(tools.NotFound, "no request %.60q waits", id).WithHint("Use list_requests: it may have been answered already.")
}

// readRequests is the resource: which requests wait, without a word of what
// they say.
func readRequests(ctx context.Context, g *Graph) (tools.Content, error) {
	if err := checkCall(g, NoArguments{}, []string{"requests"}); err != nil {
		return tools.Content{}, err
	}
	all, err := visibleRequests(ctx, g)
	if err != nil {
		return tools.Content{}, err
	}
	type request struct {
		ID     string `json:"id"`
		At     string `json:"at"`
		Blocks []UUID `json:"block_uuids,omitempty"`
		Page   UUID   `json:"page_uuid,omitempty"`
	}
	list := []request{}
	for _, r := range all {
		one := request{ID: r.ID, At: r.At}
		for _, b := range r.Blocks {
			one.Blocks = append(one.Blocks, b.UUID)
		}
		for _, p := range r.Page {
			one.Page = p.UUID
		}
		list = append(list, one)
	}
	text, err := json.Marshal(struct {
		Requests []request `json:"requests"`
	}{list})
	return tools.Content{Text: string(text)}, err
}

// announceRequest tells subscribers of a new request, if they may know what it
// is about.
func announceRequest(g *Graph, params json.RawMessage) {
	var w wireRequest
	if err := json.Unmarshal(params, &w); err != nil {
		g.log.Warn("a request of the plugin cannot be read", "error", err)
		return
	}
	if g.hidesAnything() {
		ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
		defer cancel()
		if _, err := visibleRequest(ctx, g, w); err != nil {
			return
		}
	}
	announceRequests(g)
}

func announceRequests(g *Graph) { g.changed("logseq://" + g.name + "/requests") }
