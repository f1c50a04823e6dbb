package tools

import (
	"encoding/json"
	"testing"
)

type providedJSON string

func (p providedJSON) AppendJSON(b []byte) []byte { return append(b, p...) }

// JSON that others wrote goes out without halves of surrogate pairs.
func TestAnswersHaveNoHalfSurrogates(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"\ud83d\ude00"}`:         `{"a":"\ud83d\ude00"}`,
		`{"a":"x\ud83d"}`:              `{"a":"x\ufffd"}`,
		`{"\uDE00a":[1,"\\ud800"]}`:    `{"\ufffda":[1,"\\ud800"]}`,
		`{"a":"\ude00\ud83d\ude00 x"}`: `{"a":"\ufffd\ud83d\ude00 x"}`,
	} {
		for _, out := range []any{map[string]json.RawMessage{"v": json.RawMessage(in)}, providedJSON(`{"v":` + in + `}`)} {
			r, err := newResult(out)
			if err != nil || string(r.JSON) != `{"v":`+want+`}` {
				t.Errorf("%s: got %s, %v, want %s", in, r.JSON, err, want)
			}
		}
	}
}

// An argument with half of a surrogate pair is refused by its name: it would become another text.
func TestArgumentsHaveNoHalfSurrogates(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"\ud83d\ude00","b":"\\ud800"}`: "",
		`{"a":"x","b":["\ud83d"]}`:           "b: must be valid UTF-8, without half of a surrogate pair",
		`{"b":"\udc00\ud800"}`:               "b: must be valid UTF-8, without half of a surrogate pair",
	} {
		got := ""
		if _, err := ParseArguments(json.RawMessage(in)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}
