package loopnet

import (
	"bufio"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// FuzzGuard sends any header to a path that needs no token and lets one origin
// in. What passes is held against the bytes that were sent, read by nothing
// but string functions.
func FuzzGuard(f *testing.F) {
	const good, allowed = "Host: 127.0.0.1:1", "lsp://logseq.io"
	for _, seed := range []string{
		good, "Host: localhost:1", "Host: [::1]:1", "Host: evil.example", "Host: 127.0.0.1:1@evil.example", "Host: 127.0.0.1:1\r\nHost: evil.example",
		"HOST: 127.0.0.1:1 ", "Host:\t127.0.0.1:1", "Host: 127.0.0.1:1, evil.example", "Host: 127.0.0.1:1#", "Host: 127.0.0.1:1.", "X: y",
		good + "\r\nOrigin: " + allowed, good + "\r\norigin:" + allowed, good + "\r\nOrigin: null", good + "\r\nOrigin:", good + "\r\nOrigin: " + allowed + "\r\nORIGIN: " + allowed,
		good + "\r\nOrigin: " + allowed + " https://evil.example", good + "\r\nOrigin: " + allowed + ".evil.example", good + "\r\n Origin: null", good + "\nOrigin: null",
		good + "\r\nSec-Fetch-Site: none", good + "\r\nSec-Fetch-Site: cross-site", good + "\r\nsec-fetch-site: none, cross-site", good + "\r\nSec-Fetch-Site: NONE",
		good + "\r\nReferer: http://evil.example/",
	} {
		f.Add("GET /plugin HTTP/1.1", seed)
		f.Add("POST http://evil.example/plugin HTTP/1.1", seed)
	}
	passed := false
	guard := Guard(GuardConfig{
		Port: 1, Log: slog.New(slog.DiscardHandler),
		Routes: []Route{{Path: "/plugin", Methods: []string{"GET", "DELETE"}, NoToken: true, Origins: []string{allowed}}},
	}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { passed = true }))
	f.Fuzz(func(t *testing.T, line, header string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(line + "\r\n" + header + "\r\n\r\n")))
		sent := headersIn(header)
		if err != nil || len(sent["host"]) > 1 { // the server refuses the latter by itself
			return
		}
		r.RemoteAddr = "127.0.0.1:9"
		passed = false
		guard.ServeHTTP(httptest.NewRecorder(), r)
		if !passed {
			return
		}
		if !slices.Contains([]string{"127.0.0.1:1", "localhost:1", "[::1]:1"}, strings.Join(sent["host"], "|")) {
			t.Errorf("passed with Host %q", sent["host"])
		}
		if got := sent["origin"]; got != nil && !slices.Equal(got, []string{allowed}) {
			t.Errorf("passed with Origin %q", got)
		}
		for _, site := range sent["sec-fetch-site"] {
			if site != "none" && site != "same-origin" {
				t.Errorf("passed with Sec-Fetch-Site %q", site)
			}
		}
		if sent["referer"] != nil && sent["origin"] == nil && !strings.HasPrefix(line, "GET ") {
			t.Errorf("%q passed with Referer %q", line, sent["referer"])
		}
	})
}

// headersIn reads header lines up to the first empty one.
func headersIn(text string) map[string][]string {
	sent := map[string][]string{}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		name = strings.ToLower(name)
		sent[name] = append(sent[name], strings.Trim(value, " \t"))
	}
	return sent
}
