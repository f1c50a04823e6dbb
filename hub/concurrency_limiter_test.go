package hub_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
)

// A session has so many calls at once and no more; the next begins when one
// ends, first come first served, and another session does not notice.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, hub.Limits{}, deskSource("notes"))
		c := connect(t, h, "")
		c.Initialize()
		for i := range 40 {
			c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"w%d","method":"tools/call","params":{"name":"stubborn"}}`, i))
		}
		synctest.Wait()
		if n := len(h.world.Started); n != 32 {
			t.Errorf("%d calls run, want 32", n)
		}
		other := connect(t, h, "")
		other.Initialize()
		if r := other.Call("say", `{"text":"a"}`); r.IsError {
			t.Errorf("got %+v", r)
		}
		close(h.world.Free)
		for range 40 {
			if f := c.Recv(); f.Error != nil {
				t.Errorf("got %s", f.Raw)
			}
		}
	})
}

// A client that sends faster than it is answered is not read meanwhile, and
// every request is answered in the end.
func TestManyRequestsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, hub.Limits{Limits: mcp.Limits{Waiting: 3}}, deskSource("notes"))
		c := connect(t, h, "")
		c.Initialize()
		go func() {
			for i := range 10 {
				c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"w%d","method":"tools/call","params":{"name":"stubborn"}}`, i))
			}
		}()
		synctest.Wait()
		if n := len(h.world.Started); n != 3 {
			t.Errorf("%d calls run, want 3", n)
		}
		close(h.world.Free)
		for range 10 {
			if f := c.Recv(); f.Error != nil {
				t.Errorf("got %s", f.Raw)
			}
		}
	})
}

// Subscriptions end only when they are cancelled, so one too many is refused.
func TestTooManySubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, hub.Limits{Limits: mcp.Limits{Waiting: 3}}, deskSource("notes"))
		c := connect(t, h, "")
		for i := range 4 {
			c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"l%d","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},%s}}`, i, hubtest.ModernMeta))
		}
		for {
			if f := c.Recv(); f.Error != nil {
				if f.ID != "l3" || f.Error.Code != -32000 || !strings.Contains(f.Error.Message, "end one first") {
					t.Errorf("got %s", f.Raw)
				}
				return
			}
		}
	})
}
