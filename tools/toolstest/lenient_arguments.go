package toolstest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// A spelling is a value as some client writes it.
type spelling struct {
	what    string
	value   any
	refused bool // empty text where it would select something
}

// checkLenientArguments writes the first example of each tool as clients write arguments:
// with null or "" for what is left out, and numbers, truth values, lists and objects as
// text. Each must be answered as the example is, or refused without a write where an
// empty text would select.
func checkLenientArguments(s *suite) {
	s.Helper()
	n := 0
	for _, t := range s.manifest.Tools {
		if len(t.Examples) == 0 {
			continue
		}
		args := decodeObject(t.Examples[0].In)
		plain := s.callOnce(t, encode(args))
		again := s.callOnce(t, encode(args))
		isSame := cmp.Equal(plain, again) // else an answer holds a time or a random id
		spellings := append(spellingsOfObject(t.Accepted, "", args), spelling{what: "arguments as text", value: string(encode(args))})
		for _, other := range spellings {
			if n++; !makesCall(s, n) {
				continue
			}
			got := s.callOnce(t, encode(other.value))
			what := t.Name + " with " + other.what
			switch {
			case other.refused && (got.Code != tools.Invalid || got.Changed):
				s.Errorf("%s: want it refused as invalid, got %+v", what, got)
			case other.refused:
			case got.Code != plain.Code, isSame && !cmp.Equal(got, plain):
				s.Errorf("%s is not answered as without (-want +got):\n%s", what, cmp.Diff(plain, got))
			}
		}
	}
}

// An outcome is what came of a call on a new fixture.
type outcome struct {
	Answer  any
	Code    tools.Code // empty: it succeeded
	Message string
	Changed bool
	Digest  string
}

func (s *suite) callOnce(t tools.ToolInfo, args []byte) outcome {
	s.Helper()
	src := s.open("one")
	before := src.Digest()
	got := s.call(s.ctx(), src.OpenedSource, t, args)
	o := outcome{Digest: src.Digest()}
	if o.Changed = o.Digest != before; !o.Changed {
		o.Digest = ""
	}
	if got.err != nil {
		o.Code, o.Message = got.err.Code, got.err.Message
		return o
	}
	o.Answer = decodeValue(got.result.JSON)
	return o
}

// spellingsOf are other spellings of a value that is given.
func spellingsOf(schema *jsonschema.Schema, path string, v any) (all []spelling) {
	switch v := v.(type) {
	case float64, bool:
		return []spelling{{what: path + " as text", value: string(encode(v))}}
	case []any:
		all = append(all, spelling{what: path + " as text", value: string(encode(v))})
		if len(v) != 1 || schema.Items == nil {
			return all
		}
		if text, isText := v[0].(string); isText && !json.Valid([]byte(text)) {
			all = append(all, spelling{what: path + " as its only entry", value: text})
		}
		for _, other := range spellingsOf(schema.Items, path+"[0]", v[0]) {
			all = append(all, spelling{other.what, []any{other.value}, other.refused})
		}
	case map[string]any:
		all = append(spellingsOfObject(schema, path+".", v), spelling{what: path + " as text", value: string(encode(v))})
	}
	return all
}

// spellingsOfObject are other spellings of the members of an object, those included that
// it does not have.
func spellingsOfObject(schema *jsonschema.Schema, prefix string, object map[string]any) (all []spelling) {
	with := func(name string, s spelling) {
		other := maps.Clone(object)
		other[name] = s.value
		all = append(all, spelling{s.what, other, s.refused})
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		p, path := schema.Properties[name], prefix+name
		v, given := object[name]
		if p.Type == "" && len(p.Types) == 0 {
			continue // null, text and numbers are JSON too
		}
		if given {
			for _, other := range spellingsOf(p, path, v) {
				with(name, other)
			}
			continue
		}
		if slices.Contains(schema.Required, name) {
			continue
		}
		with(name, spelling{what: path + " null", value: nil})
		if p.Default != nil {
			with(name, spelling{what: path + " as text", value: fmt.Sprint(decodeValue(p.Default))})
		}
		if p.Type != "string" && len(p.Types) == 2 && p.Types[1] == "string" {
			continue // an empty text is a value of its own
		}
		with(name, spelling{what: path + ` ""`, value: "", refused: p.MinLength != nil})
	}
	return all
}
