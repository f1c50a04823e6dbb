package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// serveRoutes serves the routes of a hub behind the guard, as the hub process
// does. The bearer "client" is one of Lectern's own tokens.
func serveRoutes(t *testing.T, h *hub.Hub) *hubtest.HTTPClient {
	t.Helper()
	return serveRoutesWithin(t, h, loopnet.Budget{})
}

func serveRoutesWithin(t *testing.T, h *hub.Hub, room loopnet.Budget) *hubtest.HTTPClient {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = loopnet.Guard(loopnet.GuardConfig{
		Port: number, Lookup: h.Routes().Lookup, Log: slog.New(slog.DiscardHandler), Budget: room,
		Authorize: func(bearer string) (string, bool) { return bearer, bearer == "client" },
	}, h.Routes())
	server.Start()
	t.Cleanup(server.Close)
	return &hubtest.HTTPClient{T: t, URL: server.URL}
}

// routesHub has notebooks as sources, each with the key "secret NAME".
func routesHub(t *testing.T, store *memo.Store, p *policy.Policy, systems []tools.Kind, onApproval func(status.Approval), sources ...hub.Source) *testHub {
	t.Helper()
	j := journal.New(journal.Options{Dir: t.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return startWith(t, hub.Config{
		Systems: append(systems, memo.SystemWith(store)), Sources: sources, Policy: p, Journal: j, OnApproval: onApproval,
		VerifyClient: func(r *http.Request) string { return "cursor" },
		Reveal: func(_ context.Context, s tools.Secret) (string, error) {
			return strings.Replace(s.String(), "env:", "secret ", 1), nil
		},
	})
}

func memoSource(name string) hub.Source {
	return hub.Source{Name: name, Kind: "memo", Options: []byte(`{"key":"env:` + name + `"}`)}
}

// A stranger's request reaches no source, and one with a key or token does what
// its routes allow.
func TestRoutes(t *testing.T) {
	store := memo.NewStore()
	store.Put("desk", "Milk", "two bottles")
	h := routesHub(t, store, nil, nil, nil, memoSource("desk"))
	recorded := auditOf(t, h.Hub)
	s := serveRoutes(t, h.Hub)
	text := func(more ...string) []string { return append([]string{"Content-Type", "text/plain"}, more...) }
	key, client := []string{"Authorization", "Bearer secret desk"}, []string{"Authorization", "Bearer client"}
	for _, c := range []struct {
		method, path, body string
		header             []string
		code               int
		answer             string
	}{
		{"GET", "/memo/notes/Milk", "", key, 200, "two bottles"},
		{"GET", "/sources/desk/notes/Milk", "", key, 200, "two bottles"},
		{"GET", "/memo/notes/Milk", "", client, 200, "two bottles"},
		{"HEAD", "/memo/notes/Milk", "", key, 200, ""},
		{"GET", "/memo/notes/Tea", "", key, 404, "NO_SUCH_NOTE"},
		{"GET", "/memo/health", "", nil, 200, "ok"},
		{"PUT", "/memo/notes/Tea", "green", text(key...), 200, `"created":true`},
		{"PUT", "/sources/desk/notes/Tea", "black", text(client...), 200, `"revision":2`},
		{"GET", "/memo/notes/Milk", "", nil, 401, "Authorization"},
		{"GET", "/memo/notes/Milk", "", []string{"Authorization", "Bearer secret deskx"}, 401, "not valid"},
		{"GET", "/memo/notes/Milk", "", []string{"Authorization", "Basic secret desk"}, 401, "not valid"},
		{"GET", "/memo/notes/Milk", "", append([]string{"Origin", "https://evil.example"}, key...), 403, "web pages"},
		{"GET", "/memo/health", "", []string{"Origin", "https://evil.example"}, 403, "web pages"},
		{"GET", "/memo/notes/Milk", "", append([]string{"Sec-Fetch-Site", "cross-site"}, key...), 403, "other sites"},
		{"PUT", "/memo/notes/Milk", "x", text(append([]string{"Referer", "https://evil.example"}, key...)...), 403, "web pages"},
		{"POST", "/memo/notes/Milk", "x", text(key...), 405, "GET, PUT"},
		{"PUT", "/memo/notes/Milk", "{}", key, 415, "text/plain"},
		{"PUT", "/memo/notes/Milk", strings.Repeat("x", 64<<10+1), text(key...), 413, "bytes"},
		{"PUT", "/memo/health", "x", text(), 405, "GET"},
		{"GET", "/memo", "", key, 404, ""},
		{"GET", "/memo/", "", key, 404, ""},
		{"GET", "/memox/notes/Milk", "", key, 404, ""},
		{"GET", "/memo/notes/../health", "", key, 404, ""},
		{"GET", "/sources/nobody/notes/Milk", "", key, 404, ""},
		{"GET", "/sources/", "", key, 404, ""},
	} {
		resp, body := s.Do(c.method, c.path, c.body, c.header...)
		if resp.StatusCode != c.code || !strings.Contains(body, c.answer) {
			t.Errorf("%s %s %v: %d %s, want %d %s", c.method, c.path, c.header, resp.StatusCode, body, c.code, c.answer)
		}
		if resp.Header.Get("X-Content-Type-Options") == "" {
			t.Errorf("%s %s: no security headers", c.method, c.path)
		}
	}
	changes, err := h.Changes().List(t.Context(), status.Filter{})
	if err != nil || len(changes.Changes) != 2 || changes.Changes[1].Client != "key:memo" || changes.Changes[0].Client != "cursor" {
		t.Errorf("changes %+v, %v; want one of key:memo and one of cursor", changes.Changes, err)
	}
	if rule, ok := h.Routes().Lookup("/memo/notes/Milk"); !ok || rule.Path != "/memo/notes/" {
		t.Errorf("the guard, which logs a route's path, is given %q", rule.Path)
	}
	if strings.Contains(h.logged(), "secret desk") {
		t.Error("the log holds a key")
	}
	checkRequests(t, recorded())
}

// auditOf records what the hub does from now on. The function it returns ends that
// and gives the records, oldest first.
func auditOf(t *testing.T, h *hub.Hub) (recorded func() []audit.Record) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.db")
	trail, err := audit.Open(t.Context(), audit.Options{File: file, Key: []byte("key"), Now: time.Now, Keep: time.Hour, MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	h.Calls().SetTrail(trail)
	return func() []audit.Record {
		r, err := audit.OpenReader(t.Context(), file, time.Now)
		if err := errors.Join(trail.Close(), err); err != nil {
			t.Fatal(err)
		}
		page, err := r.Calls(t.Context(), audit.Filter{})
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(page.Calls)
		return page.Calls
	}
}

// checkRequests checks that every request to a route is in the audit, also those that
// the guard refused, with who sent it and how it was answered, and as what the calls
// it made belong to. No path is there, for it may hold content, and no key.
func checkRequests(t *testing.T, all []audit.Record) {
	t.Helper()
	var requests []string
	for _, r := range all {
		switch {
		case r.Parent != 0:
			i := slices.IndexFunc(all, func(o audit.Record) bool { return o.ID == r.Parent })
			if i < 0 || !strings.HasPrefix(all[i].Tool, "PUT ") {
				t.Errorf("nobody made the call %+v", r)
			}
		default:
			requests = append(requests, fmt.Sprintf("%s: %s %s%s", r.Client, r.Tool, r.Outcome, r.Detail))
			if strings.Contains(fmt.Sprintf("%+v", r), "Milk") || strings.Contains(fmt.Sprintf("%+v %s", r, r.Detail), "secret") ||
				r.Source != "desk" || r.Transport != "route" || (r.Outcome == audit.Refused) != (r.Message != "") ||
				strings.HasPrefix(r.Tool, "PUT") && r.Request == 0 || r.Outcome == audit.OK && !strings.HasPrefix(r.Tool, "HEAD") && r.Response == 0 {
				t.Errorf("recorded as %+v", r)
			}
		}
	}
	refused := func(request string, code int) string {
		return fmt.Sprintf(`%s refused{"status":%d,"address":"127.0.0.1"}`, request, code)
	}
	want := []string{
		`key:memo: GET /notes/ ok{"status":200}`, `key:memo: GET /notes/ ok{"status":200}`, `cursor: GET /notes/ ok{"status":200}`,
		`key:memo: HEAD /notes/ ok{"status":200}`, `key:memo: GET /notes/ error{"status":404}`, `: GET /health ok{"status":200}`,
		`key:memo: PUT /notes/ ok{"status":200}`, `cursor: PUT /notes/ ok{"status":200}`,
		refused(": GET /notes/", 401), refused(": GET /notes/", 401), refused(": GET /notes/", 401), // no key, a wrong one, another scheme
		refused(": GET /notes/", 403), refused(": GET /health", 403), refused(": GET /notes/", 403), refused(": PUT /notes/", 403), // web pages
		refused(": POST /notes/", 405), refused(": PUT /notes/", 415), refused(": PUT /notes/", 413), refused(": PUT /health", 405),
	}
	if !slices.Equal(requests, want) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(requests, "\n"), strings.Join(want, "\n"))
	}
}

// The specification's path belongs to the only source of its System.
func TestMountOfTwoSources(t *testing.T) {
	store := memo.NewStore()
	store.Put("desk", "Milk", "two bottles")
	s := serveRoutes(t, routesHub(t, store, nil, nil, nil, memoSource("desk"), memoSource("attic")).Hub)
	if resp, _ := s.Do("GET", "/memo/notes/Milk", "", "Authorization", "Bearer secret desk"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("the path of both answers %d", resp.StatusCode)
	}
	if resp, body := s.Do("GET", "/sources/desk/notes/Milk", "", "Authorization", "Bearer secret desk"); body != "two bottles" {
		t.Errorf("its own path answers %d %s", resp.StatusCode, body)
	}
	if resp, _ := s.Do("GET", "/sources/attic/notes/Milk", "", "Authorization", "Bearer secret desk"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("the key of one opens the other: %d", resp.StatusCode)
	}
}

// Rules hold for requests as for agents, but a person is asked about one only
// where a rule names the key.
func TestRulesForRoutes(t *testing.T) {
	for _, c := range []struct {
		grants []policy.Grant
		rules  []policy.Rule
		code   int
		asked  bool // and the person says no
	}{
		{nil, nil, 200, false},
		{[]policy.Grant{{Source: "desk", Ask: []tools.Effect{tools.Writes}}}, nil, 200, false},
		{nil, []policy.Rule{{Do: policy.Ask, Tool: "write_note"}}, 200, false},
		{nil, []policy.Rule{{Do: policy.Deny, Tool: "write_note"}}, 403, false},
		{[]policy.Grant{{Client: "key:memo", Effects: []tools.Effect{tools.Reads}}}, nil, 403, false},
		{nil, []policy.Rule{{Do: policy.Ask, Client: "key:memo"}}, 403, true},
	} {
		asked := false
		var h *testHub
		h = routesHub(t, memo.NewStore(), policy.New(c.grants, c.rules), nil, func(a status.Approval) {
			asked = true
			go func() { _ = h.Approvals().Answer(a.ID, false, status.Answer{}) }()
		}, memoSource("desk"))
		s := serveRoutes(t, h.Hub)
		resp, body := s.Do("PUT", "/memo/notes/Tea", "green", "Content-Type", "text/plain", "Authorization", "Bearer secret desk")
		if resp.StatusCode != c.code || asked != c.asked {
			t.Errorf("%+v %+v: %d %s, asked %v; want %d, %v", c.grants, c.rules, resp.StatusCode, body, asked, c.code, c.asked)
		}
	}
}

// bad is a source whose handler misbehaves.
type bad struct{ began, hang chan struct{} }

func (bad) Close() error                { return nil }
func (bad) Check(context.Context) error { return nil }

func (b bad) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/panic":
		panic("on purpose")
	case "/late":
		_, _ = io.WriteString(w, "half ")
		panic("on purpose")
	case "/hang":
		select {
		case b.began <- struct{}{}:
		default:
		}
		select {
		case <-b.hang:
		case <-r.Context().Done():
		}
	case "/flood":
		for range 1000 {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	case "/writes":
		if err := tools.CallContextOf(r.Context()).BeforeWrite(r.Context(), tools.Change{Target: "a"}); err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
		}
	case "/calls":
		_, err := tools.CallContextOf(r.Context()).Call(r.Context(), r.URL.Query().Get("source"), "read_note", []byte(`{"title":"Milk"}`))
		http.Error(w, err.Error(), http.StatusTeapot)
	case "/header":
		_, _ = io.WriteString(w, r.Header.Get("Authorization")+r.Header.Get("X-API-Key"))
	}
}

