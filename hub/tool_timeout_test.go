package hub_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/tools"
)

type slowSource struct{}

func (slowSource) Close() error                { return nil }
func (slowSource) Check(context.Context) error { return nil }

type slowIn struct{}

type slowOut struct {
	Done bool `json:"done" jsonschema:"whether it is done"`
}

// A tool that declares a timeout has that instead of the hub's, be it longer or
// shorter.
func TestToolTimeout(t *testing.T) {
	wait := func(name string, timeout time.Duration) tools.Tool[slowSource] {
		return tools.Define(tools.Spec[slowIn, slowOut]{Name: name, Title: name, Doc: "Waits.", Effect: tools.Reads, Timeout: timeout},
			func(_ slowSource, ctx context.Context, _ slowIn) (slowOut, error) {
				select {
				case <-time.After(45 * time.Second):
					return slowOut{true}, nil
				case <-ctx.Done():
					return slowOut{}, ctx.Err()
				}
			})
	}
	kind := tools.Erase(tools.System[slowSource, struct{}]{
		Name: "slow", Title: "Slow", Doc: "Waits.",
		Open:  func(context.Context, struct{}, tools.Env) (slowSource, error) { return slowSource{}, nil },
		Tools: []tools.Tool[slowSource]{wait("usual", 0), wait("short", time.Second), wait("long", time.Minute)},
	})
	synctest.Test(t, func(t *testing.T) {
		h := startWith(t, hub.Config{Systems: []tools.Kind{kind}, Sources: []hub.Source{{Name: "slow", Kind: "slow"}}})
		for _, c := range []struct {
			tool   string
			waited time.Duration
			code   tools.Code
		}{{"usual", 30 * time.Second, tools.Timeout}, {"short", time.Second, tools.Timeout}, {"long", 45 * time.Second, ""}} {
			began := time.Now()
			_, err := h.PersonAPI().Call(t.Context(), "slow", c.tool, nil)
			code := tools.Code("")
			if e := tools.AsError(err); e != nil {
				code = e.Code
			}
			if waited := time.Since(began); waited != c.waited || code != c.code {
				t.Errorf("%s: %q after %s, want %q after %s", c.tool, code, waited, c.code, c.waited)
			}
		}
	})
}
