package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox"
)

// A scriptHost answers host.call for one run: each call is a call of the script's
// client, so that grants, rules, privacy and audit hold for it.
type scriptHost struct {
	source *Workspaces
	call   tools.CallContext
	run    *scriptRun
}

// Call implements [sandbox.Host].
func (h *scriptHost) Call(ctx context.Context, asked sandbox.HostCall) (sandbox.HostAnswer, error) {
	path, query, _ := strings.Cut(asked.Path, "?")
	switch {
	case path == "/workspaces" || strings.HasPrefix(path, "/workspaces/"):
		return h.request(ctx, asked, path, query)
	case path == "/sources" && asked.Method == http.MethodGet:
		return h.listSources()
	case strings.HasPrefix(path, "/sources/") && asked.Method == http.MethodPost:
		return h.callTool(ctx, path, asked.Body)
	}
	return refuseHostCall(http.StatusNotFound,
		fmt.Sprintf("there is no %.20q %.80q: paths begin with /workspaces or /sources", asked.Method, path)), nil
}

// request passes a request to the tool that has its effect.
func (h *scriptHost) request(ctx context.Context, asked sandbox.HostCall, path, query string) (sandbox.HostAnswer, error) {
	in := RequestIn{Run: h.run.id, Method: asked.Method, Path: path, Query: query, Body: JSONValue{asked.Body}}
	answer, err := h.source.callRequestTool(ctx, h.call, in)
	if err != nil {
		return hostError(ctx, err)
	}
	next := nextCursor(notesapi.Response{Header: answer.Header})
	h.noteList(asked, path, query, next)
	return sandbox.HostAnswer{Status: answer.Status, Body: answer.Body.RawMessage, Next: next}, nil
}

// noteList is [scriptRun.noteList] of a request, which says what it wants in its query or,
// of notes by a filter, in its body.
func (h *scriptHost) noteList(asked sandbox.HostCall, path, query, next string) {
	var body struct {
		Cursor string          `json:"cursor"`
		Limit  json.RawMessage `json:"limit"`
	}
	_ = json.Unmarshal(asked.Body, &body) // another shape asks for nothing
	values, err := url.ParseQuery(query)
	if err != nil {
		return
	}
	h.run.noteList(asked.Method, path, cmp.Or(values.Get("cursor"), body.Cursor), cmp.Or(values.Get("limit"), string(body.Limit)), next)
}

// listSources answers what other sources the client may use.
func (h *scriptHost) listSources() (sandbox.HostAnswer, error) {
	type toolLine struct {
		Name   string       `json:"name"`
		Effect tools.Effect `json:"effect"`
		Title  string       `json:"title"`
	}
	type sourceLine struct {
		Name   string     `json:"name"`
		System string     `json:"system"`
		Tools  []toolLine `json:"tools"`
	}
	lines := []sourceLine{}
	if h.call.Sources != nil {
		for _, s := range h.call.Sources.Sources() {
			if s.Name == h.source.name {
				continue
			}
			line := sourceLine{s.Name, s.System.Name, []toolLine{}}
			for _, t := range s.System.Tools {
				if !t.Unlisted {
					line.Tools = append(line.Tools, toolLine{t.Name, t.Effect, t.Title})
				}
			}
			lines = append(lines, line)
		}
	}
	body, err := tools.PlainJSON(lines)
	return sandbox.HostAnswer{Body: body}, err
}

// callTool calls a tool of another source: POST /sources/NAME/tools/TOOL.
func (h *scriptHost) callTool(ctx context.Context, path string, body json.RawMessage) (sandbox.HostAnswer, error) {
	parts := strings.Split(path, "/")
	if len(parts) != 5 || parts[3] != "tools" {
		return refuseHostCall(http.StatusNotFound, "want POST /sources/NAME/tools/TOOL"), nil
	}
	name, wrongName := url.PathUnescape(parts[2])
	toolName, wrongTool := url.PathUnescape(parts[4])
	if wrongName != nil || wrongTool != nil || name == "" {
		return refuseHostCall(http.StatusBadRequest, "the path is not a valid URL path"), nil //nolint:nilerr // the script is answered
	}
	if name == h.source.name {
		return refuseHostCall(http.StatusBadRequest, "a script uses its own source by /workspaces"), nil
	}
	info, known := h.findTool(name, toolName)
	writes := known && info.Effect != tools.Reads
	if writes && h.run.dryRun {
		dry, err := asDryRun(info, body)
		if err != nil {
			return refuseHostCall(http.StatusConflict, err.Error()), nil
		}
		body, writes = dry, false
	}
	if len(body) == 0 {
		body = json.RawMessage("{}")
	}
	result, err := h.call.Call(ctx, name, toolName, body)
	if writes {
		outcome := callDone
		if err != nil {
			outcome = "refused"
		}
		h.run.calls = append(h.run.calls, ScriptCall{name, toolName, outcome})
	}
	if err != nil {
		return hostError(ctx, err)
	}
	return sandbox.HostAnswer{Body: result.JSON}, nil
}

