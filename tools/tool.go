package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

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
	// Additive promises that a call only adds: no text that was there is lost, and what
	// exists is refused or left as it is. Clients ask less about such a tool.
	Additive bool
	// Errors lists the codes the tool may return, besides Invalid, Denied,
	// Unavailable, Limited, Timeout and Internal, which any tool may.
	Errors   []Code
	Examples []Example[In, Out]
	// Hits returns the search results in an answer. A tool with Hits is the
	// search of its System: it takes query, and requires nothing else. Nil: the
	// tool is not a search.
	Hits func(Out) []Hit
	// HitTotal is how many results there are in all, with those that are not in the
	// answer. Nil: that is not known.
	HitTotal func(Out) int
	// Redact returns an answer without what it shows of the pages that are covered,
	// and says in a note of the answer that something is left out. A tool that shows
	// parts of many pages has it, so that rules by path hold for them.
	Redact func(out Out, covered func(page string) bool) Out
	// Timeout of one call; time that it waits for a person is not counted. 0:
	// the hub's; at most 10 minutes.
	Timeout time.Duration
	// Computes reports whether a call keeps a processor busy for long, as a script does.
	// The hub has few such calls run at a time, and its own deadline holds for a tool that
	// has them, if that is shorter than Timeout. Nil: no call does.
	Computes func(In) bool
	// Calls means that the tool calls others by [CallContext].Call: it is
	// rehearsed as a whole on drafts, asked about once with everything that it
	// changes, carried out as shown or not at all, and undone as one.
	Calls bool
	// Unlisted keeps the tool out of every agent's list: it is for routes and
	// for tools that call others.
	Unlisted bool
	// Normalize rewrites arguments in other spellings, which are taken but not
	// published, to those that In declares, before they are checked. Nil: there are
	// no others.
	Normalize func(args map[string]any) error
	// Selects are the arguments that select what a call is about, or name what it makes:
	// empty text and blanks are refused there, and do not mean that the argument is left
	// out. Those within others are written patch.find. Nil: none does.
	Selects []string
	// OptIn keeps the tool out of agents' lists, which cost every request, until a
	// source's configuration names it in tools. Tools that call others may call it.
	OptIn bool
	// Roles that may call it; nil: every role. To others it does not exist.
	Roles []string
	// NoNotes promises that no answer holds anything from notes: it is about the
	// source itself, so it is not marked as the data of others.
	NoNotes bool
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
	call    func(context.Context, S, CallContext, Arguments) (Result, error)
	targets func(context.Context, S, json.RawMessage) ([]string, error) // nil: WithTargets was not used
	*declaration
}

// Info is the tool's declaration.
func (t Tool[S]) Info() ToolInfo { return t.info }

// Call runs the tool on src and checks its arguments as for a call by an agent.
// It is for tools that call other tools.
func (t Tool[S]) Call(ctx context.Context, src S, c CallContext, args json.RawMessage) (Result, error) {
	return t.call(ctx, src, c, Arguments{JSON: args})
}

// Targets is what a call with these arguments would touch, as [WithTargets] says; an
// error means that this is not known. It is for tools that call other tools.
func (t Tool[S]) Targets(ctx context.Context, src S, args json.RawMessage) ([]string, error) {
	if t.targets == nil {
		return nil, Errorf(Internal, "%s does not tell what it touches", t.info.Name)
	}
	return t.targets(ctx, src, args)
}

type boundTool struct {
	call    func(context.Context, CallContext, Arguments) (Result, error)
	targets func(context.Context, json.RawMessage) ([]string, error) // nil: not known
}

func (t Tool[S]) bind(src S) boundTool {
	bound := boundTool{call: func(ctx context.Context, c CallContext, args Arguments) (Result, error) {
		return t.call(ctx, src, c, args)
	}}
	if t.targets != nil {
		bound.targets = func(ctx context.Context, args json.RawMessage) ([]string, error) { return t.targets(ctx, src, args) }
	}
	return bound
}

// Call runs a tool. Its arguments are checked first; empty args mean none.
func (o *OpenedSource) Call(ctx context.Context, c CallContext, tool string, args json.RawMessage) (Result, error) {
	return o.CallWithArguments(ctx, c, tool, Arguments{JSON: args})
}

// CallWithArguments is Call with arguments whose value may be known.
func (o *OpenedSource) CallWithArguments(ctx context.Context, c CallContext, tool string, args Arguments) (Result, error) {
	if err := o.checkOpen(); err != nil {
		return Result{}, err
	}
	t, ok := o.tools[tool]
	if !ok {
		return Result{}, Errorf(NotFound, "no tool named %.80s", tool)
	}
	return t.call(ctx, c, args)
}

// Targets is what a call of the tool would touch; known is false if its tool
// does not tell, or cannot.
func (o *OpenedSource) Targets(ctx context.Context, tool string, args json.RawMessage) (targets []string, known bool) {
	t := o.tools[tool]
	if t.targets == nil || o.checkOpen() != nil {
		return nil, false
	}
	targets, err := t.targets(ctx, args)
	return targets, err == nil
}

