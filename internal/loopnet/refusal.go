package loopnet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// A refusal is the rule of the guard that a request broke. reason is for the
// author of the client and repeats nothing of the request.
type refusal struct {
	rule    string // for the log
	status  int
	reason  string
	headers []string // name, value, ...
}

func refuse(rule string, status int, format string, args ...any) *refusal {
	return &refusal{rule: rule, status: status, reason: fmt.Sprintf(format, args...)}
}

func (f *refusal) with(name, value string) *refusal {
	f.headers = append(f.headers, name, value)
	return f
}

func (f *refusal) write(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for i := 0; i+1 < len(f.headers); i += 2 {
		h.Set(f.headers[i], f.headers[i+1])
	}
	if r.ContentLength != 0 {
		// Otherwise net/http would read the body first, to keep the connection.
		h.Set("Connection", "close")
	}
	WriteError(w, r, f.status, strings.ToLower(http.StatusText(f.status))+": "+f.reason)
}

// WriteError answers a request that no route answers, in the form of the routes' errors.
func WriteError(w http.ResponseWriter, r *http.Request, status int, message string) {
	code, known := map[int]string{
		http.StatusBadRequest: "validation_error", http.StatusForbidden: "permission_denied", http.StatusTooManyRequests: "rate_limited",
		http.StatusRequestEntityTooLarge: "validation_error", http.StatusServiceUnavailable: "unavailable",
		http.StatusInternalServerError: "internal_error",
	}[status]
	if !known {
		code = strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(map[string]any{"error": map[string]any{"code": code, "message": message, "details": map[string]any{}}}) // texts
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(b.Bytes())
	}
}
