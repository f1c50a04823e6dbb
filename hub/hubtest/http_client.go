package hubtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An HTTPClient asks a hub over HTTP.
type HTTPClient struct {
	T   testing.TB
	URL string
}

// Serve serves h until the test ends; before that it calls end, which ends what
// h streams.
func Serve(t testing.TB, h http.Handler, end func()) *HTTPClient {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { end(); s.CloseClientConnections(); s.Close() })
	return &HTTPClient{t, s.URL}
}

// Do sends a request with pairs of header names and values, and reads the
// response.
func (s *HTTPClient) Do(method, path, body string, header ...string) (*http.Response, string) {
	s.T.Helper()
	req, err := http.NewRequestWithContext(s.T.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		s.T.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return resp, strings.TrimSpace(string(b))
}

// Initialize opens a session of the legacy era.
func (s *HTTPClient) Initialize(path string) (session string) {
	s.T.Helper()
	resp, body := s.Do("POST", path, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+InitParams+ //nolint:bodyclose // Do has closed it
		`}`)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Mcp-Session-Id") == "" {
		s.T.Fatalf("initialize: %s %s", resp.Status, body)
	}
	return resp.Header.Get("Mcp-Session-Id")
}

// CallBody is a tools/call.
func CallBody(id int, tool, args, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{%s}}}`, id, tool, args,
		meta)
}

// ModernHeaders are the headers of a message of the modern era.
func ModernHeaders(method, name string) []string {
	return []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name}
}

// Events reads an event stream.
func Events(t testing.TB, body string) (events []Frame) {
	t.Helper()
	for sc := bufio.NewScanner(strings.NewReader(body)); sc.Scan(); {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		var f Frame
		if err := json.Unmarshal([]byte(data), &f); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		events = append(events, f)
	}
	return events
}
