package workspace

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// A script that is cancelled, while it runs or when it has ended and is about to be
// written, says so, has written nothing, and the next one runs.
func TestCancelledScript(t *testing.T) {
	b := openBench(t, "")
	b.value("1")
	for _, c := range []struct{ name, code, at string }{
		{"in a loop", `console.log("began"); kb.notes.create({ markdown: "# Mine\n" }); kb.notes.get("welcome"); for (;;) {}`, "/notes/welcome"},
		{"at the end", `console.log("began"); kb.notes.create({ markdown: "# Mine\n" })`, `"commit":true`},
	} {
		before := digest(b.store)
		ctx, cancel := context.WithCancel(t.Context())
		reached := false
		caller := conflictCaller{callerOf{b}, func(args string) {
			if strings.Contains(args, c.at) {
				reached = true
				cancel()
			}
		}}
		args := mustJSON(t, ScriptIn{WorkspaceID: "ws", Code: c.code})
		_, err := b.OpenedSource.Call(ctx, tools.CallContext{Sources: caller, Seed: 7}, "run_script", args)
		cancel()
		e := tools.AsError(err)
		if !reached || e == nil || e.Code != tools.Timeout || e.SpecCode != "Cancelled" {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if object := string(mustJSON(t, errorFormat().Object(e))); !strings.Contains(object, `"error":"Cancelled"`) || !strings.Contains(object, `"logs":[{"level":"log","text":"began"}]`) {
			t.Errorf("%s: the error is %s", c.name, object)
		}
		if failure, ok := errors.AsType[*scriptFailure](err); !ok || failure.AuditDetails()["result_status"] != "Cancelled" {
			t.Errorf("%s: the audit has %v", c.name, failure)
		}
		if digest(b.store) != before {
			t.Errorf("%s: it has written", c.name)
		}
	}
	if got := b.value("kb.notes.list().length"); got != "4" {
		t.Errorf("afterwards there are %s notes", got)
	}
}
