package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// JSONValue is any JSON.
type JSONValue struct{ json.RawMessage }

// IsZero reports whether there is no value, which is left out.
func (v JSONValue) IsZero() bool { return len(v.RawMessage) == 0 }

// JSONSchema implements [tools.SchemaProvider].
func (JSONValue) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{} }

// RequestIn is a request to the API of workspaces, from a script or over HTTP.
type RequestIn struct {
	Run    string    `json:"run,omitempty" jsonschema:"run of a script, which collects what it writes"`
	Commit bool      `json:"commit,omitempty" jsonschema:"true: write what the run has collected; there is no other request"`
	Method string    `json:"method,omitempty" jsonschema:"GET, POST, PUT, PATCH or DELETE"`
	Path   string    `json:"path,omitempty" jsonschema:"path with the workspace, without a query"`
	Query  string    `json:"query,omitempty" jsonschema:"query of the URL"`
	Body   JSONValue `json:"body,omitzero" jsonschema:"body of the request"`
}

// AppendJSON implements [tools.JSONProvider]. The body has been checked.
func (in RequestIn) AppendJSON(b []byte) []byte {
	b = append(slices.Grow(b, len(in.Run)+len(in.Path)+len(in.Query)+len(in.Body.RawMessage)+80), '{')
	commit := ""
	if in.Commit {
		commit = "true"
	}
	for _, member := range [...]struct {
		name, value string
		isText      bool
	}{
		{"run", in.Run, true},
		{"commit", commit, false},
		{"method", in.Method, true},
		{"path", in.Path, true},
		{"query", in.Query, true},
		{"body", string(in.Body.RawMessage), false},
	} {
		if member.value == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), member.name...), `":`...)
		if member.isText {
			b = appendText(b, member.value)
		} else {
			b = append(b, member.value...)
		}
	}
	return append(b, '}')
}

