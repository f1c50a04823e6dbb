package logseq_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/logseq"
)

// A checkedPeer is a fakePeer with other things to say about itself.
type checkedPeer struct {
	*fakePeer

	hello     map[string]any // replaces members of the fake's
	lacks     string         // a capability
	diagnoses []any          // one answer after the other; none: the plugin is too old
	property  map[string]any // the only one in the graph
}

func (p *checkedPeer) Hello() json.RawMessage {
	raw := p.fakePeer.Hello()
	if raw == nil {
		return nil
	}
	var h map[string]any
	if err := json.Unmarshal(raw, &h); err != nil {
		panic(err)
	}
	h["api_capabilities"] = slices.DeleteFunc(h["api_capabilities"].([]any), func(key any) bool { return key == p.lacks })
	maps.Copy(h, p.hello)
	return encode(h)
}

func (p *checkedPeer) Call(ctx context.Context, method string, in, out any, again bool) error {
	answer := any(map[string]any{"properties": []any{p.property}, "total": 1})
	switch {
	case method == "diagnose" && len(p.diagnoses) == 0:
		return &tools.Error{Code: tools.Unavailable, SpecCode: "CAPABILITY_MISSING", Message: "this plugin has no method diagnose"}
	case method == "diagnose":
		answer, p.diagnoses = p.diagnoses[0], p.diagnoses[1:]
	case method != "properties.list" || p.property == nil:
		return p.fakePeer.Call(ctx, method, in, out, again)
	}
	return json.Unmarshal(encode(answer), out)
}

// A testDoctor answers questions as it was told to.
type testDoctor struct {
	interactive, done, mayWrite bool
	asked                       string
}

func (d *testDoctor) Interactive() bool                          { return d.interactive }
func (d *testDoctor) Ask(_ context.Context, request string) bool { d.asked = request; return d.done }
func (d *testDoctor) MayWrite() bool                             { return d.mayWrite }

func timing(ms int, code string) map[string]any { return map[string]any{"ms": ms, "error": code} }

func diagnosisWith(members map[string]any) any {
	d := map[string]any{
		"hidden": false, "editor": timing(3, ""), "database": timing(2, ""), "namespaces": map[string]int{"user.property": 2, "logseq.property": 30},
	}
	maps.Copy(d, members)
	return d
}

func TestChecks(t *testing.T) {
	timesOut := timing(9000, "TIMEOUT")
	for _, c := range []struct {
		check  string
		peer   checkedPeer
		kind   string
		result status.CheckResult
		want   string
	}{
		{"release", checkedPeer{}, "db", status.CheckOK, "Logseq 2.0.1"},
		{"release", checkedPeer{hello: map[string]any{"logseq_version": "3.0.0"}}, "db", status.CheckWarn, "Logseq 3.0.0 has not been tested"},
		{"methods", checkedPeer{}, "db", status.CheckOK, fmt.Sprintf("%d of %d capabilities, as expected of a db graph", len(logseq.Capabilities())-1, len(logseq.Capabilities()))},
		{"methods", checkedPeer{lacks: "blocks.move", diagnoses: []any{diagnosisWith(map[string]any{"missing": []string{"move_block"}})}}, "db", status.CheckWarn, "missing: blocks.move; this Logseq lacks move_block"},
		{"methods", checkedPeer{lacks: "blocks.move", diagnoses: []any{diagnosisWith(map[string]any{"settings": []string{"readOnly"}})}}, "db", status.CheckOK, "turned off by the plugin's settings: readOnly"},
		{"methods", checkedPeer{lacks: "blocks.move"}, "db", status.CheckWarn, "missing: blocks.move"},
		{"methods", checkedPeer{hello: map[string]any{"graph": map[string]any{"name": "g", "kind": "db"}}, diagnoses: []any{diagnosisWith(nil)}}, "file", status.CheckWarn, "not expected: templates"},
		{"window", checkedPeer{diagnoses: []any{diagnosisWith(nil)}}, "db", status.CheckOK, "visible the editor answers in 3 ms and the database answers in 2 ms; not tried with the window hidden: run"},
		{"window", checkedPeer{diagnoses: []any{diagnosisWith(map[string]any{"hidden": true})}}, "db", status.CheckOK, "with the window hidden the editor answers in 3 ms"},
		{"window", checkedPeer{diagnoses: []any{diagnosisWith(map[string]any{"hidden": true, "editor": timesOut})}}, "db", status.CheckWarn, "hidden the editor gave no answer within 9000 ms (TIMEOUT) and the database answers"},
		{"window", checkedPeer{diagnoses: []any{diagnosisWith(map[string]any{"editor": timesOut})}}, "db", status.CheckWarn, "visible the editor gave no answer"},
		{"window", checkedPeer{diagnoses: []any{diagnosisWith(map[string]any{"database": timesOut})}}, "db", status.CheckFail, "the database gave no answer"},
		{"window", checkedPeer{diagnoses: []any{map[string]any{}}}, "db", status.CheckSkipped, "no graph is open"},
		{"window", checkedPeer{}, "db", status.CheckWarn, "older than this Lectern"},
		{"window", checkedPeer{fakePeer: &fakePeer{gone: true}}, "db", status.CheckSkipped, "Logseq is not connected"},
		{"properties", checkedPeer{diagnoses: []any{diagnosisWith(nil)}}, "db", status.CheckOK, "properties: logseq.property 30, user.property 2; to test whether a plugin can set"},
		{"properties", checkedPeer{diagnoses: []any{diagnosisWith(nil)}}, "file", status.CheckOK, "a file graph has no namespaces"},
	} {
		if c.peer.fakePeer == nil {
			c.peer.fakePeer = fixtureGraph(c.kind)
		} else {
			c.peer.listeners = map[int]func(string, json.RawMessage){}
		}
		got, err := openTestSource(t, &c.peer).open.Look(t.Context(), c.check, &testDoctor{})
		if err != nil || got.Result != c.result || !strings.Contains(got.Detail, c.want) || got.Name != c.check || got.Title == "" {
			t.Errorf("%+v, %v\nwant %s: %s", got, err, c.result, c.want)
		}
	}
}

