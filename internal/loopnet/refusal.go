package loopnet

import (
	"fmt"
	"io"
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
	h.Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(f.status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, strings.ToLower(http.StatusText(f.status))+": "+f.reason+"\n")
	}
}
