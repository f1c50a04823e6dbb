package statustest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// SetChanges makes all the Changes there are, newest first. Diffs may hold one
// for each ID; an answer has those that a Pick names.
func (f *Fake) SetChanges(all status.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes = all
}

// Picked returns what Changes was asked for.
func (f *Fake) Picked() []status.Filter {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.picked)
}

// Changes is status.Ledger's.
func (f *Fake) Changes(_ context.Context, p status.Filter) (status.Changes, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.picked = append(f.picked, p)
	if f.err != nil {
		return status.Changes{}, f.err
	}
	return pick(f.changes, p), nil
}

// pick answers p from all.
func pick(all status.Changes, p status.Filter) status.Changes {
	found := status.Changes{Changes: []status.Change{}}
	older := p.Before == ""
	for _, c := range all.Changes {
		fits := older && (len(p.IDs) == 0 || slices.Contains(p.IDs, c.ID)) &&
			(p.Source == "" || p.Source == c.Source) && (p.Client == "" || p.Client == c.Client) &&
			(p.Session == "" || p.Session == c.Session) && !c.Time.Before(p.Since)
		older = older || c.ID == p.Before
		if !fits {
			continue
		}
		if most := max(p.Limit, 0); len(found.Changes) == most && most > 0 || len(found.Changes) == 100 && most == 0 {
			found.More = true
			break
		}
		found.Changes = append(found.Changes, c)
		if diff, ok := all.Diffs[c.ID]; ok && slices.Contains(p.IDs, c.ID) {
			if found.Diffs == nil {
				found.Diffs = map[string]string{}
			}
			found.Diffs[c.ID] = diff
		}
	}
	return found
}

func checkChangesWhole(t *testing.T, f *Fake, l status.History) {
	want := status.Changes{
		Changes: []status.Change{
			{
				ID: "c2", Time: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Client: "claude-code", Session: "s1", Call: "k2",
				Source: "notes", Tool: "write_page", Target: "Grüße.md", Action: "update", Outcome: status.Written,
				Undoes: "c1", Before: 3, After: 4, Reason: "asked", CannotUndo: "its content is no longer kept",
			},
			{ID: "c1", Time: time.Date(2026, 1, 2, 3, 4, 4, 0, time.UTC), Source: "notes", Target: "a.md", Action: "create", Outcome: status.Undone},
		},
		Diffs: map[string]string{"c1": "--- a.md\n+++ a.md\n+ü\n"},
	}
	f.SetChanges(want)
	all := status.Filter{
		IDs: []string{"c1", "c2"}, Source: "notes", Since: time.Date(2026, 1, 2, 3, 4, 4, 0, time.UTC), Limit: 7, Merge: true,
	}
	got, err := l.Changes(soon(t), all)
	if err != nil {
		t.Fatalf("list changes: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if got, err := l.Changes(soon(t), status.Filter{Client: "nobody", Session: "s9", Before: "c2"}); err != nil || got.Changes == nil || len(got.Changes) != 0 {
		t.Errorf("changes of nobody: %+v, %v", got, err)
	}
	if diff := cmp.Diff([]status.Filter{all, {Client: "nobody", Session: "s9", Before: "c2"}}, f.Picked()); diff != "" {
		t.Errorf("picks (-want +got):\n%s", diff)
	}
}

func checkChangesErrors(t *testing.T, f *Fake, l status.History) {
	const words = "list changes: the journal is on another disk"
	f.SetErr(errors.New(words))
	if _, err := l.Changes(soon(t), status.Filter{}); err == nil || !strings.HasSuffix(err.Error(), words) {
		t.Errorf("error %v, want %s", err, words)
	}
}
