package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Spec declares a tool with input In and output Out. Both are structs; the
// json tag names an argument, `omitempty` makes it optional and the jsonschema
// tag describes it in plain prose. Constraints live on named types ([Typed]).
type Spec[In, Out any] struct {
	// Name is the specification's name, unique within the System. The hub
	// prefixes it with the System's name where a session exposes several.
	Name string
	// Title is a few words for people.
	Title string
	// Doc is for the agent: the first line is a summary that ends in a full
	// stop, the rest says when to use the tool and what comes back.
	Doc    string
	Effect Effect
	// Errors lists the codes the tool may return, besides Invalid, Denied,
	// Unavailable, Limited, Timeout and Internal, which any tool may.
	Errors   []Code
	Examples []Example[In, Out]
	// Hits reads what was found off an answer. A tool that has it is the search
	// of its System: `{"query": ...}` is all that it needs to be called. Nil: it
	// is none.
	Hits func(Out) []Hit
}

// An Example is shown in SKILL.md and executed, in order, by the suite.
type Example[In, Out any] struct {
	Purpose string // completes "To ..."
	In      In
	// Want is compared with the answer, unless Loose says that only the call's
	// success counts, as where an answer holds an id or a time.
	Want      Out
	AnyAnswer bool
}

// A Tool is a Spec bound to a method of the source type S.
type Tool[S Source] struct {
	info ToolInfo
	call func(context.Context, S, CallContext, json.RawMessage) (Result, error)
}

// Info is the tool's declaration.
func (t Tool[S]) Info() ToolInfo { return t.info }

// Call runs the tool on src, with the same checks of its arguments as a call
// by an agent: for a tool that is made of others.
func (t Tool[S]) Call(ctx context.Context, src S, c CallContext, args json.RawMessage) (Result, error) {
	return t.call(ctx, src, c, args)
}

// ToolInfo is the part of a tool that is pure data. Its bytes as JSON are the
// same from run to run.
type ToolInfo struct {
	Name   string             `json:"name"`
	Title  string             `json:"title"`
	Doc    string             `json:"description"`
	Effect Effect             `json:"effect"`
	In     *jsonschema.Schema `json:"inputSchema"`
	Out    *jsonschema.Schema `json:"outputSchema"`
	// Answer is Out before the System's error object was admitted to it: what a
	// successful call answers. It is for documents and not published.
	Answer   *jsonschema.Schema `json:"-"`
	Errors   []Code             `json:"errors"`
	Examples []ExampleInfo      `json:"examples,omitempty"`
	// Hits is [Spec].Hits for an answer as JSON. Nil: the tool is no search.
	Hits func(answer json.RawMessage) ([]Hit, error) `json:"-"`
}

// ExampleInfo is an Example after marshalling.
type ExampleInfo struct {
	Purpose   string          `json:"why"`
	In        json.RawMessage `json:"in"`
	Want      json.RawMessage `json:"want"`
	AnyAnswer bool            `json:"loose,omitempty"`
}

// A Result is what a successful call answers: Out as JSON, written once, and
// the content blocks that Out brings along if it is [ContentProvider].
type Result struct {
	JSON    json.RawMessage
	Content []Content // nil: the JSON is the text
}

// Size is what the result costs in bytes: its JSON and its content blocks.
func (r Result) Size() int {
	n := len(r.JSON)
	for _, c := range r.Content {
		n += len(c.Text) + len(c.Data)
	}
	return n
}

// Define binds spec to a method expression such as (*Vault).ReadPage. It
// panics on a declaration that cannot be published: declarations are package
// variables, so the mistake shows in the first test run.
func Define[S Source, In, Out any](spec Spec[In, Out], method func(S, context.Context, In) (Out, error)) Tool[S] {
	return DefineWithContext(spec, func(s S, ctx context.Context, _ CallContext, in In) (Out, error) { return method(s, ctx, in) })
}

// DefineWithContext is [Define] for a method that also wants the [CallContext], to report
// progress while it works.
func DefineWithContext[S Source, In, Out any](spec Spec[In, Out], method func(S, context.Context, CallContext, In) (Out, error)) Tool[S] {
	in, out := inferSchema[In](), inferSchema[Out]()
	for what, s := range map[string]*jsonschema.Schema{"input": in, "output": out} {
		if s.Type != "object" {
			panic(fmt.Sprintf("tools: %s: %s must be a struct", spec.Name, what))
		}
	}
	info := ToolInfo{
		Name: spec.Name, Title: spec.Title, Doc: spec.Doc, Effect: spec.Effect,
		In: in, Out: out, Answer: out, Errors: append([]Code{}, spec.Errors...),
	}
	for _, x := range spec.Examples {
		info.Examples = append(info.Examples, ExampleInfo{x.Purpose, mustJSON(x.In), mustJSON(noNilSlices(x.Want)), x.AnyAnswer})
	}
	if spec.Hits != nil {
		info.Hits = func(answer json.RawMessage) ([]Hit, error) {
			var out Out
			if err := json.Unmarshal(answer, &out); err != nil {
				return nil, fmt.Errorf("read answer of %s: %w", spec.Name, err)
			}
			return spec.Hits(out), nil
		}
		if !slices.Equal(in.Required, []string{"query"}) {
			panic(fmt.Sprintf("tools: %s: a search needs its query and nothing else", spec.Name))
		}
	}
	call := func(ctx context.Context, src S, c CallContext, raw json.RawMessage) (Result, error) {
		var v In
		if err := decodeArguments(in, raw, &v); err != nil {
			return Result{}, err
		}
		out, err := method(src, ctx, c, v)
		if err != nil {
			return Result{}, err
		}
		return newResult(out)
	}
	return Tool[S]{info, call}
}

func newResult[Out any](out Out) (Result, error) {
	b, err := json.Marshal(noNilSlices(out))
	if err != nil {
		return Result{}, fmt.Errorf("marshal result: %w", err)
	}
	r := Result{JSON: b}
	if rich, ok := any(out).(ContentProvider); ok {
		r.Content = rich.Content()
	}
	return r, nil
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("tools: %v", err))
	}
	return b
}
