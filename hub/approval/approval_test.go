package approval_test

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func newQueue() *approval.Queue {
	return approval.NewQueue(approval.Config{
		Timeout: 50 * time.Second, FormTimeout: 5 * time.Minute, UseWithin: 30 * time.Second,
		Log: slog.New(slog.DiscardHandler), Now: time.Now, Changed: func() {},
	})
}

// request is one call of a client that has not proved its name.
func request(changes ...tools.Change) approval.Request {
	return approval.Request{
		Session: "s1", Policy: "p", Args: []byte(`{"path":"a"}`), Changes: changes, ChangesKnown: true, AskReason: "rule: ask",
		Call: policy.Request{Client: policy.Client{Name: "cursor"}, Source: "notes", Tool: "put", Effect: tools.Writes, ToolDigest: "d1"},
	}
}

func edit(target, before string) tools.Change {
	return tools.Change{Target: target, Before: tools.State{Exists: true, Data: []byte(before)}}
}

// wait runs Wait beside the test and delivers its error.
func wait(ctx context.Context, q *approval.Queue, r approval.Request, c approval.WaitingClient) <-chan error {
	if c.Progress == nil {
		c.Progress = func(float64, float64, string) {}
	}
	done := make(chan error, 1)
	go func() {
		_, err := q.WaitForDecision(ctx, r, c)
		done <- err
	}()
	return done
}

// only is the one call that waits.
func only(t *testing.T, q *approval.Queue) status.Approval {
	t.Helper()
	list := q.Pending()
	if len(list) != 1 {
		t.Fatalf("%d calls wait, want one", len(list))
	}
	return list[0]
}

// 1. An approval binds the client, the arguments, what the targets hold, and
// the policy. That the call runs on the very bytes that were judged is the
// hub's part: TestChecklistSingleUse there.
func TestChecklistBinding(t *testing.T) {
	base := func() approval.Request { return request(edit("a", "1"), tools.Change{Target: "b"}) }
	for name, change := range map[string]func(r *approval.Request){
		"client":       func(r *approval.Request) { r.Call.Client.Name = "codex" },
		"proof":        func(r *approval.Request) { r.Call.Client.Proven = true },
		"source":       func(r *approval.Request) { r.Call.Source = "work" },
		"tool":         func(r *approval.Request) { r.Call.Tool = "drop" },
		"declaration":  func(r *approval.Request) { r.Call.ToolDigest = "d2" },
		"arguments":    func(r *approval.Request) { r.Args = []byte(`{"path":"b"}`) },
		"state before": func(r *approval.Request) { r.Changes[0] = edit("a", "2") },
		"targets":      func(r *approval.Request) { r.Changes = r.Changes[:1] },
		"policy":       func(r *approval.Request) { r.Policy = "q" },
	} {
		other := base()
		change(&other)
		if other.Digest() == base().Digest() {
			t.Errorf("%s makes no difference", name)
		}
	}
	turned := base()
	turned.Changes[0], turned.Changes[1] = turned.Changes[1], turned.Changes[0]
	if turned.Digest() != base().Digest() {
		t.Error("the order of targets makes a difference")
	}
	target := func(name string, exists bool) approval.Digest {
		return request(tools.Change{Target: name, Before: tools.State{Exists: exists}}).Digest()
	}
	const one, two = "block 6512a7f0-0000-4000-8000-000000000001", "block 6512a7f0-0000-4000-8000-00000000000A"
	if target(one, false) != target(two, false) {
		t.Error("a new target that is named by a UUID is another one in every call")
	}
	if target(one, true) == target(two, true) || target("page a", false) == target("page b", false) || target(one, false) == target(one, true) {
		t.Error("targets that exist, or have names, are taken for each other")
	}
}

// A grant is used once and in time; what it does not cover leaves it unused.
func TestGrant(t *testing.T) {
	now := time.Now()
	clock := func() time.Time { return now }
	r := request(edit("a", "1"))
	g := approval.NewGrant(r, clock, now.Add(time.Minute))
	if g.Use([]tools.Change{edit("a", "2")}, "p") == nil || g.Use(r.Changes, "q") == nil {
		t.Error("used for another call")
	}
	if err := g.Use(r.Changes, "p"); err != nil {
		t.Errorf("a mismatch used it up: %v", err)
	}
	if g.Use(r.Changes, "p") == nil {
		t.Error("used twice")
	}
	for name, late := range map[string]time.Time{"": now.Add(2 * time.Minute), " by the wall clock": now.Round(0).Add(2 * time.Minute)} {
		g := approval.NewGrant(r, func() time.Time { return late }, now.Add(time.Minute))
		if g.Use(r.Changes, "p") == nil {
			t.Errorf("used when it had expired%s", name)
		}
	}
}

