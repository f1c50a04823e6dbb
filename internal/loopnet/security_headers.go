package loopnet

import (
	"net/http"
	"strings"
)

// sealedWriter puts the headers on every answer that keep a browser from making
// use of it, and takes off those that would let one.
type sealedWriter struct {
	http.ResponseWriter
	began bool
}

// Unwrap is for [http.ResponseController].
func (w *sealedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *sealedWriter) WriteHeader(status int) {
	if !w.began {
		w.began = status >= 200 || status == http.StatusSwitchingProtocols
		seal(w.Header())
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *sealedWriter) Write(p []byte) (int, error) {
	if !w.began {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// FlushError is for [http.ResponseController], Flush for everybody else.
func (w *sealedWriter) FlushError() error {
	if !w.began {
		w.WriteHeader(http.StatusOK)
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *sealedWriter) Flush() { _ = w.FlushError() }

// end seals the answer that net/http makes up when a handler wrote nothing.
func (w *sealedWriter) end() {
	if !w.began {
		seal(w.Header())
	}
}

func seal(h http.Header) {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			delete(h, name)
		}
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
