package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// An argumentChecker is an input with rules that its schema cannot express.
type argumentChecker interface{ check() error }

// define declares a tool that reads. Calls are refused while the connected
// Logseq lacks one of the capabilities.
func define[In, Out any](spec tools.Spec[In, Out], method func(*Graph, context.Context, In) (Out, error), capabilities ...string) tools.Tool[*Graph] {
	spec.Errors = commonErrors()
	return tools.Define(spec, func(g *Graph, ctx context.Context, in In) (out Out, err error) {
		if err := checkCall(g, in, capabilities); err != nil {
			return out, err
		}
		return method(g, ctx, in)
	})
}

// defineWrite declares a tool that writes. Its method runs while no other
// write does.
func defineWrite[In, Out any](spec tools.Spec[In, Out], method func(*Graph, context.Context, tools.CallContext, In) (Out, error), capabilities ...string) tools.Tool[*Graph] {
	spec.Errors = commonErrors()
	return tools.DefineWithContext(spec, func(g *Graph, ctx context.Context, c tools.CallContext, in In) (out Out, err error) {
		if err := checkCall(g, in, capabilities); err != nil {
			return out, err
		}
		unlock, err := g.lockWrites(ctx)
		if err != nil {
			return out, err
		}
		defer unlock()
		return method(g, ctx, c, in)
	})
}

func checkCall(g *Graph, in any, capabilities []string) error {
	for _, key := range capabilities {
		if err := g.requireCapability(key); err != nil {
			return err
		}
	}
	if in, ok := in.(argumentChecker); ok {
		return in.check()
	}
	return nil
}

// commonErrors are the codes that a call to Logseq may end with, besides those
// that any tool may answer.
func commonErrors() []tools.Code { return []tools.Code{tools.NotFound, tools.Conflict} }
