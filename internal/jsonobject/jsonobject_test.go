package jsonobject

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// BenchmarkEscapes reads a long text of short lines.
func BenchmarkEscapes(b *testing.B) {
	object := []byte(`{"a":"` + strings.Repeat(`line\n`, 500_000) + `"}`)
	b.SetBytes(int64(len(object)))
	for b.Loop() {
		Each(object, func([]byte, json.RawMessage) {})
	}
}

// Fields are those that encoding/json finds, whatever their values look like.
func FuzzEach(f *testing.F) {
	for _, object := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a":-1.5e+3,"b":null , "c" : true}`, "{\"a\"\t:\r\n[1,{\"b\":[]}] }",
		`{"a":"}\"{","b":{"c":"]\\"},"d":"\\"}`, `{"a":{"b":"[","c":"\\\"}"},"a":2}`, `{"\u0061\"\\":[[],[{}]],"":""}`,
		`{"a`, `{"a":"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":"\`, `{"a":1]`, `{"a":[}`, `{,}`, `{"a" 1}`, `{"a":1}}`, `{"a":{"b":1}`, `null`, ``,
		`{"é":"é","` + "\xff" + `":"` + "\xff" + `"}`, `{"a":[1,2],"b":[ "x" , "y" ],"c":{ "d" : 0 }}`,
	} {
		f.Add([]byte(object))
	}
	for n := shortString - 3; n < shortString+3; n++ { // where the search for the end of a string goes another way
		x := strings.Repeat("x", n)
		f.Add([]byte(`{"` + x + `":"` + x + `\"","b":"` + x + `\\","c":"` + x + `é"}`))
		f.Add([]byte(`{"` + x + `\"":"` + x))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		var want map[string]json.RawMessage
		got := map[string]json.RawMessage{}
		whole := Each(object, func(key []byte, value json.RawMessage) {
			if len(value) == 0 {
				t.Errorf("%q: the value of %q is empty", object, key)
			}
			got[string(key)] = value
		})
		if json.Unmarshal(object, &want) != nil || want == nil {
			return
		}
		if !whole {
			t.Errorf("%q is not whole", object)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", object, d)
		}
	})
}