// ToolInfo is the part of a tool that is pure data. Its JSON is the same from run
// to run.
type ToolInfo struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Doc    string `json:"description"`
	Effect Effect `json:"effect"`
	// Additive is [Spec].Additive.
	Additive bool               `json:"additive,omitempty"`
	In       *jsonschema.Schema `json:"inputSchema"`
	Out      *jsonschema.Schema `json:"outputSchema"`
	// Accepted is In as arguments are checked: it has no type where any JSON is taken, and
	// a minimum length where [Spec].Selects refuses empty text. It is not published.
	Accepted *jsonschema.Schema `json:"-"`
	// ReadMeaning returns arguments, which it leaves alone, in the spelling and the forms of
	// In, and whether they were in another: a number for "3", nothing for null. What is
	// wrong with them otherwise is told by the call.
	ReadMeaning func(args map[string]any) (meant map[string]any, changed bool, err error) `json:"-"`
	// Answer is Out without the System's error object, as documents show it. It
	// is not published.
	Answer   *jsonschema.Schema `json:"-"`
	Errors   []Code             `json:"errors"`
	Examples []ExampleInfo      `json:"examples,omitempty"`
	// Hits is [Spec].Hits for an answer as JSON. Nil: the tool is not a search.
	Hits func(answer json.RawMessage) ([]Hit, error) `json:"-"`
	// Computes is [Spec].Computes for arguments as they were given; nil: no call does.
	Computes func(args json.RawMessage) bool `json:"-"`
	// Redact is [Spec].Redact for an answer as it was given; nil: the tool has none.
	Redact   func(answer Result, covered func(page string) bool) (Result, error) `json:"-"`
	Timeout  time.Duration                                                       `json:"timeout_ns,omitempty"`
	Calls    bool                                                                `json:"calls,omitempty"`
	Unlisted bool                                                                `json:"unlisted,omitempty"`
	OptIn    bool                                                                `json:"opt_in,omitempty"`
	Roles    []string                                                            `json:"roles,omitempty"`
	// NoNotes is [Spec].NoNotes.
	NoNotes bool `json:"-"`
	// LeavesMachine: calls go to another machine, as the configuration of its source says.
	LeavesMachine bool `json:"-"`
	// HasTargets: the tool tells what a call touches before it is made, and with
	// TargetsInAnswer its answer tells it too.
	HasTargets, TargetsInAnswer bool `json:"-"`
}

// AllowsRole reports whether callers with this role may call the tool.
func (t ToolInfo) AllowsRole(role string) bool {
	return len(t.Roles) == 0 || slices.Contains(t.Roles, role)
}

// DryRunArgument is the optional argument of a tool that writes with which it only
// tells what it would do: dry_run, or dryRun where its specification writes names so;
// empty: it has none.
func (t ToolInfo) DryRunArgument() string {
	for _, name := range []string{"dry_run", "dryRun"} {
		if t.In.Properties[name] != nil {
			return name
		}
	}
	return ""
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
	// Detail is what an [AuditProvider] adds to the audit line; nil: nothing. No
	// agent sees it.
	Detail json.RawMessage
	// Targets is what a [TargetProvider] says; nil: nothing. No agent sees it.
	Targets []string
	// Hits is how many search results are in it; nil: the tool is not a search.
	Hits *int
	// HitTotal is how many results there are in all, if that is more.
	HitTotal int
	// NoNotes says that nothing in it is from notes, see [Spec].NoNotes.
	NoNotes bool
	// Out is what JSON was made of, if it is a [JSONProvider]; else nil. A tool that
	// called this one need not read the JSON.
	Out any
}

// A JSONProvider is an output that holds JSON already, which is not written once more, or
// such an input of a tool that another one calls.
type JSONProvider interface {
	// AppendJSON appends it as JSON: what [PlainJSON] would make of it.
	AppendJSON([]byte) []byte
}

// A TargetProvider is an output that says what the call touched, as [WithTargets]
// does: a call that rules by path do not need to judge before it is made is then
// spared to look for it twice.
type TargetProvider interface {
	Targets() []string
}

// An AuditProvider is an output with facts for the audit that the agent does not
// get: for a script its hash, fuel and memory. They hold ids, sizes and digests,
// never content. The cause of an [Error] may be one too.
type AuditProvider interface {
	AuditDetails() map[string]any
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
	d := readSpec(&spec)
	call := func(ctx context.Context, src S, c CallContext, args Arguments) (Result, error) {
		in, known := args.Input.(In)
		if !known {
			if err := d.readArguments(args.JSON, &in); err != nil {
				return Result{}, err
			}
		}
		out, err := method(src, ctx, c, in)
		if err != nil {
			return Result{}, err
		}
		return d.newResult(out)
	}
	return Tool[S]{call: call, declaration: d}
}

// addExample adds an example, which has the types of the tool.
func (t *ToolInfo) addExample(purpose string, in, want any, anyAnswer bool) {
	t.Examples = append(t.Examples, ExampleInfo{purpose, mustJSON(in), mustJSON(noNilSlices(want)), anyAnswer})
}