// The result is what happens once a person has hidden the window.
func TestCheckAsksToHide(t *testing.T) {
	stalled := diagnosisWith(map[string]any{"hidden": true, "editor": timing(9000, "TIMEOUT")})
	for _, c := range []struct {
		done   bool
		then   any
		result status.CheckResult
		want   string
	}{
		{true, stalled, status.CheckWarn, "visible the editor answers in 3 ms and the database answers in 2 ms; then with the window hidden the editor gave no answer within 9000 ms"},
		{true, diagnosisWith(map[string]any{"hidden": true}), status.CheckOK, "then with the window hidden the editor answers"},
		{false, stalled, status.CheckOK, "not tried with the window hidden"},
	} {
		peer := &checkedPeer{fakePeer: fixtureGraph("db"), diagnoses: []any{diagnosisWith(nil), c.then}}
		doctor := &testDoctor{interactive: true, done: c.done}
		got, err := openTestSource(t, peer).open.Look(t.Context(), "window", doctor)
		if err != nil || got.Result != c.result || !strings.Contains(got.Detail, c.want) || !strings.Contains(doctor.asked, "Hide the window of Logseq that shows garden") {
			t.Errorf("asked %q: %+v, %v\nwant %s: %s", doctor.asked, got, err, c.result, c.want)
		}
	}
}

// A try at writing leaves nothing behind, whether it works or not.
func TestCheckTriesToWrite(t *testing.T) {
	rating := map[string]any{"name": "Rating", "ident": ":user.property/rating", "type": "number"}
	for _, c := range []struct {
		property map[string]any
		fault    string // the method that does nothing
		result   status.CheckResult
		want     string
	}{
		{rating, "", status.CheckOK, "; Rating was set and read back, on a page that was deleted again"},
		{rating, "blocks.update", status.CheckWarn, "; cannot set Rating: "},
		{rating, "pages.create", status.CheckWarn, "; writing was not tried: "},
		{map[string]any{"name": "Rating", "ident": ":plugin.property/rating", "type": "number"}, "", status.CheckSkipped, "you have made no property"},
	} {
		peer := &checkedPeer{fakePeer: fixtureGraph("db"), diagnoses: []any{diagnosisWith(nil)}, property: c.property}
		peer.fault = func(method string) fault {
			if method == c.fault {
				return refuse
			}
			return fine
		}
		before := peer.inUse()
		got, err := openTestSource(t, peer).open.Look(t.Context(), "properties", &testDoctor{mayWrite: true})
		if err != nil || got.Result != c.result || !strings.Contains(got.Detail, c.want) {
			t.Errorf("%+v, %v\nwant %s: %s", got, err, c.result, c.want)
		}
		if peer.inUse() != before {
			t.Errorf("%s: something is left", c.want)
		}
		if wrote := slices.Contains(peer.calls, "pages.delete"); wrote != (c.want[0] == ';' && c.fault != "pages.create") {
			t.Errorf("%s: calls %v", c.want, peer.calls)
		}
	}
}

// The doctor lists the checks, and an unknown one is an error.
func TestCheckNames(t *testing.T) {
	var names []string
	for _, c := range testSystem().Manifest().Checks {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "release methods window properties" {
		t.Error(got)
	}
	if _, err := openTestSource(t, fixtureGraph("db")).open.Look(t.Context(), "nothing", &testDoctor{}); tools.AsError(err).Code != tools.NotFound {
		t.Error(err)
	}
}
