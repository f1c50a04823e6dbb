package deckotest

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// answer changes the request to what Decko understands of it, asks ours, and takes
// back what Decko's answer lacks.
func (d *decko) answer(rw http.ResponseWriter) {
	path, query := withoutFormat(d.r.URL.EscapedPath()), d.r.URL.Query()
	var in map[string]any
	if len(d.body) > 0 && d.r.Method != http.MethodGet && json.Unmarshal(d.body, &in) != nil {
		d.write(rw, http.StatusInternalServerError, broken())
		return
	}
	if scheme, _, _ := strings.Cut(d.r.Header.Get("Authorization"), " "); scheme == "bearer" {
		d.r.Header.Del("Authorization")
	}
	if d.breaks(path, query, in) {
		d.write(rw, http.StatusInternalServerError, broken())
		return
	}
	if status, object := d.refuses(path, in); status != 0 {
		d.write(rw, status, object)
		return
	}
	d.ignore(path, query, in)
	body := d.body
	if in != nil {
		body, _ = json.Marshal(in)
	}
	trashed := path == "/cards" && d.r.Method == http.MethodPost && d.inTrash(in["name"])
	status, out, rec := d.ask(d.r.Method, path, query, body, false)
	if trashed && status == http.StatusCreated {
		d.write(rw, http.StatusInternalServerError, broken()) // it is there all the same
		return
	}
	status, out = d.shape(path, query, in, status, out)
	for name, values := range rec.Header() {
		if !slices.Contains([]string{"Etag", "Www-Authenticate", "X-Token-Expires-In", "Retry-After", "Content-Length"}, name) {
			rw.Header()[name] = values
		}
	}
	if out == nil {
		rw.WriteHeader(status)
		_, _ = rw.Write(rec.Body.Bytes())
		return
	}
	if d.r.Method == http.MethodGet && status == http.StatusOK {
		rw.Header().Set("Etag", `W/"0123456789abcdef"`)
	}
	d.write(rw, status, out)
}

// withoutFormat cuts what follows a full stop, which Decko takes for a format.
func withoutFormat(path string) string {
	parts := strings.Split(path, "/")
	if i := len(parts) - 1; len(parts) > 2 && parts[1] == "cards" {
		parts[i], _, _ = strings.Cut(parts[i], ".")
	}
	return strings.Join(parts, "/")
}

// breaks reports whether Decko answers 500.
func (d *decko) breaks(path string, query url.Values, in map[string]any) bool {
	for _, name := range []string{"limit", "offset"} {
		if strings.HasPrefix(query.Get(name), "-") {
			return true
		}
	}
	for _, name := range []string{"updated_since", "updated_before"} {
		if text := query.Get(name); text != "" && !isDate(text) {
			return true
		}
	}
	if patch, ok := in["patch"].(map[string]any); ok && patch["mode"] == "replace_between" && path != "/cards/batch" {
		return patch["start_marker"] == nil || patch["end_marker"] == nil
	}
	if ops, given := in["ops"]; given && path == "/cards/batch" {
		list, ok := ops.([]any)
		if !ok {
			return true
		}
		return slices.ContainsFunc(list, func(op any) bool { _, ok := op.(map[string]any); return !ok })
	}
	return false
}

