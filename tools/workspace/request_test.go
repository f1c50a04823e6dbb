package workspace

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

// What writes its own JSON writes what the encoder does.
func TestRequestJSON(t *testing.T) {
	body := JSONValue{json.RawMessage(`{"a":[1,"é<b>"]}`)}
	for _, v := range []tools.JSONProvider{
		RequestIn{},
		RequestIn{Commit: true},
		RequestIn{Run: "r-1", Commit: true, Method: "GET", Path: "/workspaces/ws/notes/a%20b", Query: "q=x&limit=2", Body: body},
		RequestIn{Method: "PUT", Path: "/workspaces/ws/notes/\"ü\\\n\x7f<>\u2028", Body: JSONValue{json.RawMessage(`null`)}},
		RequestOut{Status: 200, Body: body, Names: []string{"ws/a", "ws/class:\"Ü\"/a"}, Header: map[string]string{"Link": "<x>"}},
		RequestOut{Status: 204},
	} {
		want, err := tools.PlainJSON(v)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(v.AppendJSON(nil))); d != "" {
			t.Errorf("%+v (-encoder +own):\n%s", v, d)
		}
	}
}
