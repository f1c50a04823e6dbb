package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func callCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "call SOURCE [TOOL [JSON|-]]",
		Short: "Call a tool as an agent would",
		Long: "Call a tool as an agent would: the same grants and limits apply, and the call is\n" +
			"recorded. You are not asked before a write, as you are by default when an agent makes\n" +
			"it, because you make the call yourself. The hub is started if none is running.\n" +
			"Arguments are a JSON object; with - they are read from stdin. The result is printed as\n" +
			"JSON. Without TOOL the tools are listed.",
		Example:           "  lectern call welcome search_pages '{\"query\": \"agent\"}'",
		Args:              requireArgumentCount(1, 3, "a source, a tool and the tool's arguments as JSON"),
		ValidArgsFunction: newCompletionFunc(c.completeCallArguments),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := c.checkSourceNames(args[0]); err != nil {
					return err
				}
				return c.listTools(cmd.Context(), args, "", false)
			}
			var in json.RawMessage
			if len(args) == 3 {
				var err error
				if in, err = readToolArguments(args[2], c.in); err != nil {
					return err
				}
			}
			return callTool(cmd.Context(), c, args[0], args[1], in)
		},
	}
}

// maxToolArgumentsBytes bounds the arguments of one call in bytes.
const maxToolArgumentsBytes = 4 << 20

// readToolArguments reads the JSON that a person typed; "-" means stdin.
func readToolArguments(typed string, stdin io.Reader) (json.RawMessage, error) {
	from, raw := "the argument", []byte(typed)
	if typed == "-" {
		var err error
		if raw, err = io.ReadAll(io.LimitReader(stdin, maxToolArgumentsBytes+1)); err != nil {
			return nil, fmt.Errorf("read stdin: %w", err)
		}
		from = "stdin"
	}
	if len(raw) > maxToolArgumentsBytes {
		return nil, usageErrorf("%s is larger than %d bytes", from, maxToolArgumentsBytes)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		at := ""
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = fmt.Sprintf(" at byte %d", e.Offset)
		}
		return nil, usageErrorf("%s is not valid JSON%s: %v; write an object, such as '{\"limit\": 5}'", from, at, err)
	}
	return raw, nil
}

func callTool(ctx context.Context, c *cli, source, tool string, args json.RawMessage) error {
	conn, _, err := c.connectToHub(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // nothing was written to it
	answer, err := status.Ask(ctx, c.hub().API(), status.RunToolQuery, status.ToolCall{Source: source, Tool: tool, Args: args})
	if e, ok := errors.AsType[*status.CallError](err); ok {
		return c.reportCallError(e)
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, answer, "", "  "); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	b.WriteByte('\n')
	if c.hasScreen() {
		_, err = io.WriteString(c.out, string(sanitizeText(b.String())))
	} else {
		_, err = b.WriteTo(c.out)
	}
	return err
}

// reportCallError prints why a call failed, and what to do.
func (c *cli) reportCallError(e *status.CallError) error {
	c.warnf("lectern: %s: %s\n", e.Code, sanitizeText(e.Msg))
	if e.Hint != "" {
		c.warnf("%s\n", sanitizeText(e.Hint))
	}
	if _, broken := c.Config(); broken != nil && e.Code == string(tools.NotFound) {
		c.warnf("The hub serves no source that it could not read, because the configuration is broken:\n%s\n", sanitizeText(broken.Error()))
	}
	return &exitError{code: exitCodeFor(e)}
}

// completeCallArguments proposes sources, and then the tools of the named source.
func (c *cli) completeCallArguments(args []string) (names []string) {
	if len(args) == 0 {
		return c.completeSourceName(args)
	}
	conf, err := c.Config()
	if err != nil || len(args) > 1 {
		return nil
	}
	for _, s := range c.Sources(conf) {
		for _, k := range c.Systems() {
			if s.Name == args[0] && k.Manifest().Name == s.Kind {
				names = append(names, toolNames(k)...)
			}
		}
	}
	return names
}
