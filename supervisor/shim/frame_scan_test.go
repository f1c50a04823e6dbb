package shim

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		frame, id, method, params string
		whole                     bool
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `1`, "ping", "", true},
		{` { "method" : "a\"}b" , "id" : "x" , "params" : { "id" : 2 , "s" : "}]\\" } } `, `"x"`, `a"}b`, `{ "id" : 2 , "s" : "}]\\" }`, true},
		{`{"method":"n"}`, "", "n", "", true},
		{`{"id":null,"error":{}}`, "", "", "", true},
		{`{"id":1,"id":2}`, "2", "", "", true},
		{`{"\u0069d":3}`, "3", "", "", true},
		{`{"id":[1,{"a":"]"}],"method":"m"}`, `[1,{"a":"]"}]`, "m", "", true},
		{`{}`, "", "", "", true},
		{`{"id":1,"method":"pi`, "1", "", "", false},
		{`{"id":1`, "", "", "", false},
		{`{"id":1,`, "1", "", "", false},
		{`{"id"`, "", "", "", false},
		{`{"a":{"b":1}`, "", "", "", false},
		{`{"id":1} x`, "1", "", "", false},
		{`[{"id":1}]`, "", "", "", false},
		{`garbage`, "", "", "", false},
		{``, "", "", "", false},
		{`{"id":1}}`, "1", "", "", false},
	} {
		m, whole := parseFrame([]byte(c.frame))
		if whole != c.whole || c.whole && (string(m.id) != c.id || m.method != c.method || string(m.params) != c.params) {
			t.Errorf("%s: id %s, method %s, params %s, whole %v", c.frame, m.id, m.method, m.params, whole)
		}
	}
}

func TestKey(t *testing.T) {
	for spelled, want := range map[string]string{`1`: `1`, `"a"`: `"a"`, `"\u0061"`: `"a"`, `"1"`: `"1"`, `"\u003c&"`: `"<&"`, `"<&"`: `"<&"`, `"\ud800"`: `"\ud800"`} {
		if got := (message{id: []byte(spelled)}).idKey(); got != want {
			t.Errorf("key of %s: %s, want %s", spelled, got, want)
		}
	}
}

func TestWithID(t *testing.T) {
	f := []byte(`{"a":"1","id": 1 ,"result":{"id":1}}`)
	m, _ := parseFrame(f)
	want := `{"a":"1","id": "long-er" ,"result":{"id":1}}`
	if got := m.replaceFrameID(f, []byte(`"long-er"`)); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// FuzzParse holds parseFrame to encoding/json wherever that accepts the frame.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"method":"m","params":{"a":[1,"\\\"",{}]}}`, `{"id":"\ud83d\ude00"}`, `{"method":"\u006d"}`,
		`{"method":"tools/call"}`, `{"method":"resources/subscribe","params":{}}`, `{"method":"resources/unsubscribe","params":[]}`,
		`{"a":-1.5e+9,"b":true,"c":null,"id":2}`, `[]`, `{"params":"` + strings.Repeat(`\n`, 50) + `"}`, `{"id":1,}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		m, whole := parseFrame(frame)
		state, calls := newSessionState(), newPendingCalls()
		state.recordRequest(m) // does not fail, whatever the frame is
		state.recordReadOnlyTools(m)
		calls.add(frame, m)
		var want map[string]json.RawMessage
		if json.Unmarshal(frame, &want) != nil || want == nil {
			return
		}
		if !whole {
			t.Fatalf("%q is not whole", frame)
		}
		if id := string(want["id"]); id != string(m.id) && id != "null" {
			t.Errorf("%q: id %q, want %q", frame, m.id, id)
		}
		var method string
		if json.Unmarshal(want["method"], &method) == nil && method != m.method {
			t.Errorf("%q: method %q, want %q", frame, m.method, method)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	f := []byte(`{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"read","arguments":{"text":"` + strings.Repeat("lorem ipsum ", 16) + `"}}}`)
	b.SetBytes(int64(len(f)))
	b.ReportAllocs()
	for b.Loop() {
		parseFrame(f)
	}
}
