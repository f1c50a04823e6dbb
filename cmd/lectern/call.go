package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func callCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "call SOURCE TOOL [JSON|-]",
		Short: "Call a tool as an agent would",
		Long: "Call a tool as an agent would: the same grants, limits and audit hold. The hub is\n" +
			"started when none runs. The answer is JSON on stdout. Arguments are a JSON\n" +
			"object; - reads it from stdin.",
		Example:           "  lectern call welcome search_pages '{\"query\": \"agent\"}'",
		Args:              needs(2, 3, "a source, a tool and its arguments as JSON"),
		ValidArgsFunction: w.completeCall,
		RunE: func(c *cobra.Command, args []string) error {
			var in json.RawMessage
			if len(args) == 3 {
				var err error
				if in, err = w.arguments(args[2]); err != nil {
					return err
				}
			}
			return w.call(c.Context(), args[0], args[1], in)
		},
	}
}

// arguments reads the JSON that a person typed or piped in.
func (w *world) arguments(text string) (json.RawMessage, error) {
	from, raw := "the argument", []byte(text)
	if text == "-" {
		var err error
		if raw, err = io.ReadAll(io.LimitReader(w.in, callMax+1)); err != nil {
			return nil, fmt.Errorf("read stdin: %w", err)
		}
		from = "stdin"
	}
	if len(raw) > callMax {
		return nil, usagef("%s has more than %d bytes", from, callMax)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		at := ""
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = fmt.Sprintf(" at byte %d", e.Offset)
		}
		return nil, usagef("%s is not JSON%s: %v; write an object, such as '{\"limit\": 5}'", from, at, err)
	}
	return raw, nil
}

func (w *world) call(ctx context.Context, source, tool string, args json.RawMessage) error {
	conn, _, err := daemon.Connect(ctx, w.connecting(w.stderrLog())) // starts the hub, and holds it while we ask
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // nothing was written to it
	answer, err := status.Ask(ctx, w.client(nil), status.RunToolQuery, status.ToolCall{Source: source, Tool: tool, Args: args})
	if e, ok := errors.AsType[*status.CallError](err); ok {
		w.note("lectern: %s: %s\n", e.Code, safetext.Of(e.Msg))
		if e.Hint != "" {
			w.note("%s\n", safetext.Of(e.Hint))
		}
		return &exitError{code: exitOf(err)}
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, answer, "", "  "); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	b.WriteByte('\n')
	if w.onTerminal() {
		_, err = io.WriteString(w.out, string(safetext.Of(b.String())))
	} else {
		_, err = b.WriteTo(w.out)
	}
	return err
}

// completeCall proposes sources, and then the tools of the one that was named.
func (w *world) completeCall(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return w.completeSource(c, args, prefix)
	}
	conf, err := w.config()
	if err != nil || len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, s := range w.sources(conf) {
		for _, k := range w.kinds() {
			if s.Name != args[0] || k.Manifest().Name != s.Kind {
				continue
			}
			for _, t := range k.Manifest().Tools {
				names = append(names, t.Name)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
