package tools

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

type pageIn struct {
	PageName string   `json:"page_name" jsonschema:"name"`
	Limit    Limit    `json:"limit,omitempty" jsonschema:"how many"`
	Tags     []string `json:"tags,omitempty" jsonschema:"tags"`
}

type pageOut struct {
	Names []string `json:"names"`
	Limit int      `json:"limit"`
	Error string   `json:"note,omitempty"`
}

type shelf struct{}

func (shelf) Close() error                { return nil }
func (shelf) Check(context.Context) error { return nil }

func (shelf) list(_ context.Context, in pageIn) (pageOut, error) {
	return pageOut{Limit: int(in.Limit)}, nil
}

func openShelf(t *testing.T) *OpenedSource {
	t.Helper()
	k := Erase(System[shelf, struct{}]{
		Name:  "shelf",
		Open:  func(context.Context, struct{}, Env) (shelf, error) { return shelf{}, nil },
		Tools: []Tool[shelf]{Define(Spec[pageIn, pageOut]{Name: "list", Effect: Reads}, shelf.list)},
	})
	o, err := k.Open(t.Context(), nil, Env{Name: "s"})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// What is wrong with arguments is said so that an agent can repair the call.
func TestArgumentErrors(t *testing.T) {
	o := openShelf(t)
	for args, want := range map[string]string{
		`{"page_name":"a","limit":900}`:       "limit: from 1 to 200, got 900",
		`{"page_name":"a","limit":0}`:         "limit: from 1 to 200, got 0",
		`{"pagename":"a"}`:                    "unknown argument pagename, did you mean page_name?",
		`{"page_name":"a","zebra":1}`:         "unknown argument zebra",
		`{}`:                                  "missing argument page_name",
		``:                                    "missing argument page_name",
		`{"page_name":true}`:                  "page_name: must be a string, got a boolean",
		`{"page_name":"a","limit":1.5}`:       "limit: must be a whole number, got the number 1.5",
		`{"page_name":"a","tags":["x",null]}`: "tags[1]: must be a string, got null",
		`[1]`:                                 "arguments: must be an object, got a list",
	} {
		_, err := o.Call(t.Context(), CallContext{}, "list", json.RawMessage(args))
		e := AsError(err)
		if e == nil || e.Code != Invalid || e.Message != want {
			t.Errorf("%s: got %v, want %q", args, err, want)
		}
	}
}

func TestDefaultsAndNoNullLists(t *testing.T) {
	r, err := openShelf(t).Call(t.Context(), CallContext{}, "list", json.RawMessage(`{"page_name":"a"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(r.JSON), `{"names":[],"limit":50}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Clients check structuredContent of a failed call against the output schema,
// so it admits the error object and nothing is required.
func TestPublishedOutputAdmitsErrors(t *testing.T) {
	k := Erase(System[shelf, struct{}]{
		Name:  "shelf",
		Open:  func(context.Context, struct{}, Env) (shelf, error) { return shelf{}, nil },
		Tools: []Tool[shelf]{Define(Spec[pageIn, pageOut]{Name: "list", Effect: Reads}, shelf.list)},
	})
	b, err := json.Marshal(k.Manifest().Tools[0].Out)
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Required             []string
		AdditionalProperties any
		Properties           map[string]any
	}
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Required) > 0 || s.AdditionalProperties != nil || s.Properties["message"] == nil || s.Properties["names"] == nil {
		t.Errorf("output schema %s", b)
	}
}

type anyJSON struct{ json.RawMessage }

func (anyJSON) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{} }

type requestIn struct {
	Path string  `json:"path" jsonschema:"path"`
	Dry  bool    `json:"dry,omitempty" jsonschema:"dry run"`
	Body anyJSON `json:"body,omitzero" jsonschema:"any JSON"`
}

type requestOut struct {
	Path string `json:"path"`
	Body string `json:"body"`
}

// Arguments that hold JSON get it as it was written; the others are checked as always,
// and of a name that stands there twice the last one counts.
func TestArgumentsThatHoldJSON(t *testing.T) {
	request := func(_ shelf, _ context.Context, in requestIn) (requestOut, error) {
		return requestOut{in.Path, string(in.Body.RawMessage)}, nil
	}
	tool := Define(Spec[requestIn, requestOut]{Name: "request", Effect: Reads}, request)
	for args, want := range map[string]string{
		`{"path":"p","body":{"b":[1, 2],"a":12345678901234567890}}`: `{"path":"p","body":"{\"b\":[1, 2],\"a\":12345678901234567890}"}`,
		`{"path":"p","path":"q"}`:                                   `{"path":"q","body":""}`,
		`{"path":"p","body":null}`:                                  `{"path":"p","body":"null"}`,
		`{"path":"p","PATH":"q"}`:                                   "unknown argument PATH, did you mean path?",
		`{"path":"p","dry":1}`:                                      "dry: must be a boolean, got the number 1",
		`{"body":1}`:                                                "missing argument path",
	} {
		r, err := tool.Call(t.Context(), shelf{}, CallContext{}, json.RawMessage(args))
		got := string(r.JSON)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}

// A call with the value of its arguments does not read their JSON; with one of another
// type it does.
func TestArgumentsWithTheirValue(t *testing.T) {
	o := openShelf(t)
	for _, c := range []struct {
		args Arguments
		want string
	}{
		{Arguments{[]byte(`not read`), pageIn{PageName: "a", Limit: 7}}, `{"names":[],"limit":7}`},
		{Arguments{[]byte(`{"page_name":"a","limit":8}`), pageOut{Limit: 9}}, `{"names":[],"limit":8}`},
	} {
		r, err := o.CallWithArguments(t.Context(), CallContext{}, "list", c.args)
		if err != nil || string(r.JSON) != c.want {
			t.Errorf("%+v gives %s, %v, want %s", c.args, r.JSON, err, c.want)
		}
	}
}
