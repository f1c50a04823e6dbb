package hub

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// How each wait ended is remembered, the last of them, and without content.
func TestEndings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startPad(t, askWrites(), nil, Limits{})
		a := h.asker(cursor)
		var want []status.ApprovalOutcome
		ends := func(how status.ApprovalOutcome, end func(id string, hangUp func())) {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := a.begin(ctx, "put", `{"path":"a","text":"two\n"}`)
			synctest.Wait()
			how.ID = h.waiting().ID
			end(how.ID, cancel)
			<-out
			want = append(want, how)
		}
		ends(status.ApprovalOutcome{Resolution: status.TimedOut}, func(string, func()) { time.Sleep(time.Minute) })
		ends(status.ApprovalOutcome{Resolution: status.ClientLeft}, func(_ string, hangUp func()) { hangUp() })
		ends(status.ApprovalOutcome{Resolution: status.Refused, By: status.ByPerson}, func(id string, _ func()) { h.answers(id, false, status.Answer{}) })
		ends(status.ApprovalOutcome{Resolution: status.Allowed, By: status.ByClient}, func(id string, _ func()) {
			if err := h.answer(id, ruling{allow: true, scope: status.Once, by: status.ByClient}); err != nil {
				t.Error(err)
			}
		})
		if d := cmp.Diff(want, h.approvals.last()); d != "" {
			t.Errorf("endings (-want +got):\n%s", d)
		}
		for range mostEndings {
			ends(status.ApprovalOutcome{Resolution: status.Refused, By: status.ByPerson}, func(id string, _ func()) { h.answers(id, false, status.Answer{}) })
		}
		if d := cmp.Diff(want[len(want)-mostEndings:], h.approvals.last()); d != "" {
			t.Errorf("the last endings (-want +got):\n%s", d)
		}
	})
}
