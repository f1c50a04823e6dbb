package tools

import (
	"context"
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
	tools     map[string]boundTool
	checks    []boundCheck
	commands  map[string]boundCommand
	draft     func(ctx context.Context) (*OpenedSource, error) // nil: no Drafter
	resources []boundResource
	prompts   map[string]boundPrompt
	pages     boundPages
}

type boundResource struct {
	info     ResourceInfo
	read     func(ctx context.Context, uri string, vars map[string]string) (Content, error)
	targets  func(ctx context.Context, vars map[string]string) ([]string, error) // nil: it does not tell
	complete func(ctx context.Context, variable, prefix string) ([]string, error)
}

type boundPrompt struct {
	info     PromptInfo
	get      func(ctx context.Context, args map[string]string) ([]Message, error)
	targets  func(ctx context.Context, args map[string]string) ([]string, error) // nil: it does not tell
	complete func(ctx context.Context, argument, prefix string) ([]string, error)
}

func (k *erasedSystem[S, C]) bind(src S, name string) *OpenedSource {
	o := &OpenedSource{
		source: src, name: name, pages: k.bindPages(src),
		tools: map[string]boundTool{}, prompts: map[string]boundPrompt{}, commands: map[string]boundCommand{},
	}
	for _, t := range k.system.Tools {
		o.tools[t.info.Name] = t.bind(src)
	}
	k.bindCommands(o, src)
	k.bindResources(o, src)
	k.bindPrompts(o, src)
	if d, ok := any(src).(Drafter); ok {
		o.draft = func(ctx context.Context) (*OpenedSource, error) { return k.bindDraft(ctx, d, name) }
	}
	return o
}

func (k *erasedSystem[S, C]) bindDraft(ctx context.Context, d Drafter, name string) (*OpenedSource, error) {
	drafted, err := d.Draft(ctx)
	if err != nil {
		return nil, err
	}
	same, ok := drafted.(S)
	if !ok {
		return nil, Errorf(Internal, "the draft of source %s is a %T", name, drafted)
	}
	return k.bind(same, name), nil
}

func (k *erasedSystem[S, C]) bindResources(o *OpenedSource, src S) {
	for i, r := range k.system.Resources {
		open := boundResource{info: k.manifest.Resources[i].ForSource(o.name)}
		open.read = func(ctx context.Context, uri string, vars map[string]string) (Content, error) {
			return r.Read(src, ctx, uri, vars)
		}
		if r.Targets != nil {
			open.targets = func(ctx context.Context, vars map[string]string) ([]string, error) { return r.Targets(src, ctx, vars) }
		}
		if r.Complete != nil {
			open.complete = func(ctx context.Context, variable, prefix string) ([]string, error) {
				return r.Complete(src, ctx, variable, prefix)
			}
		}
		o.resources = append(o.resources, open)
	}
}

func (k *erasedSystem[S, C]) bindPrompts(o *OpenedSource, src S) {
	for i, p := range k.system.Prompts {
		open := boundPrompt{info: k.manifest.Prompts[i]}
		open.get = func(ctx context.Context, args map[string]string) ([]Message, error) { return p.Get(src, ctx, args) }
		if p.Targets != nil {
			open.targets = func(ctx context.Context, args map[string]string) ([]string, error) { return p.Targets(src, ctx, args) }
		}
		if p.Complete != nil {
			open.complete = func(ctx context.Context, argument, prefix string) ([]string, error) {
				return p.Complete(src, ctx, argument, prefix)
			}
		}
		o.prompts[p.Name] = open
	}
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

// As returns the opened source as a T that tools must not know, such as an
// http.Handler; false if it is none, and after Close.
func As[T any](o *OpenedSource) (as T, ok bool) {
	as, ok = o.source.(T)
	return as, ok && !o.closed.Load()
}

// Draft opens a draft of the source: see [Drafter]. It returns Denied if the
// source has none.
func (o *OpenedSource) Draft(ctx context.Context) (*OpenedSource, error) {
	if err := o.checkOpen(); err != nil {
		return nil, err
	}
	if o.draft == nil {
		return nil, Errorf(Denied, "several writes to source %s cannot be planned together", o.name).WithHint("Make one call at a time.")
	}
	return o.draft(ctx)
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

// ResourceTargets is what reading the resource at uri would touch; nil: its System
// does not tell, or cannot.
func (o *OpenedSource) ResourceTargets(ctx context.Context, uri string) []string {
	if o.checkOpen() != nil || len(uri) > maxURI {
		return nil
	}
	for _, r := range o.resources {
		if vars, ok := r.info.match(uri); ok {
			return knownTargets(ctx, r.targets, vars)
		}
	}
	return nil
}

// PromptTargets is what rendering a prompt would touch; nil: its System does not
// tell, or cannot.
func (o *OpenedSource) PromptTargets(ctx context.Context, name string, args map[string]string) []string {
	if o.checkOpen() != nil {
		return nil
	}
	return knownTargets(ctx, o.prompts[name].targets, args)
}

func knownTargets(
	ctx context.Context, targets func(context.Context, map[string]string) ([]string, error), args map[string]string,
) []string {
	if targets == nil {
		return nil
	}
	names, err := targets(ctx, args)
	if err != nil {
		return nil
	}
	return names[:min(len(names), maxTargets)]
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
