package hub

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// Equal arguments are equal bytes, and numbers stay as they were written.
func TestCanonicalArguments(t *testing.T) {
	in := &jsonschema.Schema{Properties: map[string]*jsonschema.Schema{"limit": {Default: json.RawMessage("20")}, "path": {}}}
	for raw, want := range map[string]string{
		` {"text":"x", "path":"a"}`:         `{"limit":20,"path":"a","text":"x"}`,
		`{"path":"a","text":"x"}`:           `{"limit":20,"path":"a","text":"x"}`,
		`{"limit":1.00}`:                    `{"limit":1.00}`,
		`{"limit":12345678901234567890}`:    `{"limit":12345678901234567890}`,
		``:                                  `{"limit":20}`,
		` null`:                             `{"limit":20}`,
		`["a"]`:                             `["a"]`,
		`{"path":"a"} {"path":"b"}`:         `{"path":"a"} {"path":"b"}`,
		`{"a":{"z":1,"y":[{"d":1,"c":0}]}}`: `{"a":{"y":[{"c":0,"d":1}],"z":1},"limit":20}`,
	} {
		args := parseArguments(json.RawMessage(raw))
		if got := string(args.canonical(in)); got != want {
			t.Errorf("%s: got %s, want %s", raw, got, want)
		}
	}
}