func isDate(text string) bool {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

// refuses is what Decko does not know and ours does; 0: nothing.
func (d *decko) refuses(path string, in map[string]any) (int, map[string]any) {
	if patch, ok := in["patch"].(map[string]any); ok && path != "/cards/batch" {
		if mode, _ := patch["mode"].(string); !slices.Contains(patchModes, mode) {
			return http.StatusBadRequest, refusal("validation_error", "Unknown patch mode: "+mode, nil)
		}
	}
	if path != "/run_query" {
		return 0, nil
	}
	query, _ := in["query"].(map[string]any)
	known := 0
	for name := range query {
		if slices.Contains(queryKeys, name) {
			known++
		}
	}
	switch {
	case query["updated_at"] != nil || query["created_at"] != nil:
		return http.StatusBadRequest, refusal("query_error", "Query failed", nil)
	case known == 0:
		return http.StatusBadRequest, refusal("validation_error", "Invalid query", nil)
	}
	return 0, nil
}

var (
	patchModes = []string{"replace_between", "append", "prepend", "find_replace"}
	queryKeys  = []string{"name", "type", "content", "updated_at", "created_at"}
)

// ignore drops what Decko has no ear for.
func (d *decko) ignore(path string, query url.Values, in map[string]any) {
	for _, name := range []string{"not_name", "tag", "highlight", "match_mode", "case_sensitive"} {
		query.Del(name)
	}
	if strings.HasSuffix(path, "/children") {
		query.Set("include_content", "true")
	}
	if path == "/cards" && query.Get("limit") == "0" {
		query.Set("limit", "1")
	}
	if path == "/run_query" {
		maps.DeleteFunc(in["query"].(map[string]any), func(name string, _ any) bool { return !slices.Contains(queryKeys, name) })
		delete(in, "template")
	}
	if strings.HasPrefix(path, "/cards") {
		ignoreWrite(in)
		if d.r.Method == http.MethodPatch {
			delete(in, "name")
		}
	}
	if ops, ok := in["ops"].([]any); ok {
		for _, op := range ops {
			one := op.(map[string]any)
			ignoreWrite(one)
			if hasIncompleteChild(one) {
				one["action"] = incomplete
			}
		}
		if in["mode"] != "transactional" {
			delete(in, "mode")
		}
	}
}

func ignoreWrite(in map[string]any) {
	for _, name := range []string{"fields", "dry_run", "expected_revision"} {
		delete(in, name)
	}
	if text, ok := in["markdown_content"].(string); ok {
		delete(in, "markdown_content")
		in["content"] = smallMarkdown(text)
	}
	if patch, ok := in["patch"].(map[string]any); ok {
		delete(patch, "dry_run")
		if patch["end_inclusive"] == nil {
			patch["end_inclusive"] = true
		}
	}
	if in["fetch_or_initialize"] == true && in["type"] == nil {
		in["type"] = "RichText" // it changes the type of an existing card
	}
}

// incomplete stands for the action of an operation with children whose names begin
// with a plus, which Decko does not put below their card.
const incomplete = "incomplete"

func hasIncompleteChild(op map[string]any) bool {
	children, _ := op["children"].([]any)
	return slices.ContainsFunc(children, func(c any) bool {
		name, _ := c.(map[string]any)["name"].(string)
		return strings.HasPrefix(name, "+")
	})
}

// smallMarkdown is the converter that Decko has besides the one for rendering.
func smallMarkdown(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		for i := 0; strings.Count(line, "**") >= 2; i++ {
			line = strings.Replace(strings.Replace(line, "**", "<strong>", 1), "**", "</strong>", 1)
		}
		switch {
		case line == "":
			continue
		case strings.HasPrefix(line, "# "):
			line = "<h1>" + line[2:] + "</h1>"
		case strings.HasPrefix(line, "## "):
			line = "<h2>" + line[3:] + "</h2>"
		case strings.HasPrefix(line, "- "):
			line = "<li>" + line[2:] + "</li>"
		default:
			line = "<p>" + line + "</p>"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (d *decko) inTrash(name any) bool {
	text, _ := name.(string)
	_, out, _ := d.ask(http.MethodGet, "/trash", url.Values{"limit": {"100"}}, nil, true)
	cards, _ := out["cards"].([]any)
	return slices.ContainsFunc(cards, func(c any) bool { return c.(map[string]any)["name"] == text })
}

// shape makes our answer Decko's.
func (d *decko) shape(path string, query url.Values, in map[string]any, status int, out map[string]any) (int, map[string]any) {
	if e, ok := out["error"].(map[string]any); ok {
		delete(e, "validation_errors")
		switch {
		case status == http.StatusNotFound && strings.HasPrefix(e["message"].(string), "No such path"):
			return http.StatusForbidden, map[string]any{
				"error_status": 403, "errors": []any{[]any{"permission", "not allowed"}}, "requested_at": "", "url": path,
			}
		case status == http.StatusNotFound && path == "/jobs/spoiler-scan":
			return http.StatusBadRequest, out
		case status == http.StatusNotFound && strings.HasPrefix(path, "/cards/") && d.isThere(path):
			return http.StatusForbidden, refusal("permission_denied", "You do not have permission to access this content",
				map[string]any{"card": path, "hint": "Ask for another role"})
		}
		return status, out
	}
	switch {
	case strings.HasSuffix(path, "/nested_in"):
		out["nested_in"], out["nested_in_count"] = []any{}, 0
	case path == "/cards" && d.r.Method == http.MethodGet:
		d.shapeSearch(query, out)
	case path == "/cards/batch":
		return shapeBatch(in, status, out)
	case path == "/run_query":
		delete(out, "items")
	case path == "/health":
		delete(out, "version")
	case path == "/health/ping":
		delete(out, "timestamp")
	}
	return status, out
}

// isThere reports whether only others see the card of a path.
func (d *decko) isThere(path string) bool {
	card := "/cards/" + strings.Split(path, "/")[2]
	own, _, _ := d.ask(http.MethodGet, card, nil, nil, false)
	status, _, _ := d.ask(http.MethodGet, card, nil, nil, true)
	return own != http.StatusOK && status == http.StatusOK
}

func (d *decko) shapeSearch(query url.Values, out map[string]any) {
	if d.r.URL.Query().Get("limit") == "0" {
		out["limit"], out["next_offset"], out["cards"] = 0, 0, []any{}
	}
	if query.Get("prefix") != "" { // it looks at a column that compound cards do not have
		cards := slices.DeleteFunc(out["cards"].([]any), func(c any) bool { return strings.Contains(c.(map[string]any)["name"].(string), "+") })
		out["cards"], out["total"], out["next_offset"] = cards, len(cards), nil
	}
	if query.Get("updated_since") != "" { // it counts before it asks who may read
		_, all, _ := d.ask(http.MethodGet, "/cards", query, nil, true)
		out["total"] = all["total"]
	}
}

// shapeBatch makes results of a batch Decko's: it breaks on a patch that does not fit,
// and says ok of what it has rolled back.
func shapeBatch(in map[string]any, status int, out map[string]any) (int, map[string]any) {
	ops, _ := in["ops"].([]any)
	results, _ := out["results"].([]any)
	for i, one := range results {
		result := one.(map[string]any)
		_, patched := ops[i].(map[string]any)["patch"]
		if patched && result["status"] == "error" && result["message"] != "Card not found" {
			return http.StatusInternalServerError, map[string]any{"status": 500, "error": "Internal Server Error"}
		}
		if result["rolled_back"] != nil {
			for _, name := range []string{"rolled_back", "message", "code"} {
				delete(result, name)
			}
			result["status"], result["id"] = "ok", 4711
		}
		if message, _ := result["message"].(string); strings.HasSuffix(message, incomplete) {
			result["message"] = "Validation failed: Name is incomplete"
		}
		for _, name := range []string{"code", "card", "validation_errors"} {
			delete(result, name)
		}
	}
	return status, out
}
