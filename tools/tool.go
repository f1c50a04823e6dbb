package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Spec declares a tool with input In and output Out. Both are structs: the json
// tag names an argument, `omitempty` makes it optional, and the jsonschema tag
// describes it. Constraints belong to named types ([SchemaProvider]).
type Spec[In, Out any] struct {
	// Name is the specification's name, unique within the System. In a session
	// with several Systems the hub puts the System's name before it.
	Name string
	// Title is a few words for people.
	Title string
	// Doc is for the agent: the first line is a summary that ends in a full
	// stop, the rest says when to use the tool and what it answers.
	Doc    string
	Effect Effect
	// Errors lists the codes the tool may return, besides Invalid, Denied,
	// Unavailable, Limited, Timeout and Internal, which any tool may.
	Errors   []Code
	Examples []Example[In, Out]
	// Hits returns the search results in an answer. A tool with Hits is the
	// search of its System, and query is its only required argument. Nil: the
	// tool is not a search.
	Hits func(Out) []Hit
}

// An Example is shown in SKILL.md, and the suite runs it.
type Example[In, Out any] struct {
	Purpose string // completes "To ..."
	In      In
	Want    Out // the expected answer
	// AnyAnswer means that the answer need not equal Want, as when it holds an
	// id or a time. The call must still succeed.
	AnyAnswer bool
}

// A Tool is a Spec bound to a method of the source type S.
type Tool[S Source] struct {
	info ToolInfo
	call func(context.Context, S, CallContext, json.RawMessage) (Result, error)
}

// Info is the tool's declaration.
func (t Tool[S]) Info() ToolInfo { return t.info }

// Call runs the tool on src and checks its arguments as for a call by an agent.
// It is for tools that call other tools.
func (t Tool[S]) Call(ctx context.Context, src S, c CallContext, args json.RawMessage) (Result, error) {
	return t.call(ctx, src, c, args)
}

// ToolInfo is the part of a tool that is pure data. Its JSON is the same from run
// to run.
type ToolInfo struct {
	Name   string             `json:"name"`
	Title  string             `json:"title"`
	Doc    string             `json:"description"`
	Effect Effect             `json:"effect"`
	In     *jsonschema.Schema `json:"inputSchema"`
	Out    *jsonschema.Schema `json:"outputSchema"`
	// Answer is Out without the System's error object, as documents show it. It
	// is not published.
	Answer   *jsonschema.Schema `json:"-"`
	Errors   []Code             `json:"errors"`
	Examples []ExampleInfo      `json:"examples,omitempty"`
	// Hits is [Spec].Hits for an answer as JSON. Nil: the tool is not a search.
	Hits func(answer json.RawMessage) ([]Hit, error) `json:"-"`
}

// ExampleInfo is an Example after marshalling.
type ExampleInfo struct {
	Purpose   string          `json:"why"`
	In        json.RawMessage `json:"in"`
	Want      json.RawMessage `json:"want"`
	AnyAnswer bool            `json:"loose,omitempty"`
}

// A Result is the answer of a successful call: Out as JSON, and its content
// blocks if it is a [ContentProvider].
type Result struct {
	JSON    json.RawMessage
	Content []Content // nil: the JSON is also the text
}

// Size is the number of bytes in the JSON and the content blocks.
func (r Result) Size() int {
	n := len(r.JSON)
	for _, c := range r.Content {
		n += len(c.Text) + len(c.Data)
	}
	return n
}

// Define binds spec to a method expression such as (*Vault).ReadPage. It panics
// if the declaration cannot be published, so the mistake shows in the first
// test run.
func Define[S Source, In, Out any](spec Spec[In, Out], method func(S, context.Context, In) (Out, error)) Tool[S] {
	return DefineWithContext(spec, func(s S, ctx context.Context, _ CallContext, in In) (Out, error) { return method(s, ctx, in) })
}

// DefineWithContext is [Define] for a method that needs the [CallContext], to
// report progress or to announce what it is about to write.
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
			panic(fmt.Sprintf("tools: %s: a search requires query and nothing else", spec.Name))
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
