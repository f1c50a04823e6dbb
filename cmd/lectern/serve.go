package main

import (
	"context"
	"net"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/supervisor/shim"
	"github.com/lectern-mcp/lectern/tools/doc"
)

func serveCommand(w *world) *cobra.Command {
	var standalone bool
	c := &cobra.Command{
		Use:   "serve [NAME]",
		Short: "Serve one MCP client over stdin and stdout",
		Long: "Serve one MCP client over stdin and stdout: all sources, or the one named. MCP\n" +
			"clients run this. The hub is found or started, and shared by all clients; the\n" +
			"client stays connected when the hub restarts.\n\n" +
			"With --standalone everything runs in this one process, as containers want it. So\n" +
			"it does when MIRROR_DIR is set: then this client gets the Markdown folder that it\n" +
			"names and nothing else, and TENANT_ID chooses the tenant's directory inside.",
		Args:              needs(0, 1, "at most the name of one source"),
		ValidArgsFunction: w.completeSource,
		RunE: func(c *cobra.Command, args []string) error {
			scope := ""
			if len(args) > 0 {
				scope = args[0]
			}
			if standalone || w.env("MIRROR_DIR") != "" {
				return w.serveAlone(c.Context(), scope)
			}
			return w.serve(c.Context(), scope)
		},
	}
	c.Flags().BoolVar(&standalone, "standalone", false, "run everything in this process, without a hub")
	return c
}

// shimGC is the garbage collector's pace while copying frames, in percent of
// what lives, in place of its 100. There is a shim for every client and hardly
// anything lives in one; the collector would let 4 MB of frames pile up that
// were passed on, now 2 MB. Nothing got slower. The hub keeps the usual pace:
// there is one, and its answers are worth 2 MB. GOGC overrides both.
const shimGC = 50

// serve copies frames between the client and the hub.
func (w *world) serve(ctx context.Context, scope string) error {
	if w.env("GOGC") == "" {
		debug.SetGCPercent(shimGC)
	}
	log := w.stderrLog()
	connect := func(start daemon.StartPolicy) func(context.Context) (net.Conn, error) {
		to := w.connecting(log)
		to.Scope, to.Start, to.Token = scope, start, w.env(clientTokenEnv)
		return func(ctx context.Context) (net.Conn, error) {
			conn, _, err := daemon.Connect(ctx, to)
			return conn, err
		}
	}
	return shim.Run(ctx, shim.Config{
		In: w.in, Out: w.out, Log: log, Parent: shim.WatchParent(ctx),
		Connect: connect(daemon.StartAlways), Look: connect(daemon.StartLost),
	})
}

// serveAlone is a hub for one client, in this process: no lock, no socket, no
// port.
func (w *world) serveAlone(ctx context.Context, scope string) error {
	var sources []hub.Source
	var keeps *journal.Journal // nil: a folder of a container keeps none
	log := w.stderrLog()
	conf := config.Default("", config.Schema{})
	if dir := w.env("MIRROR_DIR"); dir != "" {
		sources = []hub.Source{w.mirror(dir, w.env("TENANT_ID"))}
	} else {
		var err error
		if conf, err = w.config(); err != nil {
			return err
		}
		sources = w.sources(conf)
		if sources[0].Sample {
			if err := w.laySample(); err != nil {
				return err
			}
		}
		keeps = w.newJournal(conf, log)
		defer keeps.Close() //nolint:errcheck // what it could not write it has logged
	}
	h := hub.New(hub.Config{
		Kinds: w.kinds(), Sources: sources, Limits: limitsOf(conf.Limits), Policy: policyOf(conf), NoDataMarker: !conf.Hub.Mark,
		Journal: keeps, OwnChanges: conf.Hub.OwnChanges,
		Version: lecternVersion, Skill: doc.SkillVersion, Log: log, Now: w.now,
	})
	defer h.Close() //nolint:errcheck // a source that does not close has logged it
	if err := h.Start(ctx); err != nil {
		return err
	}
	return h.MCP().ServeStream(ctx, w.in, w.out, mcp.Attach{Scope: scope, Transport: status.Stdio, Proven: w.proven(w.env(clientTokenEnv))})
}
