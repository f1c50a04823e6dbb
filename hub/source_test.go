package hub

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A source that is lost changes no list, stops no other source, is a Problem
// that says what to do, answers unavailable in its System's spelling, and
// comes back by itself.
func TestSourceIsLostAndComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Limits{}, deskSource("notes"), deskSource("work"))
		c := connect(t, h, "")
		c.initialize()
		before := c.ask("tools/list", `{}`)

		h.world.lose("notes", true)
		time.Sleep(checkEvery)
		synctest.Wait()
		if d := cmp.Diff(string(before.Result), string(c.ask("tools/list", `{}`).Result)); d != "" {
			t.Errorf("the list changed: %s", d)
		}
		r := c.call("say", `{"source":"notes","text":"a"}`)
		if want := `{"error":"source notes cannot serve now: the folder is gone","code":"unavailable"}`; !r.IsError || string(r.Structured) != want {
			t.Errorf("got %s, want %s", r.Structured, want)
		}
		if r := c.call("say", `{"source":"work","text":"a"}`); r.IsError {
			t.Errorf("got %+v from the other source", r)
		}
		p, ok := h.board.problem("source.gone notes")
		if !ok || p.Title != "source notes: the folder is gone" || !strings.Contains(p.Fix, "Bring /notes back") {
			t.Errorf("problem %+v", p)
		}
		time.Sleep(updateEvery)
		synctest.Wait()
		if got := h.board.now().Sources[0]; got.State != status.Failed || got.Note != "the folder is gone" {
			t.Errorf("status %+v", got)
		}

		time.Sleep(2 * retryEvery) // opening anew fails too
		synctest.Wait()
		h.world.lose("notes", false)
		time.Sleep(checkEvery)
		synctest.Wait()
		if r := c.call("say", `{"source":"notes","text":"a"}`); r.IsError {
			t.Errorf("got %+v after it came back", r)
		}
		if _, ok := h.board.problem("source.gone notes"); ok {
			t.Error("the problem is still there")
		}
	})
}

// A source that could not be opened at first is tried again.
func TestSourceOpensLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.lose("notes", true)
		h := startWorld(t, w, Limits{}, deskSource("notes"))
		w.lose("notes", false)
		time.Sleep(retryEvery)
		synctest.Wait()
		if _, err := h.Call(t.Context(), "notes", "say", json.RawMessage(`{"text":"a"}`)); err != nil {
			t.Error(err)
		}
		w.lose("notes", true)
		if err := h.Reopen(t.Context(), "notes"); tools.AsError(err) == nil || tools.AsError(err).Code != tools.Unavailable {
			t.Errorf("reopen: %v", err)
		}
	})
}

func TestConfigurationThatIsWrong(t *testing.T) {
	h := start(t, Limits{}, Source{Name: "a", Kind: "nothing"}, Source{Name: "b", Kind: "desk", Options: json.RawMessage(`{"pth":1}`)})
	for _, key := range []string{"source.kind a", "source.config b"} {
		if p, ok := h.board.problem(key); !ok || p.Fix == "" {
			t.Errorf("%s: %+v", key, p)
		}
	}
}

// Reload keeps what has not changed, opens and closes the rest, and tells the
// agents whose lists changed.
func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Limits{}, deskSource("notes"), deskSource("work"))
		c := connect(t, h, "")
		c.initialize()
		one := connect(t, h, "notes")
		one.initialize()
		quiet := connect(t, h, "") // of the modern era, and listens to nothing
		if f := quiet.ask("server/discover", "{"+modernMeta+"}"); f.Error != nil {
			t.Fatal(f.raw)
		}
		if err := h.Reload(t.Context(), []Source{deskSource("notes"), {Name: "agenda", Kind: "org"}}); err != nil {
			t.Fatal(err)
		}
		heard := map[string]bool{}
		for len(heard) < 3 {
			f := c.recv()
			heard[f.Method] = true
		}
		for _, want := range []string{"tools", "prompts", "resources"} {
			if !heard["notifications/"+want+"/list_changed"] {
				t.Errorf("heard %v", heard)
			}
		}
		synctest.Wait()
		one.ask("ping", `{}`) // fails if anything came before: its lists are the same
		quiet.ask("server/discover", "{"+modernMeta+"}")
		h2 := connect(t, h, "")
		h2.initialize()
		names, _ := listed(t, h2.ask("tools/list", `{}`))
		if got := strings.Join(names, " "); !strings.Contains(got, "desk_say") || !strings.Contains(got, "org-say") || strings.Contains(got, " say") {
			t.Errorf("lists %s", got)
		}
		if _, ok := h.toolsets("work"); ok {
			t.Error("the removed source still has toolsets")
		}
		if err := h.Reload(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	})
}

// Changes reach those who subscribed, in both eras, and nobody else.
func TestSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Limits{Limits: mcp.Limits{Subscriptions: 2}}, deskSource("notes"), deskSource("work"))
		c := connect(t, h, "")
		c.initialize()
		other := connect(t, h, "work")
		other.initialize()
		const page = "desk://notes/pages/a"
		for _, cl := range []*client{c, other} {
			if f := cl.ask("resources/subscribe", `{"uri":"`+page+`"}`); f.Error != nil {
				t.Fatal(f.raw)
			}
		}
		modern := connect(t, h, "")
		modern.send(`{"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["` + page + `"]},` + modernMeta + `}}`)
		if f := modern.recv(); f.Method != "notifications/subscriptions/acknowledged" {
			t.Fatalf("got %s, want the acknowledgement", f.raw)
		}
		h.world.changed("notes", "desk://notes/pages/b")
		h.world.changed("notes", page)
		if f := c.recv(); f.Method != "notifications/resources/updated" || !strings.Contains(string(f.Params), page) {
			t.Errorf("got %s", f.raw)
		}
		if f := modern.recv(); f.Method != "notifications/resources/updated" || !strings.Contains(string(f.Params), `"io.modelcontextprotocol/subscriptionId":"L"`) {
			t.Errorf("got %s", f.raw)
		}
		synctest.Wait()
		other.ask("ping", `{}`) // fails if it heard of a source that is not in its scope

		c.ask("resources/unsubscribe", `{"uri":"`+page+`"}`)
		modern.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"L"}}`)
		synctest.Wait()
		h.world.changed("notes", page)
		synctest.Wait()
		c.ask("ping", `{}`)
		modern.ask("server/discover", "{"+modernMeta+"}")

		for i, uri := range []string{"x:1", "x:2", "x:3"} {
			if f := c.ask("resources/subscribe", `{"uri":"`+uri+`"}`); (f.Error != nil) != (i == 2) {
				t.Errorf("subscription %d: %s", i+1, f.raw)
			}
		}
	})
}

func TestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, Limits{}, deskSource("notes"))
		c := connect(t, h, "notes")
		c.initialize()
		c.call("say", `{"text":"a"}`)
		c.call("miss", `{}`)
		time.Sleep(2 * updateEvery)
		synctest.Wait()
		got := h.board.now()
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
