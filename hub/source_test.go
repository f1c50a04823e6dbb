package hub_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

const (
	healthCheckInterval = 5 * time.Second        // the hub checks an opened source
	openRetryInterval   = 30 * time.Second       // it tries to open one that is not open
	minSnapshotInterval = 200 * time.Millisecond // it writes the snapshot, at most
)

// A source that is lost changes no list, stops no other source, is a Problem
// that says what to do, answers unavailable in its System's spelling, and
// comes back by itself.
func TestSourceIsLostAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, hub.Limits{}, deskSource("notes"), deskSource("work"))
		c := connect(t, h, "")
		c.Initialize()
		before := c.Ask("tools/list", `{}`)

		h.world.SetUnavailable("notes", true)
		time.Sleep(healthCheckInterval)
		synctest.Wait()
		if d := cmp.Diff(string(before.Result), string(c.Ask("tools/list", `{}`).Result)); d != "" {
			t.Errorf("the list changed: %s", d)
		}
		r := c.Call("say", `{"source":"notes","text":"a"}`)
		if want := `{"error":"source notes cannot serve now: the folder is gone","code":"unavailable"}`; !r.IsError || string(r.Structured) != want {
			t.Errorf("got %s, want %s", r.Structured, want)
		}
		if r := c.Call("say", `{"source":"work","text":"a"}`); r.IsError {
			t.Errorf("got %+v from the other source", r)
		}
		p, ok := h.board.Problem("source.gone notes")
		if !ok || p.Title != "source notes: the folder is gone" || !strings.Contains(p.Fix, "Bring /notes back") {
			t.Errorf("problem %+v", p)
		}
		time.Sleep(minSnapshotInterval)
		synctest.Wait()
		if got := h.board.LastSnapshot().Sources[0]; got.State != status.Failed || got.Note != "the folder is gone" {
			t.Errorf("status %+v", got)
		}

		time.Sleep(2 * openRetryInterval) // opening again fails too
		synctest.Wait()
		h.world.SetUnavailable("notes", false)
		time.Sleep(healthCheckInterval)
		synctest.Wait()
		if r := c.Call("say", `{"source":"notes","text":"a"}`); r.IsError {
			t.Errorf("got %+v after it came back", r)
		}
		if _, ok := h.board.Problem("source.gone notes"); ok {
			t.Error("the problem is still there")
		}
	})
}

// A source that could not be opened at first is tried again.
func TestSourceOpensLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubtest.NewFakeSystemState()
		w.SetUnavailable("notes", true)
		h := startWorld(t, w, hub.Limits{}, deskSource("notes"))
		w.SetUnavailable("notes", false)
		time.Sleep(openRetryInterval)
		synctest.Wait()
		if _, err := h.PersonAPI().Call(t.Context(), "notes", "say", json.RawMessage(`{"text":"a"}`)); err != nil {
			t.Error(err)
		}
		w.SetUnavailable("notes", true)
		if err := h.ReopenSource(t.Context(), "notes"); tools.AsError(err) == nil || tools.AsError(err).Code != tools.Unavailable {
			t.Errorf("reopen: %v", err)
		}
	})
}

func TestConfigurationThatIsWrong(t *testing.T) {
	h := start(t, hub.Limits{}, hub.Source{Name: "a", Kind: "nothing"}, hub.Source{Name: "b", Kind: "desk", Options: json.RawMessage(`{"pth":1}`)})
	for _, key := range []string{"source.kind a", "source.config b"} {
		if p, ok := h.board.Problem(key); !ok || p.Fix == "" {
			t.Errorf("%s: %+v", key, p)
		}
	}
}

