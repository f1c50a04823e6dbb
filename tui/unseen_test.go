package tui

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// The Overview and Changes say what is new since the person last looked, and m marks it as
// seen in every pane.
func TestNewSinceYouLooked(t *testing.T) {
	looked := noon.Add(-150 * time.Second) // before two of the four changes
	synctest.Test(t, func(t *testing.T) {
		queries := filledQueries()
		for len(queries.calls) > 0 {
			<-queries.calls
		}
		queries.recorded = []status.Call{
			{ID: 53, Time: noon.Add(-time.Minute), Tool: "edit_page", Client: "aider", Changes: []string{"c9", "c8"}},
			{ID: 52, Time: noon.Add(-time.Minute), Tool: "read_page", Client: "aider"},
			{ID: 51, Time: noon.Add(-time.Minute), Event: status.AgentConnected, Client: "aider"},
			{ID: 50, Time: noon.Add(-time.Hour), Tool: "read_page", Client: "aider"},
		}
		queries.calls <- status.Call{Seq: 1, ID: 52, Time: noon.Add(-time.Minute), Tool: "read_page", Client: "aider"} // recorded, too
		r, conf := newStoppedPanel(t, crowded(), queries)
		conf.Memory = fmt.Appendf(nil, `{"looked":%q}`, looked.Format(time.RFC3339))
		r.m = New(conf)
		r.start(80, 24)
		r.wait(time.Second)
		r.shows("2 calls, 2 changes since you looked, 11:57")
		queries.calls <- status.Call{Seq: 2, ID: 54, Time: noon, Tool: "write_page", Client: "aider", Changes: []string{"c10"}}
		r.wait(time.Second)
		r.shows("3 calls, 3 changes since you looked")
		r.press("@Changes")
		r.wait(time.Second)
		r.shows("2 new since 11:57 (•)", "11:59•", "11:58•")
		r.hides("11:57•")
		r.press("m")
		r.shows("All is marked as seen.")
		r.hides("new since")
		r.press("@Overview")
		r.wait(time.Second)
		r.shows("nothing since you looked, 12:00")
	})
}
