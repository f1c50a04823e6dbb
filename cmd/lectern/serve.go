package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/hubproc"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/supervisor/shim"
	"github.com/lectern-mcp/lectern/tools"
)

func serveCommand(c *cli) *cobra.Command {
	var standalone bool
	var client string
	cmd := &cobra.Command{
		Use:   "serve [SOURCES]",
		Short: "Serve one MCP client over stdin and stdout",
		Long: "Serve one MCP client over stdin and stdout: all sources, or those named, such as\n" +
			"notes,work. MCP clients run this command. The hub is found or started, and all\n" +
			"clients share it; the client stays connected when the hub restarts.\n\n" +
			"With --client it proves the client's name with the token that `lectern client install`\n" +
			"created; without that token the name is what the client calls itself.\n\n" +
			"With --standalone everything runs in this process, which suits containers. The same\n" +
			"happens if the variables of a source are set; the client then gets only that source.\n\n" +
			"Environment:\n" + environmentHelp(c.Environment()),
		Args:              requireArgumentCount(0, 1, "at most one list of sources"),
		ValidArgsFunction: newCompletionFunc(c.completeSourceName),
		RunE: func(cmd *cobra.Command, args []string) error {
			scope := ""
			if len(args) > 0 {
				scope = args[0]
			}
			if isTerminal(c.in) {
				c.warnf(serveOnTerminalNotice)
			}
			token := c.clientTokenReader(client)
			ctx, cancel := contextUntilHangUp(cmd.Context())
			defer cancel()
			var err error
			if standalone || c.HasEnvironmentSources() {
				err = hubproc.ServeStandalone(ctx, c.App, scope, token(), c.in, c.out, c.stderrLog())
			} else {
				err = serveThroughHub(ctx, c, scope, token)
			}
			if ctx.Err() != nil {
				return nil // told to end
			}
			return err
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "prove the name of this `CLIENT` by its token")
	cmd.Flags().BoolVar(&standalone, "standalone", false, "run everything in this process, without a hub")
	return cmd
}

// serveOnTerminalNotice is for people: clients give this command a pipe.
const serveOnTerminalNotice = "lectern serve speaks MCP with a program and is waiting for its messages. Press Ctrl+C to end it.\n" +
	"To connect a client, run: lectern client install CLIENT\n" +
	"To see what agents do, run: lectern\n"

// clientTokenReader returns a function that reads the token to prove a client's name
// with: the one in the environment, else the one made for the client; empty:
// there is none, and the name is only claimed, which is said once.
func (c *cli) clientTokenReader(client string) func() string {
	if token := c.Getenv(app.ClientTokenEnv); token != "" || client == "" {
		return func() string { return token }
	}
	warn := sync.OnceFunc(func() {
		c.warnf("lectern: %s has no token, so its name is not proven. Run: lectern client install %s\n", client, client)
	})
	return func() string {
		if config.CheckName(client) != nil {
			warn()
			return ""
		}
		token, err := loopnet.LoadToken(c.Paths.ClientTokens().File(client))
		if err != nil {
			warn()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			c.stderrLog().Warn("read client token", "error", err)
		}
		return token.Reveal()
	}
}

// environmentHelp lists the variables that make a source.
func environmentHelp(variables map[string][]tools.EnvironmentVariable) string {
	var lines []string
	for _, kind := range slices.Sorted(maps.Keys(variables)) {
		for _, v := range variables[kind] {
			lines = append(lines, fmt.Sprintf("  %-18s %s", v.Name, v.Doc))
		}
	}
	lines = append(lines, "Beside these:")
	for _, v := range app.EnvironmentVariables() {
		lines = append(lines, fmt.Sprintf("  %-18s %s", v.Name, v.Doc))
	}
	return strings.Join(lines, "\n")
}

// serveThroughHub copies frames between the client and the hub.
func serveThroughHub(ctx context.Context, c *cli, scope string, token func() string) error {
	log := c.stderrLog()
	connect := func(start daemon.StartPolicy) func(context.Context) (net.Conn, error) {
		to := c.HubConnectConfig(log)
		to.Scope, to.Start, to.Probe, to.Relay = scope, start, false, true
		return func(ctx context.Context) (net.Conn, error) {
			to := to
			to.Token = token() // it may have been made or replaced meanwhile
			conn, _, err := daemon.Connect(ctx, to)
			return conn, err
		}
	}
	return shim.Run(ctx, shim.Config{
		In: c.in, Out: c.out, Log: log, Parent: shim.WatchParent(ctx),
		Connect: connect(daemon.StartAlways), Reconnect: connect(daemon.StartReplacement),
	})
}
