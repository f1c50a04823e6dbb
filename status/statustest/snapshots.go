package statustest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

func numbered(n uint64) status.Snapshot {
	return status.Snapshot{Hub: status.Hub{Calls: n}}
}

func checkFirstSnapshot(t *testing.T, f *Fake, c status.Client) {
	f.Set(numbered(1))
	ch, _ := watch(t, c)
	if got := next(t, ch); got.Hub.Calls != 1 {
		t.Errorf("the first snapshot is number %d, want 1", got.Hub.Calls)
	}
}

func checkWholeSnapshot(t *testing.T, f *Fake, c status.Client) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	want := status.Snapshot{
		Hub: status.Hub{
			Component: status.Component{Name: "hub", State: status.Degraded, Since: at, Note: "a note"},
			Version:   "1.2.3", Build: "abc", PID: 42, Started: at, Endpoint: "http://127.0.0.1:1/mcp", Config: "/c",
			Calls: 1, Failures: 2, Restarts: 3, Memory: 4, Skill: "1", Pinned: true,
		},
		Sources: []status.Source{{
			Component: status.Component{Name: "notes", State: status.Ready, Since: at}, Kind: "markdown", Place: "/n\x1b[2J\u202e",
			ReadOnly: true, Effects: []string{"read", "write"}, Tools: 10, Calls: 5, Writes: 2, Sample: true,
		}},
		Sessions: []status.Session{{
			Component: status.Component{Name: "s1", State: status.Ready, Since: at}, Client: "<agent> & \"co\"", Version: "1",
			Transport: status.Stdio, Scope: "notes", Protocol: "2025-11-25", PID: 43, Calls: 6, LastCall: at, LastTool: "list_pages",
		}},
		Peers: []status.Peer{{
			Component: status.Component{Name: "graph", State: status.Ready, Since: at}, Graph: "logseq_db_graph", Kind: "db", App: "2.0.1",
			Plugin: "0.1", SDK: "0.2", Skill: "1", Transport: "poll", Origin: "lsp://logseq.io", Latency: time.Millisecond,
			Capabilities: []string{"pages.list"}, Calls: 7, Failures: 1, Dropped: 2, LastError: "TIMEOUT",
		}},
		Problems: []status.Problem{{
			Code: "source.gone", Component: "notes", Severity: status.Error, Title: "gone", Fix: "Put it back.", Since: at,
			Action: &status.Action{Verb: status.AddSource, Target: "notes", Source: &status.NewSource{Name: "notes", Kind: "markdown", Place: "/n", ReadOnly: true}},
		}},
		Approvals: []status.Approval{{
			ID: "a1", Since: at, Until: at.Add(time.Minute), Session: "s1", Client: "co", Proven: true, Source: "notes", Tool: "write_page",
			Effect: "write", Targets: []string{"A"}, More: 1, Why: "a rule", Reason: "asked to", Args: "{}",
		}},
		Outcomes: []status.ApprovalOutcome{{ID: "a0", Resolution: status.Refused, By: status.ByClient}, {ID: "a9", Resolution: status.TimedOut}},
		Snippets: []status.Snippet{{Client: "Claude Code", Where: "run in a shell", Text: "claude mcp add lectern"}},
	}
	f.Set(want)
	ch, _ := watch(t, c)
	got := next(t, ch)
	got.Seq, got.Time = want.Seq, want.Time                                                          // the Client may count and date by itself
	got.Installations, got.Discovered, got.Update = want.Installations, want.Discovered, want.Update // and a panel's adds these
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("snapshot (-want +got):\n%s", diff)
	}
}

func checkChanges(t *testing.T, f *Fake, c status.Client) {
	f.Set(numbered(1))
	ch, _ := watch(t, c)
	last := next(t, ch)
	for n := uint64(2); n <= 4; n++ {
		f.Set(numbered(n))
		got := next(t, ch)
		if got.Hub.Calls != n || got.Seq <= last.Seq {
			t.Fatalf("after change %d came snapshot %d with seq %d, after seq %d", n, got.Hub.Calls, got.Seq, last.Seq)
		}
		last = got
	}
}

func checkSlowWatcher(t *testing.T, f *Fake, c status.Client) {
	f.Set(numbered(1))
	ch, _ := watch(t, c)
	next(t, ch)
	const many = 2000
	for n := uint64(2); n <= many; n++ {
		f.Set(numbered(n)) // returns though nobody reads
	}
	var seq uint64
	for got := 1; ; got++ {
		s := next(t, ch)
		if s.Seq <= seq {
			t.Fatalf("seq %d came after %d", s.Seq, seq)
		}
		seq = s.Seq
		if s.Hub.Calls == many {
			return
		}
		if got > many/2 {
			t.Fatalf("the reader was given %d of %d snapshots, want it to skip", got, many)
		}
	}
}

func checkWatchEnds(t *testing.T, f *Fake, c status.Client) {
	f.Set(numbered(1))
	unread, stop := watch(t, c)
	stop()
	closes(t, unread)

	read, stop := watch(t, c)
	next(t, read)
	stop()
	closes(t, read)

	over, cancel := context.WithCancel(t.Context())
	cancel()
	if ch, err := c.Watch(over); err == nil {
		closes(t, ch)
	}
}

func checkManyWatchers(t *testing.T, f *Fake, c status.Client) {
	f.Set(numbered(1))
	const last = 50
	var wg sync.WaitGroup
	for range 16 {
		ch, _ := watch(t, c)
		wg.Go(func() {
			deadline := time.After(patience)
			for {
				select {
				case s, open := <-ch:
					if !open {
						t.Error("the channel was closed before the last snapshot")
						return
					}
					if s.Hub.Calls == last {
						return
					}
				case <-deadline:
					t.Error("the last snapshot did not come")
					return
				}
			}
		})
	}
	for n := uint64(2); n <= last; n++ {
		f.Set(numbered(n))
	}
	wg.Wait()
}
