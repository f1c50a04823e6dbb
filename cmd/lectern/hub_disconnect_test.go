package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
)

// A person disconnects an agent while a call of it waits: the call is withdrawn,
// the agent is told why and stays away although its program goes on, and another
// one is not touched.
func TestDisconnect(t *testing.T) {
	home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\nask = [\"write\"]\n")
	first := connectAgent(t, home)
	first.nextAnswer(t)
	first.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	first.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_page","arguments":{"title":"p"}}}`)
	a := apptest.New(t)
	a.Paths = apptest.Paths(home)
	panel := thismachine.HubClient{App: a}.API()
	session := awaitApprovals(t, panel, 1)[0].Session
	second := connectAgent(t, home)
	second.nextAnswer(t)

	lectern := func(args ...string) (int, string) {
		var out bytes.Buffer
		code := run(context.Background(), args, strings.NewReader(""), &out, &out, []string{"LECTERN_HOME=" + home})
		return code, out.String()
	}
	if _, text := lectern("hub", "disconnect"); !strings.Contains(text, session) || !strings.Contains(text, `"test" (claimed)`) {
		t.Errorf("agents:\n%s", text)
	}
	if code, text := lectern("hub", "disconnect", "s99", "--yes"); code != 1 || !strings.Contains(text, "no agent is connected as") {
		t.Errorf("disconnected nobody: %d %s", code, text)
	}
	if code, text := lectern("hub", "disconnect", session, "--yes"); code != 0 || !strings.Contains(text, "started again") {
		t.Errorf("disconnect: %d %s", code, text)
	}
	const why = "The user disconnected this agent from Lectern."
	if v := first.nextAnswer(t); !strings.Contains(string(v.Result)+string(v.Error), "the call was cancelled") && !strings.Contains(string(v.Error), why) {
		t.Errorf("told %s %s", v.Result, v.Error)
	}
	awaitApprovals(t, panel, 0)
	first.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if v := first.nextAnswer(t); !strings.Contains(string(v.Error), why) {
		t.Errorf("it came back: %s %s", v.Result, v.Error)
	}
	second.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	if v := second.nextAnswer(t); len(v.Error) > 0 {
		t.Errorf("the other agent is told %s", v.Error)
	}
	if countPages(home) != 0 {
		t.Error("a page was written")
	}
	first.disconnect(t)
	second.disconnect(t)
	stopTestHub(t, home)
}