// Reload keeps what has not changed, opens and closes the rest, and tells the
// agents whose lists changed.
func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, hub.Limits{}, deskSource("notes"), deskSource("work"))
		c := connect(t, h, "")
		c.Initialize()
		one := connect(t, h, "notes")
		one.Initialize()
		quiet := connect(t, h, "") // of the modern era, and listens to nothing
		if f := quiet.Ask("server/discover", "{"+hubtest.ModernMeta+"}"); f.Error != nil {
			t.Fatal(f.Raw)
		}
		if err := h.ReloadSources(t.Context(), []hub.Source{deskSource("notes"), {Name: "agenda", Kind: "org"}}); err != nil {
			t.Fatal(err)
		}
		heard := map[string]bool{}
		for len(heard) < 3 {
			f := c.Recv()
			heard[f.Method] = true
		}
		for _, want := range []string{"tools", "prompts", "resources"} {
			if !heard["notifications/"+want+"/list_changed"] {
				t.Errorf("heard %v", heard)
			}
		}
		synctest.Wait()
		one.Ask("ping", `{}`) // fails if anything came before: its lists are the same
		quiet.Ask("server/discover", "{"+hubtest.ModernMeta+"}")
		h2 := connect(t, h, "")
		h2.Initialize()
		names, _ := listed(t, h2.Ask("tools/list", `{}`))
		if got := strings.Join(names, " "); !strings.Contains(got, "desk_say") || !strings.Contains(got, "org-say") || strings.Contains(got, " say") {
			t.Errorf("lists %s", got)
		}
		if _, err := h.PersonAPI().ClientTools(t.Context(), "work", ""); err == nil {
			t.Error("the removed source still has tools")
		}
		if err := h.ReloadSources(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	})
}

// Changes reach those who subscribed, in both eras, and no one else.
func TestSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, hub.Limits{Limits: mcp.Limits{Subscriptions: 2}}, deskSource("notes"), deskSource("work"))
		c := connect(t, h, "")
		c.Initialize()
		other := connect(t, h, "work")
		other.Initialize()
		const page = "desk://notes/pages/a"
		for _, cl := range []*hubtest.Client{c, other} {
			if f := cl.Ask("resources/subscribe", `{"uri":"`+page+`"}`); f.Error != nil {
				t.Fatal(f.Raw)
			}
		}
		modern := connect(t, h, "")
		modern.Send(`{"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["` + page + `"]},` + hubtest.ModernMeta + `}}`)
		if f := modern.Recv(); f.Method != "notifications/subscriptions/acknowledged" {
			t.Fatalf("got %s, want the acknowledgement", f.Raw)
		}
		h.world.NotifyResourceChanged("notes", "desk://notes/pages/b")
		h.world.NotifyResourceChanged("notes", page)
		if f := c.Recv(); f.Method != "notifications/resources/updated" || !strings.Contains(string(f.Params), page) {
			t.Errorf("got %s", f.Raw)
		}
		if f := modern.Recv(); f.Method != "notifications/resources/updated" || !strings.Contains(string(f.Params), `"io.modelcontextprotocol/subscriptionId":"L"`) {
			t.Errorf("got %s", f.Raw)
		}
		synctest.Wait()
		other.Ask("ping", `{}`) // fails if it heard of a source that is not in its scope

		c.Ask("resources/unsubscribe", `{"uri":"`+page+`"}`)
		modern.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"L"}}`)
		synctest.Wait()
		h.world.NotifyResourceChanged("notes", page)
		synctest.Wait()
		c.Ask("ping", `{}`)
		modern.Ask("server/discover", "{"+hubtest.ModernMeta+"}")

		for i, uri := range []string{"x:1", "x:2", "x:3"} {
			if f := c.Ask("resources/subscribe", `{"uri":"`+uri+`"}`); (f.Error != nil) != (i == 2) {
				t.Errorf("subscription %d: %s", i+1, f.Raw)
			}
		}
	})
}

func TestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, hub.Limits{}, deskSource("notes"))
		c := connect(t, h, "notes")
		c.Initialize()
		c.Call("say", `{"text":"a"}`)
		c.Call("miss", `{}`)
		time.Sleep(2 * minSnapshotInterval)
		synctest.Wait()
		got := h.board.LastSnapshot()
		if got.Hub.Calls != 2 || got.Hub.Failures != 1 || got.Hub.Skill != "1.0" || got.Sources[0].Calls != 2 || got.Sources[0].Tools != 11 {
			t.Errorf("hub %+v, source %+v", got.Hub, got.Sources[0])
		}
		want := status.Session{
			Component: status.Component{Name: "s1", State: status.Ready}, Client: "tester", Version: "9", Transport: status.Stdio,
			Scope: "notes", Protocol: "2025-11-25", PID: 42, Calls: 2, LastTool: "miss",
		}
		s := got.Sessions[0]
		s.Since, s.LastCall = time.Time{}, time.Time{}
		if d := cmp.Diff(want, s); d != "" {
			t.Error(d)
		}
	})
}
