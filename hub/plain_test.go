package hub

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/status"
)

// Whoever answers, the bytes are the same.
func TestPlainAnswersAreTheUsual(t *testing.T) {
	h := start(t, Limits{Answer: 5000}, deskSource("notes"), Source{Name: "safe", Kind: "desk", ReadOnly: true})
	sf, _ := h.surface("")
	s := h.newSession(status.Stdio, "", 0)
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":-9007199254740991,"method":"ping","params":{}}`,
		` { "id" : "a b'c", "method":"ping" , "jsonrpc":"2.0" } `,
		`{"jsonrpc":"2.0","id":"","method":"tools/call","params":{"name":"say","arguments":{"text":"","source":"safe"},"_meta":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"say","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"write","arguments":{"text":"x","source":"safe"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"miss","arguments":{"source":"notes"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"miss","arguments":null,"_meta":null}}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"break","arguments":{"source":"safe"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"big","arguments":{"count":9000,"source":"safe"}}}`,
		`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"count","arguments":{"count":1,"source":"safe"},"_meta":{"progressToken":7}}}`,
		`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"say","arguments":{"text":"a","source":"safe"},"_meta":{"lectern/reason":"r"}}}`,
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 2000 {
		text, err := json.Marshal(strangeText(rng))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":"i%d","method":"tools/call","params":{"name":"say","arguments":{"source":"notes","text":%s}}}`, i, text))
	}
	for _, line := range lines {
		m, bad := parseMessage([]byte(line))
		if bad != nil {
			t.Fatalf("%s: %s", line, bad.why)
		}
		x := &exchange{session: s, notify: func([]byte) {}}
		got, ok := sf.plain(t.Context(), x, m)
		want, err := corrected(x, sf.mcp.HandleMessage(sf.mcp.WithContext(x.in(t.Context()), newLegacySide(s)), m.raw))
		if !ok || err != nil || string(got) != string(want) {
			t.Errorf("%s\ngot  %s (%v)\nwant %s (%v)", line, got, ok, want, err)
		}
	}
}

// strangeText is short and has what JSON may write in several ways.
func strangeText(rng *rand.Rand) string {
	strange := []rune("\"\\/<>&\x00\x1f\n\r\t\x7f\u0080\u2028\u2029\ufeff\ufffd💡é a")
	var b []byte
	for range rng.IntN(12) {
		switch c := rng.IntN(256); {
		case c < 16:
			b = append(b, byte(c*16)) // not UTF-8
		case c < 200:
			b = utf8.AppendRune(b, strange[rng.IntN(len(strange))])
		default:
			b = utf8.AppendRune(b, rune(rng.IntN(0x3000)))
		}
	}
	return string(b)
}

// What is out of the ordinary goes to mcp-go.
func TestPlainLeavesTheRest(t *testing.T) {
	h := start(t, Limits{}, deskSource("notes"))
	sf, _ := h.surface("")
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"ping"}`,
		`{"jsonrpc":"2.0","id":-0,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"é","method":"ping"}`,
		`{"jsonrpc":"2.0","id":"a<b","method":"ping"}`,
		`{"jsonrpc":"2.0","id":"\u0061","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["say"]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"say"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","task":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","_meta":7}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say",` + modernMeta + `}}`,
	} {
		m, bad := parseMessage([]byte(line))
		if bad != nil {
			t.Fatalf("%s: %s", line, bad.why)
		}
		if got, ok := sf.plain(t.Context(), &exchange{session: h.newSession(status.Stdio, "", 0)}, m); ok {
			t.Errorf("%s: answered %s", line, got)
		}
	}
}
