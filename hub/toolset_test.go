package hub_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/tools"
)

// listed are the names of tools/list, in its order.
func listed(t *testing.T, f hubtest.Frame) (names []string, schemas map[string]string) {
	t.Helper()
	var list struct {
		Tools []struct {
			Name        string
			InputSchema json.RawMessage
		}
	}
	if f.Error != nil || json.Unmarshal(f.Result, &list) != nil {
		t.Fatalf("got %s, want a list", f.Raw)
	}
	schemas = map[string]string{}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		schemas[tool.Name] = string(tool.InputSchema)
	}
	return names, schemas
}

// One System: the specification's names. Several: each with its System's,
// unless it carries it already. What is not granted is not listed.
func TestNames(t *testing.T) {
	reads := []tools.Effect{tools.Reads}
	plain := "big break count late miss panic remove say stubborn wait write"
	for _, tt := range []struct {
		name, scope string
		sources     []hub.Source
		want        string
	}{
		{"one system", "", []hub.Source{deskSource("notes")}, plain},
		{"several sources of one system", "", []hub.Source{deskSource("notes"), deskSource("work")}, plain},
		{"one source of several systems", "notes", []hub.Source{deskSource("notes"), {Name: "agenda", Kind: "org"}}, plain},
		{
			"several systems", "",
			[]hub.Source{deskSource("notes"), {Name: "agenda", Kind: "org"}},
			"desk_big desk_break desk_count desk_late desk_miss desk_panic desk_remove desk_say desk_stubborn desk_wait desk_write org-say",
		},
		{"reads", "", []hub.Source{{Name: "notes", Kind: "desk", Effects: reads}}, "big break count late miss panic say stubborn wait"},
		{"read-only", "", []hub.Source{{Name: "notes", Kind: "desk", ReadOnly: true, Effects: tools.Effects()}}, "big break count late miss panic say stubborn wait"},
		{"admin when named", "", []hub.Source{{Name: "notes", Kind: "desk", Effects: []tools.Effect{tools.Admin}}}, "own"},
		{"opted in", "", []hub.Source{{Name: "notes", Kind: "desk", Effects: reads, Tools: []string{"spare"}}}, "big break count late miss panic say spare stubborn wait"},
		{"opted in to all", "", []hub.Source{{Name: "notes", Kind: "desk", Effects: reads, AllTools: true}}, "big break count late miss panic say spare stubborn wait"},
		{"opted in and not granted", "", []hub.Source{{Name: "notes", Kind: "desk", Effects: []tools.Effect{tools.Admin}, AllTools: true}}, "own"},
		{"unknown kind", "", []hub.Source{{Name: "notes", Kind: "nothing"}}, ""},
		{"no source", "", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := connect(t, start(t, hub.Limits{}, tt.sources...), tt.scope)
			c.Initialize()
			names, _ := listed(t, c.Ask("tools/list", `{}`))
			if d := cmp.Diff(tt.want, strings.Join(names, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

// A person calls a tool that agents do not see.
func TestOptIn(t *testing.T) {
	h := start(t, hub.Limits{}, deskSource("notes"))
	c := connect(t, h, "")
	c.Initialize()
	if f := c.Ask("tools/call", `{"name":"spare","arguments":{}}`); !strings.Contains(f.Raw, "tool not found") {
		t.Errorf("got %s", f.Raw)
	}
	if _, err := h.PersonAPI().Call(t.Context(), "notes", "spare", nil); err != nil {
		t.Error(err)
	}
}

// Only the tools of a source elsewhere are said to reach an open world.
func TestToolsOfSourceElsewhere(t *testing.T) {
	elsewhere := deskSource("work")
	elsewhere.Options = json.RawMessage(`{"url":"https://example.org"}`)
	h := start(t, hub.Limits{}, deskSource("notes"), elsewhere)
	for scope, want := range map[string]string{"notes": `"openWorldHint":false`, "work": `"openWorldHint":true`} {
		c := connect(t, h, scope)
		c.Initialize()
		if f := c.Ask("tools/list", `{}`); strings.Count(f.Raw, want) != strings.Count(f.Raw, `"openWorldHint"`) {
			t.Errorf("%s: want %s everywhere in %s", scope, want, f.Raw)
		}
	}
}

// A scope of several sources offers these and no other, however it is spelt; one
// with a name that is no source does not exist.
func TestScopeOfSeveralSources(t *testing.T) {
	h := start(t, hub.Limits{}, deskSource("notes"), deskSource("work"), deskSource("home"))
	for _, scope := range []string{"notes,work", "work,notes", "work,notes,work"} {
		c := connect(t, h, scope)
		c.Initialize()
		_, schemas := listed(t, c.Ask("tools/list", `{}`))
		if !strings.Contains(schemas["say"], `"enum":["notes","work"]`) {
			t.Errorf("%s: the schema of say is %s", scope, schemas["say"])
		}
		if r := c.Call("say", `{"text":"a","source":"home"}`); !r.IsError {
			t.Errorf("%s: got %+v, want an error: home is out of scope", scope, r)
		}
	}
	if f := connect(t, h, "notes,nots").Ask("initialize", hubtest.InitParams); f.Error == nil || !strings.Contains(f.Error.Message, "one of notes,nots is not a source") {
		t.Errorf("got %s", f.Raw)
	}
}

// Hundreds of sources are not named by every tool in every request: the tool says how many there are,
// and an error which.
func TestManySourcesAreNotAllNamed(t *testing.T) {
	var many []hub.Source
	for i := range 60 {
		many = append(many, deskSource(fmt.Sprintf("desk-%02d", i)))
	}
	h := start(t, hub.Limits{}, many...)
	c := connect(t, h, "")
	c.Initialize()
	_, schemas := listed(t, c.Ask("tools/list", `{}`))
	if schema := schemas["say"]; !strings.Contains(schema, "there are 60 of this kind, such as desk-00, desk-01, desk-02;") || strings.Contains(schema, "desk-03") {
		t.Errorf("the schema of say is %s", schema)
	}
	if r := c.Call("say", `{"source":"desk-59","text":"a"}`); string(r.Structured) != `{"text":"a","from":"desk-59"}` {
		t.Errorf("got %s", r.Structured)
	}
	if r := c.Call("say", `{"text":"a"}`); !r.IsError || !strings.Contains(string(r.Structured), "desk-00") || !strings.Contains(string(r.Structured), "desk-59") {
		t.Errorf("got %s", r.Structured)
	}
}

func TestSourceArgument(t *testing.T) {
	h := start(t, hub.Limits{}, deskSource("notes"), deskSource("work"), hub.Source{Name: "safe", Kind: "desk", ReadOnly: true})
	c := connect(t, h, "")
	c.Initialize()
	_, schemas := listed(t, c.Ask("tools/list", `{}`))
	const choice = `"source":{"type":"string","description":"which source; there are several of this kind","enum":`
	for tool, names := range map[string]string{"say": `["notes","work","safe"]`, "write": `["notes","work"]`} {
		if !strings.Contains(schemas[tool], choice+names) {
			t.Errorf("the schema of %s is %s", tool, schemas[tool])
		}
	}
	if r := c.Call("say", `{"source":"work","text":"a"}`); string(r.Structured) != `{"text":"a","from":"work"}` {
		t.Errorf("got %s", r.Structured)
	}

	one := connect(t, h, "work")
	one.Initialize()
	_, schemas = listed(t, one.Ask("tools/list", `{}`))
	if strings.Contains(schemas["say"], `"source"`) {
		t.Errorf("the schema of say is %s", schemas["say"])
	}
	for _, args := range []string{`{"text":"the source"}`, `{"text":"the source","source":"work"}`} {
		if r := one.Call("say", args); string(r.Structured) != `{"text":"the source","from":"work"}` {
			t.Errorf("%s: got %s", args, r.Structured)
		}
	}
	if r := one.Call("say", `{"text":"a","source":"notes"}`); !r.IsError {
		t.Errorf("got %+v, want an error: notes is out of scope", r)
	}
}
