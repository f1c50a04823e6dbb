package frame

import (
	"errors"
	"strings"
	"testing"
)

// A request that is too long can be answered under its id, wherever a client writes
// it; nothing else can.
func TestSkippedRequestID(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	for in, want := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"text":"` + long + `"}}`:               "7",
		`{"method":"tools/call","params":{"id":9,"text":"` + long + `"},"jsonrpc":"2.0","id":7}`:        "7",
		`{"method":"tools/call","params":{"text":"` + long + `"},"id":"a\\\"b","jsonrpc":"2.0"}` + "\r": `"a\\\"b"`,
		`{ "method" : "x", "id" : -3 , "params":{"text":"` + long + `"}}`:                               "-3",
		`{"method":"tools/call","params":{"text":"` + long + `","id":5}}`:                               "",
		`{"method":"x","params":["` + long + `{\"id\":5}"]}`:                                            "",
		`{"jsonrpc":"2.0","id":7,"result":{"text":"` + long + `"}}`:                                     "",
		`{"result":{"text":"` + long + `"},"jsonrpc":"2.0","id":7}`:                                     "",
		`{"id":null,"method":"x","params":{"text":"` + long + `"}}`:                                     "",
		`{"id":{"a":1},"method":"x","params":{"text":"` + long + `"}}`:                                  "",
		long: "", `["` + long + `"]`: "", `{"` + long: "",
	} {
		_, err := NewReader(strings.NewReader(in+"\n"), 100).Next()
		var skipped *TooLongError
		if !errors.As(err, &skipped) || !errors.Is(err, ErrTooLong) || string(skipped.ID) != want {
			t.Errorf("%.60s…: %v, id %s, want %s", in, err, skipped.ID, want)
		}
	}
}
