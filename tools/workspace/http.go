package workspace

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// maxRequestBody is the largest body of a request, in bytes: an attachment in
// base64.
const maxRequestBody = 12 << 20

// routes are the API over HTTP, at the paths of the specification. docs/workspace-api.md
// has them one by one. Every source has the workspace of its own name, which no
// other can have, so /workspaces/NAME tells the source.
func routes() *tools.Routes {
	all := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	return &tools.Routes{Mount: "/workspaces", NamesSource: true, List: []tools.Route{
		{
			Path: "/", Methods: all, MaxBody: maxRequestBody, Types: []string{"application/json", "multipart/form-data"}, OpenKey: "open_loopback",
			Purpose: "The REST API of workspaces",
		},
	}}
}

// ServeHTTP implements [http.Handler]. Every request is a call of one of the
// source's tools, so that grants, rules, journal and audit hold for it.
func (w *Workspaces) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	in := RequestIn{Method: r.Method, Path: strings.TrimSuffix("/workspaces"+r.URL.EscapedPath(), "/"), Query: r.URL.RawQuery}
	if in.Method == http.MethodHead {
		in.Method = http.MethodGet
	}
	body, err := readBody(r)
	if err != nil {
		writeHTTPError(rw, err)
		return
	}
	in.Body.RawMessage = body
	out, err := w.callRequestTool(r.Context(), tools.CallContextOf(r.Context()), in)
	if err != nil {
		writeHTTPError(rw, err)
		return
	}
	for name, value := range out.Header {
		rw.Header().Set(name, value)
	}
	if len(out.Body.RawMessage) > 0 {
		rw.Header().Set("Content-Type", "application/json")
	}
	rw.WriteHeader(out.Status)
	if out.Status != http.StatusNoContent {
		_, _ = rw.Write(out.Body.RawMessage) // the client went away
	}
}

// readBody is the body of a request as JSON. A file in a form becomes an
// attachment as the API takes it.
func readBody(r *http.Request) (json.RawMessage, error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // the hub refuses others
	if kind != "multipart/form-data" {
		body, err := io.ReadAll(r.Body) // the hub bounds it by the route's MaxBody
		switch {
		case err != nil:
			return nil, tools.Errorf(tools.Invalid, "the body cannot be read to its end")
		case len(body) > 0 && !json.Valid(body):
			return nil, tools.Errorf(tools.Invalid, "the body is not valid JSON")
		}
		if len(body) == 0 {
			return nil, nil
		}
		return body, nil
	}
	form, err := r.MultipartReader()
	if err != nil {
		return nil, tools.Errorf(tools.Invalid, "the form cannot be read")
	}
	for {
		part, err := form.NextPart()
		if err != nil {
			return nil, tools.Errorf(tools.Invalid, "the form has no part named file")
		}
		if part.FormName() == "file" {
			return readFile(part)
		}
	}
}

func readFile(part *multipart.Part) (json.RawMessage, error) {
	content, err := io.ReadAll(part)
	if err != nil {
		return nil, tools.Errorf(tools.Invalid, "the file cannot be read to its end")
	}
	return json.Marshal(map[string]string{
		"name": part.FileName(), "type": part.Header.Get("Content-Type"), "content_base64": base64.StdEncoding.EncodeToString(content),
	})
}

// writeHTTPError answers an error as the specification writes it.
func writeHTTPError(rw http.ResponseWriter, err error) {
	e := tools.AsError(err)
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(statusOf(e))
	_ = json.NewEncoder(rw).Encode(map[string]string{"detail": e.Message}) // the client went away
}
