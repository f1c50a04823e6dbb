package memo

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// maxNote is the largest note that can be put over HTTP, in bytes.
const maxNote = 64 << 10

// routes are what memo answers over HTTP: /memo/notes/TITLE and /memo/health.
func routes() *tools.Routes {
	return &tools.Routes{Mount: "/memo", List: []tools.Route{
		{Path: "/health", Methods: []string{http.MethodGet}, Auth: tools.AuthOpen, Purpose: "Whether it serves"},
		{
			Path: "/notes/", Methods: []string{http.MethodGet, http.MethodPut}, MaxBody: maxNote, Types: []string{"text/plain"},
			Auth: tools.AuthSource, Purpose: "Read or write one note",
		},
	}}
}

// Authenticate implements [tools.Authenticator]: whoever has the key is an owner.
// Digests are compared, so that the time tells nothing of the key.
func (m *Memo) Authenticate(ctx context.Context, bearer string) (tools.Identity, error) {
	key, err := m.reveal(ctx, m.key)
	if err != nil {
		return tools.Identity{}, err
	}
	want, got := sha256.Sum256([]byte(key)), sha256.Sum256([]byte(bearer))
	if key == "" || subtle.ConstantTimeCompare(want[:], got[:]) == 0 {
		return tools.Identity{}, tools.Errorf(tools.Denied, "this is not the key")
	}
	return tools.Identity{Client: "memo", Proven: true, Role: owner}, nil
}

// ServeHTTP implements [http.Handler]. It reads by itself and writes by a tool, so
// that grants, journal and audit hold for it as for an agent.
func (m *Memo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	title, isNote := strings.CutPrefix(r.URL.Path, "/notes/")
	switch {
	case !isNote:
		_, _ = io.WriteString(w, "ok\n") // the client went away
	case r.Method == http.MethodPut:
		m.putNote(w, r, title)
	default:
		n, err := m.Read(r.Context(), ReadIn{Title(title)})
		if err != nil {
			writeError(w, err)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, n.Text)
	}
}

func (m *Memo) putNote(w http.ResponseWriter, r *http.Request, title string) {
	text, err := io.ReadAll(r.Body) // the hub bounds it by the route's MaxBody
	if err != nil {
		writeError(w, tools.Errorf(tools.Invalid, "the note cannot be read to its end"))
		return
	}
	args, err := json.Marshal(WriteIn{Title: Title(title), Text: string(text)})
	if err != nil {
		writeError(w, err)
		return
	}
	result, err := tools.CallContextOf(r.Context()).Call(r.Context(), "", "write_note", args)
	if err != nil {
		writeError(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(result.JSON)
}

// writeError answers an error in the words of the specification.
func writeError(w http.ResponseWriter, err error) {
	e := tools.AsError(err)
	status := map[tools.Code]int{
		tools.Invalid: http.StatusBadRequest, tools.NotFound: http.StatusNotFound, tools.Conflict: http.StatusConflict,
		tools.Denied: http.StatusForbidden, tools.Unavailable: http.StatusServiceUnavailable, tools.Limited: http.StatusTooManyRequests,
		tools.Timeout: http.StatusServiceUnavailable, tools.Internal: http.StatusInternalServerError,
	}[e.Code]
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(errorFormat().Object(e)) // the client went away
}
