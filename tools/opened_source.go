package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
)

// An OpenedSource is an open source with its type parameters erased: what the hub,
// `lectern call` and scripts call. Its methods may be used from any goroutine
// until Close; after it they answer Unavailable.
type OpenedSource struct {
	source    Source
	name      string
	closed    atomic.Bool
	tools     map[string]func(context.Context, CallContext, json.RawMessage) (Result, error)
	resources []boundResource
	prompts   map[string]boundPrompt
	pages     boundPages
}

type boundResource struct {
	info     ResourceInfo
	read     func(ctx context.Context, uri string, vars map[string]string) (Content, error)
	complete func(ctx context.Context, variable, prefix string) ([]string, error)
}

type boundPrompt struct {
	info     PromptInfo
	get      func(ctx context.Context, args map[string]string) ([]Message, error)
	complete func(ctx context.Context, argument, prefix string) ([]string, error)
}

func (k *erasedSystem[S, C]) bind(src S, name string) *OpenedSource {
	o := &OpenedSource{source: src, name: name, tools: map[string]func(context.Context, CallContext, json.RawMessage) (Result, error){}, prompts: map[string]boundPrompt{}, pages: k.bindPages(src)}
	for _, t := range k.system.Tools {
		o.tools[t.info.Name] = func(ctx context.Context, c CallContext, args json.RawMessage) (Result, error) {
			return t.call(ctx, src, c, args)
		}
	}
	for i, r := range k.system.Resources {
		open := boundResource{info: k.manifest.Resources[i].ForSource(name)}
		open.read = func(ctx context.Context, uri string, vars map[string]string) (Content, error) {
			return r.Read(src, ctx, uri, vars)
		}
		if r.Complete != nil {
			open.complete = func(ctx context.Context, variable, prefix string) ([]string, error) {
				return r.Complete(src, ctx, variable, prefix)
			}
		}
		o.resources = append(o.resources, open)
	}
	for i, p := range k.system.Prompts {
		open := boundPrompt{info: k.manifest.Prompts[i]}
		open.get = func(ctx context.Context, args map[string]string) ([]Message, error) { return p.Get(src, ctx, args) }
		if p.Complete != nil {
			open.complete = func(ctx context.Context, argument, prefix string) ([]string, error) {
				return p.Complete(src, ctx, argument, prefix)
			}
		}
		o.prompts[p.Name] = open
	}
	return o
}

// Close closes the source. It does not wait for calls: who has made some, sees
// them through first. Closing twice is no error.
func (o *OpenedSource) Close() error {
	if o.closed.Swap(true) {
		return nil
	}
	return o.source.Close()
}

// checkOpen is nil until Close, and then the error of every other method.
func (o *OpenedSource) checkOpen() error {
	if o.closed.Load() {
		return Errorf(Unavailable, "the source %s is closed", o.name).WithHint("Call again in a moment.")
	}
	return nil
}

// Check is [Source].Check.
func (o *OpenedSource) Check(ctx context.Context) error {
	if err := o.checkOpen(); err != nil {
		return err
	}
	return o.source.Check(ctx)
}

// Call runs a tool by its name in the System. Arguments are checked before
// the tool sees them; empty args mean none.
func (o *OpenedSource) Call(ctx context.Context, c CallContext, tool string, args json.RawMessage) (Result, error) {
	if err := o.checkOpen(); err != nil {
		return Result{}, err
	}
	call, ok := o.tools[tool]
	if !ok {
		return Result{}, Errorf(NotFound, "no tool named %s", tool)
	}
	return call(ctx, c, args)
}

// Restorer is the source's end of taking Changes back; nil: the System has none.
func (o *OpenedSource) Restorer() Restorer {
	k, _ := o.source.(Restorer)
	return k
}

// HidesChange is [ChangeFilter].Hides; of a source that is none, true.
func (o *OpenedSource) HidesChange(ctx context.Context, c Change) (bool, error) {
	if err := o.checkOpen(); err != nil {
		return true, err
	}
	if h, ok := o.source.(ChangeFilter); ok {
		return h.HidesChange(ctx, c)
	}
	return true, nil
}

// maxURI is the longest URI that Read looks at, in bytes.
const maxURI = 8 << 10

// Read answers the resource at uri. A URI that no resource of the System
// matches is NotFound, and so is one of more than 8 KB.
func (o *OpenedSource) Read(ctx context.Context, uri string) (Content, error) {
	if err := o.checkOpen(); err != nil {
		return Content{}, err
	}
	if len(uri) > maxURI {
		return Content{}, Errorf(NotFound, "no resource has a URI of %d bytes", len(uri))
	}
	for _, r := range o.resources {
		vars, ok := r.info.match(uri)
		if !ok {
			continue
		}
		c, err := r.read(ctx, uri, vars)
		if err != nil {
			return Content{}, err
		}
		c.Kind, c.URI = Embedded, uri
		if c.MIME == "" {
			c.MIME = r.info.MIME
		}
		return c, nil
	}
	return Content{}, Errorf(NotFound, "no resource at %.200s", uri)
}

// Prompt renders a prompt.
func (o *OpenedSource) Prompt(ctx context.Context, name string, args map[string]string) ([]Message, error) {
	if err := o.checkOpen(); err != nil {
		return nil, err
	}
	p, ok := o.prompts[name]
	if !ok {
		return nil, Errorf(NotFound, "no prompt named %s", name)
	}
	for _, a := range p.info.Arguments {
		if _, given := args[a.Name]; a.Required && !given {
			return nil, Errorf(Invalid, "missing argument %s", a.Name)
		}
	}
	return p.get(ctx, args)
}

// Complete proposes values of an argument of a prompt, or of a variable of a
// resource template as published; ref is the prompt's name or the template.
// What is not known has no proposals.
func (o *OpenedSource) Complete(ctx context.Context, ref, argument, prefix string) ([]string, error) {
	if err := o.checkOpen(); err != nil {
		return nil, err
	}
	if p, ok := o.prompts[ref]; ok && p.complete != nil {
		return limitCompletions(p.complete(ctx, argument, prefix))
	}
	for _, r := range o.resources {
		if r.info.URI == ref && r.complete != nil {
			return limitCompletions(r.complete(ctx, argument, prefix))
		}
	}
	return nil, nil
}

// limitCompletions holds the bound that MCP sets for completions.
func limitCompletions(values []string, err error) ([]string, error) {
	if err != nil {
		return nil, fmt.Errorf("complete: %w", err)
	}
	return values[:min(len(values), 100)], nil
}
