package approval_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func rewrite(target, before, after string) tools.Change {
	return tools.Change{Target: target, Before: tools.State{Exists: true, Data: []byte(before)}, After: tools.State{Exists: true, Data: []byte(after)}}
}

// pendingID has r wait and returns its ID.
func pendingID(t *testing.T, q *approval.Queue, r approval.Request) string {
	t.Helper()
	began := make(chan struct{})
	wait(t.Context(), q, r, approval.WaitingClient{Progress: func(n, _ float64, _ string) {
		if n == 0 {
			close(began)
		}
	}})
	<-began
	return only(t, q).ID
}

// wholeText reads all of what a call would do, part by part.
func wholeText(t *testing.T, q *approval.Queue, id string) string {
	t.Helper()
	var b strings.Builder
	for from := 0; ; {
		part, err := q.ApprovalText(status.ApprovalRange{ID: id, From: from})
		if err != nil {
			t.Fatal(err)
		}
		if len(part.Text) > status.MaxApprovalText || part.From != from {
			t.Fatalf("a part of %d bytes from %d, asked from %d", len(part.Text), part.From, from)
		}
		b.WriteString(part.Text)
		if part.Next == 0 {
			if part.Bytes != b.Len() {
				t.Errorf("the text has %d bytes and says %d", b.Len(), part.Bytes)
			}
			return b.String()
		}
		from = part.Next
	}
}

// Whatever the size, a person can see all of it: every target with its counts,
// and every line.
func TestEverythingCanBeShown(t *testing.T) {
	long := func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "line %d, größer\n", i)
		}
		return b.String()
	}
	for _, targets := range []int{1, 1000} {
		for _, size := range []int{10, 16 << 10, 4 << 20} {
			if size/targets == 0 {
				size = targets
			}
			t.Run(fmt.Sprintf("%d targets %d bytes", targets, size), func(t *testing.T) {
				var changes []tools.Change
				for i := range targets {
					changes = append(changes, rewrite(fmt.Sprintf("p%d.md", i), "old\n", long(size/targets)+fmt.Sprintf("evil %d\n", i)))
				}
				q := newQueue()
				began := time.Now()
				id := pendingID(t, q, request(changes...))
				t.Logf("worked out in %s", time.Since(began))
				text := wholeText(t, q, id)
				seen, lines := 0, 0
				for from := 0; ; {
					part, err := q.ApprovalTargets(status.ApprovalRange{ID: id, From: from})
					if err != nil || part.Total != targets || part.Removed != targets || part.Bytes != len(text) {
						t.Fatalf("%d targets, %d removed, %d bytes: %v", part.Total, part.Removed, part.Bytes, err)
					}
					for _, target := range part.Targets {
						own := text[target.Offset : target.Offset+target.Bytes]
						head := fmt.Sprintf("change p%d.md (+%d −1)\n", seen, target.Added)
						if !strings.HasPrefix(own, head) || !strings.Contains(own, fmt.Sprintf("+evil %d\n", seen)) || target.Added != strings.Count(own, "\n+")-1 {
							t.Fatalf("target %+v has the text %.200q", target, own)
						}
						seen, lines = seen+1, lines+target.Added
					}
					if lines == part.Added && part.Next == 0 {
						break
					}
					if from = part.Next; from == 0 {
						t.Fatalf("%d lines of %d", lines, part.Added)
					}
				}
				if seen != targets {
					t.Errorf("%d targets are listed, want %d", seen, targets)
				}
				a, plan, _, _ := q.Get(id)
				shown := fmt.Sprint(plan)
				if a.Bytes != len(text) || plan.Cut == strings.Contains(shown, fmt.Sprintf("+evil %d\n", targets-1)) && targets > 50 {
					t.Errorf("the list says %d of %d bytes, cut %v", a.Bytes, len(text), plan.Cut)
				}
				if targets == 1 && !strings.Contains(shown, "+evil 0\n") {
					t.Error("the plan lacks the last line of a long change")
				}
				if plan.Cut != strings.Contains(shown, "`lectern approve show` shows all") {
					t.Errorf("cut is %v and the risks are %q", plan.Cut, plan.Risks)
				}
			})
		}
	}
}

// That a person was shown everything is remembered as long as the call waits.
func TestMarkShown(t *testing.T) {
	q := newQueue()
	id := pendingID(t, q, request(edit("a", "1")))
	if only(t, q).Shown {
		t.Error("shown before anybody looked")
	}
	if err := q.MarkShown(id); err != nil || !only(t, q).Shown {
		t.Errorf("not marked: %v", err)
	}
	if q.MarkShown("nothing") == nil {
		t.Error("marked a call that does not wait")
	}
	if _, err := q.ApprovalText(status.ApprovalRange{ID: "nothing"}); err == nil {
		t.Error("showed a call that does not wait")
	}
}
