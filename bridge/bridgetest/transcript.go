package bridgetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// A step is one section of a transcript.
type step struct {
	verb  string // the first word of the section's name
	conn  string // the second: which connection; "1" when there is none
	lines []string
}

func (s step) String() string { return s.verb + " " + s.conn }

// The verbs of transcripts. Every line of a section is one JSON value, but for
// wait, which has a duration.
//
//	server N   frames that the server sends, in order
//	plugin N   frames that the plugin sends
//	close N    the server ends connection N: {"code":4001}
//	cut N      the line is cut
//	call       somebody calls: {"call":"a","method":"m","in":{},"again":true,"graph":"","timeout_ms":0}
//	give-up    and no longer wants the answer: {"call":"a"}
//	outcome    what the caller gets: {"call":"a","out":{}} or {"call":"a","code":"timeout","word":"","unsure":true}
//	wait       nothing happens for so long
//	played-by  plugin: what follows can only be played against a plugin
//
// A string in a frame that starts with $ is a name: the first frame of the
// other end that has it says what it stands for. $server_nonce, $plugin_nonce,
// $server_proof and $plugin_proof mean what they say, on each connection for
// itself; $wrong_proof is any other proof. "jsonrpc" is left out.
var verbs = map[string]bool{
	"server": true, "plugin": true, "close": true, "cut": true, "call": true,
	"give-up": true, "outcome": true, "wait": true, "played-by": true,
}

func readTranscript(t *testing.T, file string) []step {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var steps []step
	for _, section := range txtar.Parse(text).Files {
		s := step{conn: "1"}
		verb, conn, numbered := strings.Cut(section.Name, " ")
		if s.verb = verb; numbered {
			s.conn = conn
		}
		if !verbs[s.verb] {
			t.Fatalf("%s: section %q: no such verb", file, section.Name)
		}
		for line := range bytes.Lines(section.Data) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				s.lines = append(s.lines, string(line))
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// names are what the placeholders of a transcript stand for.
type names map[string]string

// fill replaces the names in v by their values.
func (n names) fill(v any) (any, error) {
	switch v := v.(type) {
	case string:
		if !strings.HasPrefix(v, "$") {
			return v, nil
		}
		if value, ok := n[v]; ok {
			return value, nil
		}
		return nil, fmt.Errorf("%s has no value yet", v)
	case map[string]any:
		for key := range v {
			filled, err := n.fill(v[key])
			if err != nil {
				return nil, err
			}
			v[key] = filled
		}
	case []any:
		for i := range v {
			filled, err := n.fill(v[i])
			if err != nil {
				return nil, err
			}
			v[i] = filled
		}
	}
	return v, nil
}

// learn compares got with want, whose names take their values from got, and
// returns want with the names replaced.
func (n names) learn(want, got any) any {
	switch want := want.(type) {
	case string:
		if !strings.HasPrefix(want, "$") {
			return want
		}
		if _, known := n[want]; !known {
			if value, ok := got.(string); ok {
				n[want] = value
			}
		}
		return n[want]
	case map[string]any:
		there, _ := got.(map[string]any)
		for key := range want {
			want[key] = n.learn(want[key], there[key])
		}
	case []any:
		there, _ := got.([]any)
		for i := range want {
			var one any
			if i < len(there) {
				one = there[i]
			}
			want[i] = n.learn(want[i], one)
		}
	}
	return want
}

func decode(t *testing.T, line string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		t.Fatalf("transcript: %v in %s", err, line)
	}
	return v
}
