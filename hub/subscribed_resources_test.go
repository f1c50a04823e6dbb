package hub_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// Subscribers are told within two seconds what others change, come and go, from the answer
// to the subscription on, and once.
func TestChangesOfOthersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memo.NewStore()
		store.Put("desk", "Milk", "two")
		h := startWith(t, hub.Config{Systems: []tools.Kind{memo.SystemWith(store)}, Sources: []hub.Source{{Name: "desk", Kind: "memo"}}})
		c := connectClient(t, h.Hub, "cursor", "")
		for _, page := range []string{"Milk", "Later"} {
			if f := c.Ask("resources/subscribe", `{"uri":"memo://desk/notes/`+page+`"}`); f.Error != nil {
				t.Fatal(f.Raw)
			}
		}
		for _, change := range []struct{ page, text string }{{"Milk", "three"}, {"Later", "new"}, {"Milk", "four"}} {
			changed := time.Now()
			store.Put("desk", change.page, change.text)
			if f := c.Recv(); f.Method != "notifications/resources/updated" || !strings.Contains(f.Raw, "/"+change.page) {
				t.Errorf("%v: %s", change, f.Raw)
			}
			if took := time.Since(changed); took > 2*time.Second {
				t.Errorf("%v: told after %s", change, took)
			}
		}
		time.Sleep(5 * time.Second)
		c.Ask("ping", `{}`) // whose answer is the next frame: nothing was told twice
	})
}
