package loopnet

import (
	"net/http"
	"strings"
)

// A securityHeaderWriter adds the headers to every answer that keep browsers
// from using it, and removes those that would let one.
type securityHeaderWriter struct {
	http.ResponseWriter
	onlyTLS       bool // browsers must remember that the host has TLS
	headerWritten bool
}

// Unwrap is for [http.ResponseController].
func (w *securityHeaderWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *securityHeaderWriter) WriteHeader(status int) {
	if !w.headerWritten {
		w.headerWritten = status >= 200 || status == http.StatusSwitchingProtocols
		w.setSecurityHeaders()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *securityHeaderWriter) Write(p []byte) (int, error) {
	if !w.headerWritten {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// FlushError is for [http.ResponseController], Flush for everything else.
func (w *securityHeaderWriter) FlushError() error {
	if !w.headerWritten {
		w.WriteHeader(http.StatusOK)
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *securityHeaderWriter) Flush() { _ = w.FlushError() }

// finish sets the headers of the answer that net/http makes when a handler
// wrote nothing.
func (w *securityHeaderWriter) finish() {
	if !w.headerWritten {
		w.setSecurityHeaders()
	}
}

func (w *securityHeaderWriter) setSecurityHeaders() {
	h := w.Header()
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			delete(h, name)
		}
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if w.onlyTLS {
		h.Set("Strict-Transport-Security", "max-age=31536000") // one year
	}
}
