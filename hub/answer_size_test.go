package hub_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

type longIn struct {
	Write   bool `json:"write" jsonschema:"whether it announces a write"`
	Without bool `json:"without,omitempty" jsonschema:"whether it does not make it"`
	Length  int  `json:"length" jsonschema:"of the answer"`
}

type longOut struct {
	Text string   `json:"text" jsonschema:"long"`
	List []string `json:"list" jsonschema:"of many"`
	Done bool     `json:"done" jsonschema:"it was done"`
}

type longSource struct{}

func (longSource) Close() error                { return nil }
func (longSource) Check(context.Context) error { return nil }

func (longSource) answer(ctx context.Context, c tools.CallContext, in longIn) (longOut, error) {
	if in.Write {
		change := tools.Change{Target: "a.md", After: tools.State{Exists: true, Data: []byte("x")}}
		if err := c.BeforeWrite(ctx, change); err != nil {
			return longOut{}, err
		}
		if !in.Without {
			c.ReportWritten(change)
		}
	}
	out := longOut{Done: true}
	for len(out.Text) < in.Length/2 {
		out.Text += "é"
	}
	for range in.Length / 20 {
		out.List = append(out.List, "entry")
	}
	return out, nil
}

// A call that has written never ends in an error about the length of its answer: it says what it
// has written, and that the rest is cut. One that has written nothing is refused.
func TestLongAnswers(t *testing.T) {
	kind := tools.Erase(tools.System[longSource, struct{}]{
		Name: "long", Title: "Long", Doc: "Answers much.",
		Open: func(context.Context, struct{}, tools.Env) (longSource, error) { return longSource{}, nil },
		Tools: []tools.Tool[longSource]{
			tools.DefineWithContext(tools.Spec[longIn, longOut]{Name: "answer", Title: "Answer", Doc: "Answers.", Effect: tools.Writes}, longSource.answer),
		},
	})
	const limit = 2000
	h := startWith(t, hub.Config{
		Systems: []tools.Kind{kind}, Sources: []hub.Source{{Name: "long", Kind: "long"}}, Limits: hub.Limits{Answer: limit},
		Policy: policy.New([]policy.Grant{{Effects: tools.Effects()}}, nil),
	})
	c := connect(t, h, "")
	initialize(c, `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}`)
	call := func(args string) (r hubtest.CallResult) {
		t.Helper()
		if err := json.Unmarshal(c.Ask("tools/call", `{"name":"answer","arguments":`+args+`}`).Result, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, args := range []string{`{"write":false,"length":5000}`, `{"write":true,"without":true,"length":5000}`} {
		if r := call(args); !r.IsError {
			t.Errorf("a long answer of a call that wrote nothing: %+v", r)
		}
	}
	if r := call(`{"write":true,"length":500}`); r.IsError || strings.Contains(r.Content[0].Text, "are cut") {
		t.Errorf("an answer that fits: %+v", r)
	}
	for _, length := range []string{"5000", "100000"} {
		r := call(`{"write":true,"length":` + length + `}`)
		if r.IsError || !strings.Contains(r.Content[0].Text, "it wrote a.md") || !strings.Contains(r.Content[0].Text, "are cut") {
			t.Fatalf("a long answer of a call that wrote: %+v", r)
		}
		var out longOut
		if err := json.Unmarshal(r.Structured, &out); err != nil || !out.Done || len(out.Text) == 0 || len(out.List) == 0 {
			t.Errorf("%s is left of the answer (%v)", r.Structured, err)
		}
		if size := len(r.Structured) + len(r.Content[0].Text); size > limit {
			t.Errorf("the cut answer has %d bytes", size)
		}
	}
}
