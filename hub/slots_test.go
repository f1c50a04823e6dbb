package hub

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// A session has so many calls at once and no more; the next begins when one
// ends, first come first served, and another session does not notice.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Limits{}, deskSource("notes"))
		c := connect(t, h, "")
		c.initialize()
		for i := range 40 {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"w%d","method":"tools/call","params":{"name":"stubborn"}}`, i))
		}
		synctest.Wait()
		if n := len(h.world.begun); n != 32 {
			t.Errorf("%d calls run, want 32", n)
		}
		other := connect(t, h, "")
		other.initialize()
		if r := other.call("say", `{"text":"a"}`); r.IsError {
			t.Errorf("got %+v", r)
		}
		close(h.world.free)
		for range 40 {
			if f := c.recv(); f.Error != nil {
				t.Errorf("got %s", f.raw)
			}
		}
	})
}

func TestTooManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Limits{Waiting: 3}, deskSource("notes"))
		c := connect(t, h, "")
		for i := range 4 {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait"}}`, i))
		}
		f := c.recv()
		if f.ID != 3.0 || f.Error == nil || f.Error.Code != busyCode || f.Error.Data["retryable"] != true || !strings.Contains(f.Error.Message, "wait for answers") {
			t.Errorf("got %s", f.raw)
		}
	})
}