// callDone is the outcome of a call that was made.
const callDone = "done"

func (h *scriptHost) findTool(source, name string) (tools.ToolInfo, bool) {
	if h.call.Sources == nil {
		return tools.ToolInfo{}, false
	}
	for _, s := range h.call.Sources.Sources() {
		if s.Name == source {
			return s.System.Tool(name)
		}
	}
	return tools.ToolInfo{}, false
}

// asDryRun is the arguments of a tool that writes, so that it does not.
func asDryRun(info tools.ToolInfo, body json.RawMessage) (json.RawMessage, error) {
	args := map[string]any{}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &args); err != nil {
			return nil, fmt.Errorf("the arguments of %s must be an object", info.Name)
		}
	}
	if _, can := info.In.Properties["dry_run"]; !can {
		return nil, fmt.Errorf("a dry run cannot call %s, which writes and has no dry_run", info.Name)
	}
	args["dry_run"] = true
	return json.Marshal(args)
}

func refuseHostCall(status int, detail string) sandbox.HostAnswer {
	body, err := json.Marshal(map[string]string{"detail": detail})
	if err != nil {
		panic(err) // a string
	}
	return sandbox.HostAnswer{Status: status, Body: body}
}

// hostError is the answer to a call that was refused or failed. The end of the
// run's own time is no answer.
func hostError(ctx context.Context, err error) (sandbox.HostAnswer, error) {
	if ctx.Err() != nil {
		return sandbox.HostAnswer{}, ctx.Err()
	}
	e := tools.AsError(err)
	body, err := json.Marshal(map[string]any{"detail": e.Message, "code": e.Code, "hint": e.Hint})
	if err != nil {
		return sandbox.HostAnswer{}, err
	}
	return sandbox.HostAnswer{Status: statusOf(e), Body: body}, nil
}

// statusOf is an error as a status of HTTP.
func statusOf(e *tools.Error) int {
	switch e.Code {
	case tools.Invalid:
		return http.StatusBadRequest
	case tools.NotFound:
		return http.StatusNotFound
	case tools.Conflict:
		return http.StatusConflict
	case tools.Denied:
		return http.StatusForbidden
	case tools.Unavailable:
		return http.StatusServiceUnavailable
	case tools.Limited:
		return http.StatusTooManyRequests
	case tools.Timeout:
		return http.StatusGatewayTimeout
	default:
		return http.StatusInternalServerError
	}
}

// codeOfStatus is the reverse.
func codeOfStatus(status int) tools.Code {
	switch status {
	case http.StatusNotFound, http.StatusGone:
		return tools.NotFound
	case http.StatusConflict, http.StatusPreconditionFailed:
		return tools.Conflict
	case http.StatusForbidden, http.StatusUnauthorized:
		return tools.Denied
	case http.StatusTooManyRequests, http.StatusRequestEntityTooLarge, http.StatusInsufficientStorage:
		return tools.Limited
	case http.StatusServiceUnavailable:
		return tools.Unavailable
	case http.StatusGatewayTimeout:
		return tools.Timeout
	case http.StatusInternalServerError:
		return tools.Internal
	default:
		return tools.Invalid
	}
}

// maxMessage is how much of a message the API may make of its input, in bytes.
const maxMessage = 1000

// answerError is an answer with a status from 400 as an error of a tool.
func answerError(a notesapi.Response) *tools.Error {
	var body struct {
		Detail json.RawMessage `json:"detail"`
	}
	_ = json.Unmarshal(a.Body, &body) // without detail, the status tells
	var detail struct {
		Message string `json:"message"`
	}
	message := http.StatusText(a.Status)
	if json.Unmarshal(body.Detail, &message) != nil && json.Unmarshal(body.Detail, &detail) == nil && detail.Message != "" {
		message = detail.Message
	}
	message = safetext.Truncate(message, maxMessage)
	e := tools.Errorf(codeOfStatus(a.Status), "%s", message)
	if a.Hidden {
		e = tools.HiddenError("%s", message)
	}
	switch e.Code {
	case tools.NotFound:
		return e.WithHint("Search or list first.")
	case tools.Conflict:
		return e.WithHint("Read it again, then write.")
	default:
		return e
	}
}
