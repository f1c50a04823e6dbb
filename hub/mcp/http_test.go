package mcp_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
)

// Each row is answered without ending anything.
func TestHTTPRefusals(t *testing.T) {
	h := start(t, mcp.Limits{Body: 5000}, deskSource("notes"), deskSource("work"))
	s := serveHTTP(t, h)
	session := s.Initialize("/mcp/notes")
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, tt := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		want                     string
	}{
		{"its session", "POST", "/mcp/notes", ping, []string{"Mcp-Session-Id", session}, 200, `"result":{}`},
		{"unknown source", "POST", "/mcp/nots", ping, nil, 404, "no source named nots"},
		{"unknown source of two", "POST", "/mcp/notes,nots", ping, nil, 404, "one of notes,nots is not a source"},
		{"two sources", "GET", "/mcp/work,notes", "", nil, 400, "Mcp-Session-Id"},
		{"session of another scope", "POST", "/mcp", ping, []string{"Mcp-Session-Id", session}, 404, ""},
		{"session of another source", "POST", "/mcp/work", ping, []string{"Mcp-Session-Id", session}, 404, ""},
		{"made-up session", "POST", "/mcp/notes", ping, []string{"Mcp-Session-Id", "lectern-x"}, 404, ""},
		{"no session", "POST", "/mcp/notes", ping, nil, 400, "Mcp-Session-Id is missing"},
		{"empty session", "POST", "/mcp/notes", ping, []string{"Mcp-Session-Id", ""}, 400, "Mcp-Session-Id is missing"},
		{"end without session", "DELETE", "/mcp", "", nil, 400, "Mcp-Session-Id is missing"},
		{"stream without session", "GET", "/mcp", "", nil, 400, "Mcp-Session-Id"},
		{"stream of a made-up session", "GET", "/mcp", "", []string{"Mcp-Session-Id", "x"}, 404, "send initialize"},
		{"end of a made-up session", "DELETE", "/mcp", "", []string{"Mcp-Session-Id", "x"}, 404, "send initialize"},
		{"method", "PUT", "/mcp", ping, nil, 405, ""},
		{"too large", "POST", "/mcp", strings.Repeat("x", 6000), nil, 413, "a message may have 5000 bytes"},
		{"garbage", "POST", "/mcp", "garbage", nil, 400, "-32700"},
		{"batch", "POST", "/mcp", "[" + ping + "]", nil, 400, "-32600"},
		{"fraction", "POST", "/mcp", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, 400, "-32600"},
		{"version", "POST", "/mcp", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil, 400, "-32600"},
		{"modern stream", "GET", "/mcp", "", []string{"MCP-Protocol-Version", "2026-07-28"}, 405, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.T = t
			resp, body := s.Do(tt.method, tt.path, tt.body, tt.header...)
			if resp.StatusCode != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("got %d %s, want %d %s", resp.StatusCode, body, tt.status, tt.want)
			}
		})
	}
	s.T = t
	if resp, body := s.Do("DELETE", "/mcp/notes", "", "Mcp-Session-Id", session); resp.StatusCode != http.StatusOK {
		t.Errorf("end: %d %s", resp.StatusCode, body)
	}
	if resp, _ := s.Do("POST", "/mcp/notes", ping, "Mcp-Session-Id", session); resp.StatusCode != http.StatusNotFound {
		t.Errorf("after its end: %d, want 404", resp.StatusCode)
	}
	if _, n := h.ActivityCounts(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

// In both eras, over HTTP too: all notifications of a call, in order, then its
// answer, in the same response, even while another stream of the session is
// open to take them.
func TestHTTPNotifications(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	s := serveHTTP(t, h)
	session := s.Initialize("/mcp")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", session)
	other, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Body.Close()

	const n = 1000
	for era, header := range map[string][]string{"legacy": {"Mcp-Session-Id", session}, "modern": hubtest.ModernHeaders("tools/call", "count")} {
		meta := `"progressToken":7`
		if era == "modern" {
			meta += "," + strings.TrimSuffix(strings.TrimPrefix(hubtest.ModernMeta, `"_meta":{`), "}") + `,"io.modelcontextprotocol/logLevel":"info"`
		}
		resp, body := s.Do("POST", "/mcp", hubtest.CallBody(5, "count", fmt.Sprintf(`{"count":%d}`, n), meta), header...)
		if ct := resp.Header.Get("Content-Type"); ct != "text/event-stream" {
			t.Fatalf("%s: %s %.300s", era, ct, body)
		}
		events := hubtest.Events(t, body)
		if len(events) != 2*n+1 || events[2*n].ID != 5.0 {
			t.Fatalf("%s: %d events, the last %+v", era, len(events), events[len(events)-1])
		}
		for i := range n {
			if p := string(events[2*i].Params); !strings.Contains(p, fmt.Sprintf(`"progress":%d,`, i)) || events[2*i+1].Method != "notifications/message" {
				t.Fatalf("%s: event %d is %s", era, 2*i, p)
			}
		}
	}
}

// The modern era has no sessions, but its clients are seen, and errors have
// their status.
func TestHTTPModern(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	s := serveHTTP(t, h)
	meta := strings.TrimSuffix(strings.TrimPrefix(hubtest.ModernMeta, `"_meta":{`), "}")
	resp, body := s.Do("POST", "/mcp", hubtest.CallBody(1, "say", `{"text":"a"}`, meta), hubtest.ModernHeaders("tools/call", "say")...)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Mcp-Session-Id") != "" || !strings.Contains(body, `"structuredContent":{"text":"a","from":"notes"}`) {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
	uri := "desk://notes/pages/missing"
	resp, body = s.Do("POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"`+uri+`",`+hubtest.ModernMeta+`}}`, hubtest.ModernHeaders("resources/read", uri)...)
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"error":{"code":-32602,"message":"no page named missing.","data":{"code":"PAGE_MISSING","error":"no page named missing","uri":"`+uri+`"}}`) {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
	resp, body = s.Do("POST", "/mcp", hubtest.CallBody(3, "say", `{"text":"a"}`, meta), hubtest.ModernHeaders("tools/call", "write")...)
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, "-32020") {
		t.Errorf("header that differs: got %d %s", resp.StatusCode, body)
	}
	for _, seen := range h.MCP().Sessions() {
		got := seen.Status()
		if got.Client != "modern" || got.Protocol != "2026-07-28" || got.Transport != status.HTTP || got.Calls != 1 {
			t.Errorf("session %+v", got)
		}
	}
	if _, n := h.ActivityCounts(); n != 1 {
		t.Errorf("%d sessions, want 1", n)
	}
}

// SEC-CLI-3: however many sessions are asked for, there are 64 at most, and
// memory stays.
func TestManyInitialize(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	handler := h.MCP().HTTP()
	heap := func() uint64 {
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.Sys - m.HeapReleased
	}
	before := heap()
	got := map[int]int{}
	for range 20_000 {
		got[initialize(handler)]++
	}
	if got[http.StatusOK] != 64 || got[http.StatusTooManyRequests] != 20_000-64 {
		t.Errorf("answers by status: %v", got)
	}
	if _, n := h.ActivityCounts(); n != 64 {
		t.Errorf("%d sessions, want 64", n)
	}
	if after := heap(); after > before+32<<20 {
		t.Errorf("memory grew from %d to %d bytes", before, after)
	}
}

// initialize asks for a session and says with what status.
func initialize(h http.Handler) int {
	rec := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+hubtest.InitParams+`}`))
	r.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(rec, r)
	return rec.Code
}

// A client that never said goodbye does not lock out the next for long.
func TestQuietSessionMakesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, mcp.Limits{Sessions: 2}, deskSource("notes"))
		handler := h.MCP().HTTP()
		got := []int{initialize(handler), initialize(handler), initialize(handler)}
		time.Sleep(5 * time.Minute)
		got = append(got, initialize(handler))
		if d := cmp.Diff([]int{200, 200, 429, 200}, got); d != "" {
			t.Error(d)
		}
		if _, n := h.ActivityCounts(); n != 2 {
			t.Errorf("%d sessions, want 2", n)
		}
	})
}

func TestHTTPSessionGoesIdle(t *testing.T) {
	h := start(t, mcp.Limits{Idle: 50 * time.Millisecond}, deskSource("notes"))
	s := serveHTTP(t, h)
	s.Initialize("/mcp")
	runtest.Eventually(t, "the session is gone", func() bool { _, n := h.ActivityCounts(); return n == 0 })
}

// A client that goes away cancels its call.
func TestHTTPClientLeaves(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	s := serveHTTP(t, h)
	meta := strings.TrimSuffix(strings.TrimPrefix(hubtest.ModernMeta, `"_meta":{`), "}")
	req, err := http.NewRequest(http.MethodPost, s.URL+"/mcp", strings.NewReader(hubtest.CallBody(1, "wait", `{}`, meta)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i, hd := 0, hubtest.ModernHeaders("tools/call", "wait"); i < len(hd); i += 2 {
		req.Header.Set(hd[i], hd[i+1])
	}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	go func() {
		if resp, err := client.Do(req.WithContext(ctx)); err == nil {
			_ = resp.Body.Close()
		}
	}()
	for _, want := range []string{"wait", "ended"} {
		if got := <-h.world.Started; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		leave()
	}
}

// SEC-CLI-2: clients that send much and never read cost little, and others are
// served meanwhile.
func TestHTTPClientsThatNeverRead(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	s := serveHTTP(t, h)
	meta := strings.TrimSuffix(strings.TrimPrefix(hubtest.ModernMeta, `"_meta":{`), "}")
	body := hubtest.CallBody(1, "say", `{"text":"`+strings.Repeat("x", 3_900_000)+`"}`, meta)
	head := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: say\r\nContent-Length: %d\r\n\r\n", len(body))

	message := []byte(head + body)

	used := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.Sys - m.HeapReleased
	}
	debug.FreeOSMemory()
	before, peak := used(), uint64(0)
	const n, enough = 60, 6 // all send at once; what happens after a few are handled repeats itself
	for range n {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		go func() {
			_, _ = conn.Write(message) // one slice for all: the test measures the server
		}()
	}
	session := s.Initialize("/mcp")
	for handled := uint64(0); handled < enough; {
		if resp, b := s.Do("POST", "/mcp", hubtest.CallBody(2, "say", `{"text":"a"}`, ""), "Mcp-Session-Id", session); resp.StatusCode != http.StatusOK {
			t.Fatalf("another client: %d %s", resp.StatusCode, b)
		}
		peak = max(peak, used())
		for _, session := range h.MCP().Sessions() {
			if got := session.Status(); got.Client == "modern" {
				handled = got.Calls
			}
		}
	}
	if peak > before+256<<20 {
		t.Errorf("memory grew from %d to %d MB", before>>20, peak>>20)
	}
	t.Logf("memory grew from %d to %d MB", before>>20, peak>>20)
}

// A client of the legacy era ends a call by its id, and the others go on.
func TestHTTPCancel(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	s := serveHTTP(t, h)
	session := s.Initialize("/mcp")
	answers := map[int]chan string{1: make(chan string, 1), 2: make(chan string, 1)}
	for id, answer := range answers {
		go func() {
			_, body := s.Do("POST", "/mcp", hubtest.CallBody(id, "wait", `{}`, ""), "Mcp-Session-Id", session)
			answer <- body
		}()
		<-h.world.Started
	}
	for _, id := range []int{1, 2} {
		note := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
		if resp, body := s.Do("POST", "/mcp", note, "Mcp-Session-Id", session); resp.StatusCode != http.StatusAccepted {
			t.Errorf("cancel: %d %s", resp.StatusCode, body)
		}
		if got := <-h.world.Started; got != "ended" {
			t.Errorf("got %s, want the call to end", got)
		}
		if body := <-answers[id]; !strings.Contains(body, `"isError":true`) {
			t.Errorf("got %s", body)
		}
		if id == 1 && len(answers[2]) > 0 {
			t.Errorf("the other call has ended too: %s", <-answers[2])
		}
	}
}
