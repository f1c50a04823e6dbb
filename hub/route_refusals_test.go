package hub_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

func secretOfSource(_ context.Context, s tools.Secret) (string, error) {
	return strings.Replace(s.String(), "env:", "secret ", 1), nil
}

// What a source, the policy or a limit refuses is in the audit as refused, with whose
// key it was.
func TestRefusalsOfKnownKeysAreRecorded(t *testing.T) {
	h := startWith(t, hub.Config{
		Systems: []tools.Kind{memo.SystemWith(memo.NewStore())}, Sources: []hub.Source{memoSource("desk")}, Reveal: secretOfSource,
		Limits: hub.Limits{CallsPerMinute: 1}, Policy: policy.New(nil, []policy.Rule{{Do: policy.Deny, Path: "Private"}}),
	})
	recorded := auditOf(t, h.Hub)
	s := serveRoutesWithin(t, h.Hub, loopnet.Budget{CallsEach: 1, Wait: time.Millisecond})
	key := []string{"Authorization", "Bearer secret desk", "Content-Type", "text/plain"}
	if resp, body := s.Do("PUT", "/memo/notes/Private", "x", key...); resp.StatusCode != http.StatusForbidden {
		t.Errorf("denied: %d %s", resp.StatusCode, body)
	}
	if resp, body := s.Do("PUT", "/memo/notes/Tea", "x", key...); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("beyond the limit: %d %s", resp.StatusCode, body)
	}
	// A request whose body does not end takes the only place of its key.
	in, out := io.Pipe()
	slow, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL+"/memo/notes/Tea", in)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(key); i += 2 {
		slow.Header.Set(key[i], key[i+1])
	}
	done := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(slow)
		if err == nil {
			err = resp.Body.Close()
		}
		done <- err
	}()
	runtest.Eventually(t, "the slow request takes the place", func() bool {
		resp, body := s.Do("GET", "/memo/notes/Tea", "", key[:2]...)
		return resp.StatusCode == http.StatusTooManyRequests && strings.Contains(body, "in flight")
	})
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range recorded() {
		if r.Outcome == audit.Refused {
			seen[fmt.Sprintf("%s %v %s %s %s", r.Client, r.Proven, r.Source, r.Tool, r.Code)] = true
		}
		if strings.Contains(fmt.Sprintf("%+v %s", r, r.Detail), "secret") {
			t.Errorf("the audit holds a key: %+v", r)
		}
	}
	for _, want := range []string{
		"key:memo true desk PUT /notes/ http_403", "key:memo true desk PUT /notes/ http_429", "key:memo true desk GET /notes/ http_429",
		"key:memo true desk write_note denied", "key:memo true desk write_note limited",
	} {
		if !seen[want] {
			t.Errorf("%q is not recorded; these are: %v", want, seen)
		}
	}
}

// A flood of bad keys does not push other records out of the audit: a minute has at
// most sixty of a source, and the next says how many more there were.
func TestFloodOfRefusals(t *testing.T) {
	var passed atomic.Int64
	start := time.Now()
	h := startWith(t, hub.Config{
		Systems: []tools.Kind{memo.SystemWith(memo.NewStore())}, Sources: []hub.Source{memoSource("desk"), memoSource("attic")}, Reveal: secretOfSource,
		Now: func() time.Time { return start.Add(time.Duration(passed.Load())) },
	})
	recorded := auditOf(t, h.Hub)
	s := serveRoutes(t, h.Hub)
	refused := func(source string) {
		t.Helper()
		if resp, body := s.Do("GREET", "/sources/"+source+"/notes/Tea", "", "Authorization", "Bearer guess"); resp.StatusCode != http.StatusMethodNotAllowed {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
	}
	for range 150 {
		refused("desk")
	}
	refused("attic")
	passed.Store(int64(time.Minute))
	refused("desk")
	refused("desk")
	count, omitted := map[string]int{}, 0
	for _, r := range recorded() {
		count[r.Source]++
		if r.Tool != "(unknown) /notes/" || strings.Contains(fmt.Sprintf("%+v", r), "GREET") {
			t.Errorf("recorded as %+v", r)
		}
		if _, after, ok := strings.Cut(string(r.Detail), `"omitted":`); ok {
			_, _ = fmt.Sscan(strings.TrimSuffix(after, "}"), &omitted)
		}
	}
	if count["desk"] != 62 || count["attic"] != 1 || omitted != 90 {
		t.Errorf("%v are recorded, and %d counted", count, omitted)
	}
}
