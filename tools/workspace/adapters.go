package workspace

import (
	"context"
	"io"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// The contract passes the source first, as to a method; what stands in no method,
// because it is about one command, check or prompt, takes the context first.

func check(
	look func(context.Context, *Workspaces, tools.Doctor) status.Check,
) func(*Workspaces, context.Context, tools.Doctor) status.Check {
	return func(w *Workspaces, ctx context.Context, d tools.Doctor) status.Check { return look(ctx, w, d) }
}

type commandFunc = func(*Workspaces, context.Context, tools.CommandCall, io.Writer) error

func command(run func(context.Context, *Workspaces, tools.CommandCall, io.Writer) error) commandFunc {
	return func(w *Workspaces, ctx context.Context, call tools.CommandCall, out io.Writer) error {
		return run(ctx, w, call, out)
	}
}

func completion(
	propose func(context.Context, *Workspaces, string, string) []string,
) func(*Workspaces, context.Context, string, string) []string {
	return func(w *Workspaces, ctx context.Context, argument, prefix string) []string {
		return propose(ctx, w, argument, prefix)
	}
}

func prompt(
	get func(context.Context, *Workspaces, map[string]string) ([]tools.Message, error),
) func(*Workspaces, context.Context, map[string]string) ([]tools.Message, error) {
	return func(w *Workspaces, ctx context.Context, args map[string]string) ([]tools.Message, error) {
		return get(ctx, w, args)
	}
}

type targetsFunc = func(*Workspaces, context.Context, map[string]string) ([]string, error)

func targets(find func(context.Context, *Workspaces, map[string]string) ([]string, error)) targetsFunc {
	return func(w *Workspaces, ctx context.Context, vars map[string]string) ([]string, error) {
		return find(ctx, w, vars)
	}
}