// setSchemas completes a declaration by its types. It panics if the declaration
// cannot be published.
func (t *ToolInfo) setSchemas(in, out reflect.Type, selectors []string) {
	t.Accepted, t.Answer = inferNullable(in), inferSchema(out)
	t.In, t.Out = publishInput(t.Accepted), publishOutput(t.Answer)
	for what, s := range map[string]*jsonschema.Schema{"input": t.In, "output": t.Out} {
		if s.Type != "object" {
			panic(fmt.Sprintf("tools: %s: %s must be a struct", t.Name, what))
		}
	}
	if t.Timeout < 0 || t.Timeout > maxTimeout {
		panic(fmt.Sprintf("tools: %s: a timeout is at most %s", t.Name, maxTimeout))
	}
	if err := markSelectors(t.Accepted, selectors); err != nil {
		panic(fmt.Sprintf("tools: %s: %v", t.Name, err))
	}
	required := func(name string) bool { return name != "query" }
	if t.Hits != nil && (t.In.Properties["query"] == nil || slices.ContainsFunc(t.In.Required, required)) {
		panic(fmt.Sprintf("tools: %s: a search takes query, and requires nothing else", t.Name))
	}
}

// readArguments reads the arguments of a call into what in points to.
func (d *declaration) readArguments(raw json.RawMessage, in any) error {
	object, verbatim, err := d.parseMeaning(raw)
	if err != nil {
		return err
	}
	if !isReadVerbatim(reflect.TypeOf(in).Elem()) {
		verbatim = nil
	}
	return decodeObject(d.info.Accepted, object, verbatim, in)
}

// parseMeaning is what arguments mean; verbatim is nil unless raw says that as it is.
func (d *declaration) parseMeaning(raw json.RawMessage) (meant map[string]any, verbatim json.RawMessage, err error) {
	args, err := ParseArguments(raw)
	if err != nil {
		return nil, nil, err
	}
	meant, changed, err := d.readMeaning(args)
	if trimmed := bytes.TrimSpace(raw); err == nil && !changed && len(trimmed) > 0 && trimmed[0] == '{' {
		verbatim = raw
	}
	return meant, verbatim, err
}

// readAnswer reads an answer of a tool into what answer points to.
func readAnswer(tool string, raw json.RawMessage, answer any) error {
	if err := json.Unmarshal(raw, answer); err != nil {
		return fmt.Errorf("read answer of %s: %w", tool, err)
	}
	return nil
}

const maxTimeout = 10 * time.Minute

// maxTargets is how many targets of a call are kept.
const maxTargets = 100

// WithTargets adds to a tool how to find out what a call touches: pages, blocks,
// headlines, cards, named as in [Change].Target. Rules by path are decided by
// them before the call is made, and the audit keeps them. It reads little and
// quickly. A target that does not exist, or is hidden, is named as it was asked
// for; an error means that the targets are not known. The arguments have not been
// checked, and hold no defaults.
func WithTargets[S Source, In any](t Tool[S], targets func(S, context.Context, In) ([]string, error)) Tool[S] {
	t.info.HasTargets, t.info.TargetsInAnswer = true, t.targetsInAnswer
	t.targets = func(ctx context.Context, src S, raw json.RawMessage) ([]string, error) {
		var v In
		meant, verbatim, err := t.declaration.parseMeaning(raw)
		if err == nil && verbatim == nil {
			verbatim, err = PlainJSON(meant)
		}
		if err == nil {
			err = json.Unmarshal(verbatim, &v) // what is wrong with the arguments is told by the call
		}
		if err != nil {
			return nil, err
		}
		names, err := targets(src, ctx, v)
		return names[:min(len(names), maxTargets)], err
	}
	return t
}

// newResult is what a call of the tool answers.
func (d *declaration) newResult(out any) (Result, error) {
	r, err := newResult(out)
	r.NoNotes = d.info.NoNotes
	if err == nil && d.countHits != nil {
		n, total := d.countHits(out)
		r.Hits = &n
		if total > n {
			r.HitTotal = total
		}
	}
	return r, err
}

func newResult(out any) (r Result, err error) {
	if own, ok := out.(JSONProvider); ok {
		r.JSON, r.Out = repairJSON(own.AppendJSON(nil)), out
	} else if r.JSON, err = PlainJSON(noNilSlices(out)); err != nil {
		return Result{}, fmt.Errorf("marshal result: %w", err)
	}
	if rich, ok := out.(ContentProvider); ok {
		r.Content = rich.Blocks()
	}
	if a, ok := out.(AuditProvider); ok {
		r.Detail = mustJSON(a.AuditDetails())
	}
	if p, ok := out.(TargetProvider); ok {
		r.Targets = p.Targets()
	}
	return r, nil
}

// PlainJSON is v as JSON in which <, > and & stand as they are: an answer is read
// as text, and no browser runs it. Half of a surrogate pair is U+FFFD.
func PlainJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return repairJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("tools: %v", err))
	}
	return b
}
