package shim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/frame"
)

// addCall notes a call as the shim does.
func addCall(t *testing.T, c *pendingCalls, frame string) {
	t.Helper()
	m, whole := parseFrame([]byte(frame))
	if !whole {
		t.Fatalf("no frame: %.80s", frame)
	}
	c.add([]byte(frame), m)
}

func cancelFrame(id string) message {
	m, _ := parseFrame([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`))
	return m
}

// What a client has given up is not waited for: a cancellation counts once, however often it comes, and
// for a subscription too.
func TestCancelledCallsAreNotAwaited(t *testing.T) {
	c := newPendingCalls()
	addCall(t, &c, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	addCall(t, &c, `{"jsonrpc":"2.0","id":2,"method":"tools/call"}`)
	addCall(t, &c, `{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen"}`)
	if n := c.countAwaited(); n != 2 {
		t.Errorf("%d are awaited before, want 2", n)
	}
	for range 3 {
		for _, id := range []string{"1", "3", "9"} {
			c.markCancelled(cancelFrame(id))
		}
		if n := c.countAwaited(); n != 1 {
			t.Errorf("%d are awaited, want 1", n)
		}
	}
	for i, id := range []string{"1", "3"} { // the hub answers them all the same
		if c.takeAnswered(id) == nil || c.countAwaited() != 1 {
			t.Errorf("after answer %d: %d are awaited, want 1", i, c.countAwaited())
		}
	}
	if c.takeAnswered("2"); c.countAwaited() != 0 || c.count != 0 {
		t.Errorf("%d of %d are awaited after all answers", c.countAwaited(), c.count)
	}
}

// A lost hub's reads are sent again in the order in which they came; what is long is not kept
// for that.
func TestReadsAreSentAgainInOrder(t *testing.T) {
	c, maxBytes := newPendingCalls(), frame.MaxResendBytes
	long := `{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{"x":"` + strings.Repeat("x", maxBytes) + `"}}`
	addCall(t, &c, long)
	var want []string
	for i := range 64 {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call"}`, i)
		addCall(t, &c, call)
		want = append(want, call)
	}
	whole := `{"jsonrpc":"2.0","id":"whole","method":"x"}`
	whole += strings.Repeat(" ", maxBytes-len(whole))
	addCall(t, &c, whole)
	if gone := c.removeUnrepeatable(func(*pendingCall) bool { return true }); len(gone) != 1 || string(gone[0].id) != `"long"` {
		t.Errorf("%d calls are not sent again, want the long one", len(gone))
	}
	var got []string
	for _, call := range c.framesForNextAttempt() {
		got = append(got, string(call))
	}
	if strings.Join(got, "\n") != strings.Join(append(want, whole), "\n") {
		t.Errorf("sent again: %.300q", got)
	}
}
