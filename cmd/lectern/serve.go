package main

import (
	"context"
	"fmt"
	"maps"
	"net"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/hubproc"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/supervisor/shim"
	"github.com/lectern-mcp/lectern/tools"
)

func serveCommand(c *cli) *cobra.Command {
	var standalone bool
	cmd := &cobra.Command{
		Use:   "serve [SOURCE]",
		Short: "Serve one MCP client over stdin and stdout",
		Long: "Serve one MCP client over stdin and stdout: all sources, or the named one. MCP\n" +
			"clients run this command. The hub is found or started, and all clients share it;\n" +
			"the client stays connected when the hub restarts.\n\n" +
			"With --standalone everything runs in this process, which suits containers. The same\n" +
			"happens when the environment asks for a source: then the client gets only that one.\n\n" +
			"Environment:\n" + environmentHelp(c.Environment()),
		Args:              arguments(0, 1, "at most one source"),
		ValidArgsFunction: completions(c.completeSource),
		RunE: func(cmd *cobra.Command, args []string) error {
			scope := ""
			if len(args) > 0 {
				scope = args[0]
			}
			if standalone || c.HasEnvironmentSources() {
				return hubproc.ServeStandalone(cmd.Context(), c.App, scope, c.in, c.out, c.stderrLog())
			}
			return serveThroughHub(cmd.Context(), c, scope)
		},
	}
	cmd.Flags().BoolVar(&standalone, "standalone", false, "run everything in this process, without a hub")
	return cmd
}

// environmentHelp lists the variables that make a source.
func environmentHelp(variables map[string][]tools.EnvironmentVariable) string {
	var lines []string
	for _, kind := range slices.Sorted(maps.Keys(variables)) {
		for _, v := range variables[kind] {
			lines = append(lines, fmt.Sprintf("  %-12s %s", v.Name, v.Doc))
		}
	}
	return strings.Join(lines, "\n")
}

// shimGC is GOGC while copying frames, in place of 100. Every client has such a
// process, and hardly anything in it lives long: with 100 the collector lets
// 4 MB of garbage pile up, with this 2 MB, and nothing gets slower. The hub
// keeps the usual pace: there is only one. The variable GOGC overrides it.
const shimGC = 50

// serveThroughHub copies frames between the client and the hub.
func serveThroughHub(ctx context.Context, c *cli, scope string) error {
	if c.Getenv("GOGC") == "" {
		debug.SetGCPercent(shimGC)
	}
	log := c.stderrLog()
	connect := func(start daemon.StartPolicy) func(context.Context) (net.Conn, error) {
		to := c.ConnectConfig(log)
		to.Scope, to.Start, to.Token = scope, start, c.Getenv(app.ClientTokenEnv)
		return func(ctx context.Context) (net.Conn, error) {
			conn, _, err := daemon.Connect(ctx, to)
			return conn, err
		}
	}
	return shim.Run(ctx, shim.Config{
		In: c.in, Out: c.out, Log: log, Parent: shim.WatchParent(ctx),
		Connect: connect(daemon.StartAlways), Reconnect: connect(daemon.StartReplacement),
	})
}