// appendText appends a text as JSON. Paths and ids have nothing to escape.
func appendText(b []byte, text string) []byte {
	for _, c := range []byte(text) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return append(b, textJSON(text)...)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

// request is in as the API takes it.
func (in RequestIn) request() (notesapi.Request, error) {
	query, err := url.ParseQuery(in.Query)
	if err != nil {
		return notesapi.Request{}, tools.Errorf(tools.Invalid, "the query of the URL is not valid")
	}
	return notesapi.Request{Method: in.Method, Path: in.Path, Query: query, Body: in.Body.RawMessage}, nil
}

// RequestOut is what the API answers.
type RequestOut struct {
	Status int               `json:"status" jsonschema:"as of HTTP"`
	Header map[string]string `json:"header,omitempty" jsonschema:"for HTTP"`
	Body   JSONValue         `json:"body,omitzero" jsonschema:"the answer"`

	Names []string `json:"names,omitempty" jsonschema:"what the request was about"`
}

// Targets implements [tools.TargetProvider].
func (o RequestOut) Targets() []string { return o.Names }

// AppendJSON implements [tools.JSONProvider]: a body is long, and the API has made JSON
// of it.
func (o RequestOut) AppendJSON(b []byte) []byte {
	b = slices.Grow(b, len(o.Body.RawMessage)+256)
	b = strconv.AppendInt(append(b, `{"status":`...), int64(o.Status), 10)
	if len(o.Header) > 0 {
		b = append(append(b, `,"header":`...), textJSON(o.Header)...)
	}
	if !o.Body.IsZero() {
		b = append(append(b, `,"body":`...), o.Body.RawMessage...)
	}
	if len(o.Names) > 0 {
		b = append(b, `,"names":[`...)
		for i, name := range o.Names {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(b, name)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// textJSON is text as JSON.
func textJSON[T string | map[string]string | []string | *ScriptOut](text T) json.RawMessage {
	b, err := tools.PlainJSON(text)
	if err != nil {
		panic(err) // text
	}
	return b
}

// The names of the tools behind every request: one for each effect, so that grants
// and rules hold for scripts and for programs over HTTP as they do for agents.
const (
	readTool   = "workspace_read"
	writeTool  = "workspace_write"
	deleteTool = "workspace_delete"
)

// requestTool is the tool for a request. One that no route has is answered by the
// tool that reads.
func (w noteReader) requestTool(method, path string) string {
	switch effect, found := w.api.Effect(method, path); {
	case !found || effect == tools.Reads:
		return readTool
	case effect == tools.Deletes:
		return deleteTool
	default:
		return writeTool
	}
}

// callRequestTool makes a request as a call of its tool.
func (w noteReader) callRequestTool(ctx context.Context, c tools.CallContext, in RequestIn) (out RequestOut, err error) {
	if !in.Body.IsZero() && !json.Valid(in.Body.RawMessage) {
		return out, tools.Errorf(tools.Invalid, "the body is not valid JSON")
	}
	result, err := c.CallWithInput(ctx, w.requestTool(in.Method, in.Path), in)
	if err != nil {
		return out, err
	}
	out, known := result.Out.(RequestOut)
	if !known {
		if err := json.Unmarshal(result.JSON, &out); err != nil {
			return out, fmt.Errorf("read answer of %s %s: %w", in.Method, in.Path, err)
		}
	}
	return out, nil
}

func requestTools() []tools.Tool[*Workspaces] {
	const doc = " by a request to the API of workspaces.\n\nScripts and routes use it."
	read := tools.Spec[RequestIn, RequestOut]{
		Name: readTool, Title: "Read by the API", Effect: tools.Reads, Unlisted: true, Doc: "Read" + doc, Redact: redactRequest,
		Examples: []tools.Example[RequestIn, RequestOut]{
			{Purpose: "list the notes", In: RequestIn{Method: http.MethodGet, Path: "/workspaces/ws/notes"}, AnyAnswer: true},
		},
	}
	write := tools.Spec[RequestIn, RequestOut]{
		Name: writeTool, Title: "Write by the API", Effect: tools.Writes, Unlisted: true, Doc: "Write" + doc,
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[RequestIn, RequestOut]{{
			Purpose: "add a note", AnyAnswer: true,
			In: RequestIn{
				Method: http.MethodPost, Path: "/workspaces/ws/notes", Body: JSONValue{json.RawMessage(`{"id":"tea","markdown":"# Tea\n\nGreen."}`)},
			},
		}},
	}
	remove := tools.Spec[RequestIn, RequestOut]{
		Name: deleteTool, Title: "Delete by the API", Effect: tools.Deletes, Unlisted: true, Doc: "Delete" + doc,
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[RequestIn, RequestOut]{
			{Purpose: "delete a note", In: RequestIn{Method: http.MethodDelete, Path: "/workspaces/ws/notes/pay-rent"}, AnyAnswer: true},
		},
	}
	return []tools.Tool[*Workspaces]{
		tools.WithTargets(tools.DefineWithContext(read, (*Workspaces).readRequest), (*Workspaces).requestTargets),
		tools.WithTargets(tools.DefineWithContext(write, (*Workspaces).writeRequest), (*Workspaces).requestTargets),
		tools.WithTargets(tools.DefineWithContext(remove, (*Workspaces).deleteRequest), (*Workspaces).requestTargets),
	}
}

func (w *Workspaces) readRequest(ctx context.Context, _ tools.CallContext, in RequestIn) (RequestOut, error) {
	r, err := in.request()
	if err != nil {
		return RequestOut{}, err
	}
	if w.requestTool(in.Method, in.Path) != readTool {
		return RequestOut{}, tools.Errorf(tools.Invalid, "%.20q %.80q does not only read", in.Method, in.Path)
	}
	serve := w.notes.Serve
	if in.Run != "" {
		run, err := w.runs.find(in.Run)
		if err != nil {
			return RequestOut{}, err
		}
		serve, r.Bounds = run.overlay.Serve, scriptBounds()
	}
	answer := serve(ctx, r)
	return newRequestOut(answer, w.answerTargets(ctx, in, answer)), nil
}

// scriptBounds are how much a list answers a script, which can take it apart.
func scriptBounds() notesapi.Bounds {
	return notesapi.Bounds{Rows: 100_000, Bytes: 15 << 20} // of the 16 MiB of an answer
}

func (w *Workspaces) writeRequest(ctx context.Context, c tools.CallContext, in RequestIn) (RequestOut, error) {
	return w.change(ctx, c, in, writeTool)
}

func (w *Workspaces) deleteRequest(ctx context.Context, c tools.CallContext, in RequestIn) (RequestOut, error) {
	return w.change(ctx, c, in, deleteTool)
}

// change carries out a request that writes: for a run it is collected, otherwise
// it is written at once.
func (w *Workspaces) change(ctx context.Context, c tools.CallContext, in RequestIn, name string) (RequestOut, error) {
	r, err := in.request()
	if err != nil {
		return RequestOut{}, err
	}
	run := &scriptRun{}
	if in.Run != "" || in.Commit {
		if run, err = w.runs.find(in.Run); err != nil {
			return RequestOut{}, err
		}
	}
	switch {
	case in.Commit:
		return RequestOut{Status: http.StatusOK}, w.commitPart(ctx, c, run, name)
	case w.requestTool(in.Method, in.Path) != name:
		return RequestOut{}, tools.Errorf(tools.Invalid, "%.20q %.80q is not for %s", in.Method, in.Path, name)
	}
	targets, _ := w.requestTargets(ctx, in)
	if in.Run != "" {
		if err := run.checkNotes(w.api, in); err != nil {
			return RequestOut{}, err
		}
		answer := run.overlay.Serve(ctx, r)
		return newRequestOut(answer, targets), hiddenError(answer)
	}
	answer, err := w.write(ctx, c, r)
	if err != nil {
		return RequestOut{}, err
	}
	return newRequestOut(answer, targets), nil
}

func newRequestOut(a notesapi.Response, targets []string) RequestOut {
	return RequestOut{Status: a.Status, Header: a.Header, Body: JSONValue{a.Body}, Names: targets}
}