// How the latest approvals ended is remembered, without content.
func TestEndings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		var want []status.ApprovalOutcome
		ends := func(how status.ApprovalOutcome, c approval.WaitingClient, end func(id string, hangUp func())) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := wait(ctx, q, request(), c)
			synctest.Wait()
			if c.Prompt == nil {
				how.ID = only(t, q).ID
				end(how.ID, cancel)
			}
			<-done
			want = append(want, how)
		}
		refuse := func(id string, _ func()) {
			if err := q.Answer(id, false, status.Answer{}); err != nil {
				t.Error(err)
			}
		}
		ends(status.ApprovalOutcome{Resolution: status.TimedOut}, approval.WaitingClient{}, func(string, func()) { time.Sleep(time.Minute) })
		ends(status.ApprovalOutcome{Resolution: status.ClientLeft}, approval.WaitingClient{}, func(_ string, hangUp func()) { hangUp() })
		ends(status.ApprovalOutcome{Resolution: status.Refused, By: status.ByPerson}, approval.WaitingClient{}, refuse)
		var prompted string
		ends(status.ApprovalOutcome{Resolution: status.Allowed, By: status.ByClient}, approval.WaitingClient{
			Prompt: func(context.Context, approval.FormContent) (approval.FormAnswer, error) {
				prompted = q.Pending()[0].ID
				return approval.FormAnswer{Valid: true, Allow: true}, nil
			},
		}, nil)
		want[3].ID = prompted
		if d := cmp.Diff(want, q.Outcomes()); d != "" {
			t.Errorf("outcomes (-want +got):\n%s", d)
		}
		for range 33 {
			ends(status.ApprovalOutcome{Resolution: status.Refused, By: status.ByPerson}, approval.WaitingClient{}, refuse)
			if n := len(q.Outcomes()); n > 32 {
				t.Errorf("%d outcomes are remembered", n)
			}
		}
		if d := cmp.Diff(want[len(want)-32:], q.Outcomes()); d != "" {
			t.Errorf("the latest outcomes (-want +got):\n%s", d)
		}
	})
}

// A client that floods the queue takes only places that nobody else wants: every
// honest call waits, proven or not, whatever names and versions the flood claims.
func TestFloodTakesNobodysPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		call := func(name, session string, proven bool) <-chan error {
			r := request()
			r.Session, r.Call.Client = session, policy.Client{Name: name, Proven: proven}
			done := wait(ctx, q, r, approval.WaitingClient{})
			synctest.Wait()
			return done
		}
		waits := func(done <-chan error) bool {
			select {
			case <-done:
				return false
			default:
				return true
			}
		}
		honest := call("cursor", "h", false)
		for _, flood := range []struct {
			name   string
			proven bool
			most   int
		}{{"evil", false, 64}, {"evil2", false, 64}, {"evil3", false, 64}, {"trusted", true, 64}} {
			for session := range 4 { // four versions of one name
				for range 64 {
					call(flood.name, flood.name+strconv.Itoa(session), flood.proven)
				}
			}
			n := 0
			for _, a := range q.Pending() {
				if a.Client == flood.name {
					n++
				}
			}
			if n > flood.most || n < 32 {
				t.Errorf("%d calls of %s wait, want 32 to %d", n, flood.name, flood.most)
			}
		}
		if !waits(honest) {
			t.Error("a call that waited before the flood was displaced")
		}
		for _, c := range []struct {
			name   string
			proven bool
		}{{"codex", false}, {"gemini", true}, {"", false}} {
			for range 10 {
				if !waits(call(c.name, "s-"+c.name, c.proven)) {
					t.Fatalf("an honest call of %q is refused because others fill the queue", c.name)
				}
			}
		}
		if n := len(q.Pending()); n > 128+2*64 {
			t.Errorf("%d calls wait", n)
		}
		if !waits(call("trusted", "another window", true)) {
			t.Error("one session takes the places of another of the same client")
		}
		if !slices.ContainsFunc(q.Outcomes(), func(o status.ApprovalOutcome) bool { return o.Resolution == status.Displaced }) {
			t.Error("nothing says that calls were displaced")
		}
		if err := <-call("trusted", "trusted0", true); tools.AsError(err).Code != tools.Limited {
			t.Errorf("the flood goes on with %v", err)
		}
	})
}

// One client may fill its places, and no more.
func TestPlacesOfOneClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for range 64 {
			wait(ctx, q, request(), approval.WaitingClient{})
		}
		synctest.Wait()
		if n := len(q.Pending()); n != 64 {
			t.Errorf("%d of 64 calls wait", n)
		}
		if err := <-wait(ctx, q, request(), approval.WaitingClient{}); tools.AsError(err).Code != tools.Limited {
			t.Errorf("the next one: %v", err)
		}
	})
}

// What is long takes more places, so that what waits stays bounded in memory.
func TestLongChangesTakeMorePlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for range 20 {
			wait(ctx, q, request(rewrite("a", "", strings.Repeat(strings.Repeat("x", 1023)+"\n", 4<<10))), approval.WaitingClient{})
			synctest.Wait()
		}
		if n := len(q.Pending()); n < 5 || n > 12 {
			t.Errorf("%d calls of 4 MB wait", n)
		}
	})
}

// A closed queue refuses what waits and what comes later.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		done := wait(t.Context(), q, request(), approval.WaitingClient{})
		synctest.Wait()
		q.Close()
		for _, err := range []error{<-done, <-wait(t.Context(), q, request(), approval.WaitingClient{})} {
			if tools.AsError(err).Code != tools.Unavailable {
				t.Errorf("got %v", err)
			}
		}
	})
}

// A plan says that a change is expected, or decided by the application, where
// its outcome is not known.
func TestPlanOfUnknownChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := edit("a", "a\n")
		c.AfterUnknown = true
		expected := c
		expected.After = tools.State{Exists: true, Data: []byte("b\n")}
		for _, tt := range []struct {
			change      tools.Change
			with, never string
		}{
			{c, "the application decides", "-a"},
			{expected, "-a\n+b\nthis is expected", ""},
		} {
			q := newQueue()
			ctx, cancel := context.WithCancel(t.Context())
			done := wait(ctx, q, request(tt.change), approval.WaitingClient{})
			synctest.Wait()
			_, plan, _, _ := q.Get(only(t, q).ID)
			if d := plan.Steps[0].Diff; !strings.Contains(d, tt.with) || tt.never != "" && strings.Contains(d, tt.never) {
				t.Errorf("got %q, want %q", d, tt.with)
			}
			cancel()
			<-done
		}
	})
}
