package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
)

// An OpenedSource is an open source without its type parameters, as the hub and
// `lectern call` use it. Its methods may be called from any goroutine. After
// Close they return Unavailable.
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

// Close closes the source. It does not wait for running calls; the caller does
// that first. Closing twice is not an error.
func (o *OpenedSource) Close() error {
	if o.closed.Swap(true) {
		return nil
	}
	return o.source.Close()
}

// checkOpen returns the error of every method after Close.
func (o *OpenedSource) checkOpen() error {
	if o.closed.Load() {
		return Errorf(Unavailable, "the source %s is closed", o.name).WithHint("Call again in a moment.")
	}
	return nil
}

// Check calls [Source].Check.
func (o *OpenedSource) Check(ctx context.Context) error {
	if err := o.checkOpen(); err != nil {
		return err
	}
	return o.source.Check(ctx)
}

// Call runs a tool. Its arguments are checked first; empty args mean none.
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

// Restorer is the source as a [Restorer]; nil if its System cannot undo.
func (o *OpenedSource) Restorer() Restorer {
	k, _ := o.source.(Restorer)
	return k
}

// HidesChange calls [ChangeFilter].HidesChange; without a filter every Change is
// hidden.
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

// Read reads the resource at uri. A URI that matches no resource of the System,
// or has more than 8 KB, is NotFound.
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

// Complete proposes values for an argument of a prompt, or for a variable of a
// resource template; ref is the prompt's name or the template as published. An
// unknown ref or argument has no proposals.
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

// limitCompletions keeps the limit that MCP sets.
func limitCompletions(values []string, err error) ([]string, error) {
	if err != nil {
		return nil, fmt.Errorf("complete: %w", err)
	}
	return values[:min(len(values), 100)], nil
}
