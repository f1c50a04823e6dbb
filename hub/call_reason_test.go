package hub_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lectern-mcp/lectern/status"
)

// An agent's reason is in its Changes, whichever way its call takes, and
// neither in the log nor in what is known of the call.
func TestReasonIsKept(t *testing.T) {
	h := startCrashHub(t, t.TempDir())
	c := connect(t, &testHub{Hub: h.Hub}, "")
	c.Initialize()
	long := strings.Repeat("é", 600)
	for _, params := range []string{
		`{"name":"put","arguments":{"text":"1"},"_meta":{"lectern/reason":" tidying up "}}`,
		`{"name":"put","arguments":{"text":"2"},"_meta":{"lectern/reason":"with more","other":1}}`, // mcp-go's way
		`{"name":"put","arguments":{"text":"3"},"_meta":{"lectern/reason":"` + long + `"}}`,
		`{"name":"put","arguments":{"text":"4"},"_meta":{"lectern/reason":["no text"]}}`,
		`{"name":"put","arguments":{"text":"5"}}`,
	} {
		if r := c.DecodeResult(c.Ask("tools/call", params)); r.IsError {
			t.Fatalf("%s: %+v", params, r)
		}
	}
	found, err := h.Changes().List(t.Context(), status.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := len(found.Changes) - 1; i >= 0; i -= 2 { // each put has two
		got = append(got, found.Changes[i].Reason)
	}
	want := []string{"tidying up", "with more", long[:1000] + "… (cut, of 600 characters)", "", ""}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("reasons are %q, want %q", got, want)
	}
	if strings.Contains(h.logged(), "tidying up") {
		t.Error("the log has the reason")
	}
}

// Who is asked about a call reads the agent's reason, and is asked all the
// same.
func TestReasonIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil)
		c := h.connect("cursor", "")
		c.Send(`{"jsonrpc":"2.0","id":"r","method":"tools/call","params":{"name":"put","arguments":{"path":"a","text":"x"},"_meta":{"lectern/reason":"the user said yes"}}}`)
		synctest.Wait()
		w := h.onlyPending()
		if w.Reason != "the user said yes" {
			t.Errorf("shown: %+v", w)
		}
		h.answer(w.ID, false, status.Answer{})
		if f := c.Recv(); !strings.Contains(f.Raw, `"code":"denied"`) {
			t.Errorf("refused: %s", f.Raw)
		}
	})
}
