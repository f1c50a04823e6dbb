package logseq

import (
	"context"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools"
)

// An argumentChecker is an input with rules that its schema cannot express.
type argumentChecker interface{ check() error }

// define declares a tool that reads. Calls are refused while the connected
// Logseq lacks one of the capabilities.
func define[In, Out any](
	spec tools.Spec[In, Out], method func(*Graph, context.Context, In) (Out, error), capabilities ...string,
) tools.Tool[*Graph] {
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
func defineWrite[In, Out any](
	spec tools.Spec[In, Out], method func(*Graph, context.Context, tools.CallContext, In) (Out, error), capabilities ...string,
) tools.Tool[*Graph] {
	spec.Errors = commonErrors()
	t := tools.DefineWithContext(spec, func(g *Graph, ctx context.Context, c tools.CallContext, in In) (out Out, err error) {
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
	return withWriteTargets(t)
}

// readsGraph and writesGraph make methods of functions, of which a Graph has
// enough.
func readsGraph[In, Out any](f func(context.Context, *Graph, In) (Out, error)) func(*Graph, context.Context, In) (Out, error) {
	return func(g *Graph, ctx context.Context, in In) (Out, error) { return f(ctx, g, in) }
}

func writesGraph[In, Out any](
	f func(context.Context, *Graph, tools.CallContext, In) (Out, error),
) func(*Graph, context.Context, tools.CallContext, In) (Out, error) {
	return func(g *Graph, ctx context.Context, c tools.CallContext, in In) (Out, error) { return f(ctx, g, c, in) }
}

func checkCall(g *Graph, in any, capabilities []string) error {
	for _, key := range capabilities {
		if err := g.requireCapability(key); err != nil {
			return err
		}
	}
	if err := checkLengths(in); err != nil {
		return err
	}
	if in, ok := in.(argumentChecker); ok {
		return in.check()
	}
	return nil
}

// A lengthLimited is an argument whose length its schema does not limit,
// because that would cost room in each request of an agent.
type lengthLimited interface{ maxLength() int }

// checkLengths enforces the limits of arguments.
func checkLengths(in any) error {
	v := reflect.ValueOf(in)
	if v.Kind() != reflect.Struct {
		return nil
	}
	for field, value := range v.Fields() {
		argument, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch limited, ok := reflect.TypeAssert[lengthLimited](value); {
		case ok && value.Kind() == reflect.String && utf8.RuneCountInString(value.String()) > limited.maxLength():
			return tools.Errorf(tools.Invalid, "%s: at most %d characters", argument, limited.maxLength())
		case ok && value.Kind() == reflect.Slice && value.Len() > limited.maxLength():
			return tools.Errorf(tools.Invalid, "%s: at most %d entries", argument, limited.maxLength())
		case ok && value.CanInt() && value.Int() > int64(limited.maxLength()):
			return tools.Errorf(tools.Invalid, "%s: at most %d", argument, limited.maxLength())
		}
	}
	return nil
}

// commonErrors are the codes that a call to Logseq may end with, besides those
// that any tool may answer.
func commonErrors() []tools.Code { return []tools.Code{tools.NotFound, tools.Conflict} }