func badSystem(began, hang chan struct{}) tools.Kind {
	return tools.Erase(tools.System[bad, struct{}]{
		Name: "bad", Title: "Bad", Doc: "Misbehaves.",
		Open:   func(context.Context, struct{}, tools.Env) (bad, error) { return bad{began, hang}, nil },
		Routes: &tools.Routes{Mount: "/bad", List: []tools.Route{{Path: "/", Methods: []string{"GET"}}}},
	})
}

// A handler that panics, hangs, floods or reaches beyond its source takes nobody
// with it.
func TestBadHandlers(t *testing.T) {
	store := memo.NewStore()
	store.Put("desk", "Milk", "two bottles")
	began, hang := make(chan struct{}, 1), make(chan struct{})
	h := routesHub(t, store, nil, []tools.Kind{badSystem(began, hang)}, nil, memoSource("desk"), hub.Source{Name: "bad", Kind: "bad"})
	s := serveRoutes(t, h.Hub)
	token := []string{"Authorization", "Bearer client"}
	for range 8 {
		go func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/bad/hang", nil)
			if err != nil {
				return
			}
			req.Header.Set(token[0], token[1])
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		}()
	}
	for path, want := range map[string]string{
		"/bad/panic": "500", "/bad/writes": "writes by tools", "/bad/calls": "no tool named read_note",
		"/bad/calls?source=desk": "no source named", "/bad/header": "200",
	} {
		resp, body := s.Do("GET", path, "", token...)
		if got := strconv.Itoa(resp.StatusCode) + " " + body; !strings.Contains(got, want) || strings.Contains(got, "Bearer") {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	late, err := url.Parse(s.URL + "/bad/late")
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(&http.Request{Method: http.MethodGet, URL: late, Header: http.Header{token[0]: token[1:]}})
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	if err == nil {
		t.Error("an answer that was cut off ends as if it were whole")
	}
	if resp, body := s.Do("GET", "/memo/notes/Milk", "", token...); body != "two bottles" {
		t.Errorf("the other source answers %d %s", resp.StatusCode, body)
	}
	close(hang)
}

// A reload while a request is under way ends it in order: the source is closed
// after the request, and the next request finds its successor.
func TestReloadDuringRequest(t *testing.T) {
	began, hang := make(chan struct{}, 1), make(chan struct{})
	h := routesHub(t, memo.NewStore(), nil, []tools.Kind{badSystem(began, hang)}, nil, hub.Source{Name: "bad", Kind: "bad"})
	s := serveRoutes(t, h.Hub)
	done := make(chan int, 1)
	go func() {
		resp, _ := s.Do("GET", "/bad/hang", "", "Authorization", "Bearer client")
		done <- resp.StatusCode
	}()
	<-began
	if err := h.ReloadSources(t.Context(), []hub.Source{{Name: "bad", Kind: "bad", Location: "elsewhere"}}); err != nil {
		t.Fatal(err)
	}
	close(hang)
	if code := <-done; code != http.StatusOK {
		t.Errorf("the request that was under way ended with %d", code)
	}
	if resp, _ := s.Do("GET", "/bad/header", "", "X-API-Key", "client"); resp.StatusCode != http.StatusOK {
		t.Errorf("the next request ends with %d", resp.StatusCode)
	}
}
