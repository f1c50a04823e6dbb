package statustest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// desk is what a Fake has for a person.
type desk struct {
	tools    []status.Tool
	checks   []status.Check
	settings []status.Setting
	result   json.RawMessage
	refused  error
	asked    []Asked
}

// Asked is one question that a Fake's Desk or Shelf was asked.
type Asked struct {
	What   string // "tools", "call", "check", "pages", "page" or "search"
	Source string // of a call, of pages; the scope of tools
	Name   string // the tool, the client of tools, the prefix of a check, the page, the query
	Args   string // of a call
}

// SetTools makes list what Tools answers, for every scope and client.
func (f *Fake) SetTools(list ...status.Tool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.tools = list
}

// SetSettings makes list what Settings answers.
func (f *Fake) SetSettings(list ...status.Setting) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.settings = list
}

// SetChecks makes list all the checks that there are.
func (f *Fake) SetChecks(list ...status.Check) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.checks = list
}

// SetResult makes result what Call answers, or refused when it is not nil.
func (f *Fake) SetResult(result json.RawMessage, refused error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.result, f.desk.refused = result, refused
}

// Asked returns what Desk and Shelf were asked, Settings aside, oldest first.
func (f *Fake) Asked() []Asked {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.desk.asked)
}

// Tools implements status.Desk.
func (f *Fake) Tools(_ context.Context, scope, client string) ([]status.Tool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.asked = append(f.desk.asked, Asked{What: "tools", Source: scope, Name: client})
	return append([]status.Tool{}, f.desk.tools...), f.err
}

// Call implements status.Desk.
func (f *Fake) Call(_ context.Context, source, tool string, args json.RawMessage) (json.RawMessage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.asked = append(f.desk.asked, Asked{What: "call", Source: source, Name: tool, Args: string(args)})
	switch {
	case f.err != nil:
		return nil, f.err
	case f.desk.refused != nil:
		return nil, f.desk.refused
	case f.desk.result == nil:
		return json.RawMessage("{}"), nil
	}
	return slices.Clone(f.desk.result), nil
}

// Check implements status.Desk.
func (f *Fake) Check(ctx context.Context, prefix string) (<-chan status.Check, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.desk.asked = append(f.desk.asked, Asked{What: "check", Name: prefix})
	if f.err != nil {
		return nil, f.err
	}
	checks := slices.DeleteFunc(slices.Clone(f.desk.checks), func(c status.Check) bool { return !strings.HasPrefix(c.Name, prefix) })
	return handOut(ctx, checks), nil
}

// handOut delivers all until ctx ends.
func handOut[T any](ctx context.Context, all []T) <-chan T {
	ch := make(chan T)
	go func() {
		defer close(ch)
		for _, v := range all {
			select {
			case ch <- v:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}

// Settings implements status.Desk.
func (f *Fake) Settings(context.Context) ([]status.Setting, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]status.Setting{}, f.desk.settings...), f.err
}
