package hubproc

import (
	"context"
	"io"
	"log/slog"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
)

// ServeStandalone is a hub for one client in this process: no lock, no socket,
// no port. scope names the sources to serve, separated by commas; empty: all.
// token proves the client's name; empty: it is only claimed.
func ServeStandalone(ctx context.Context, a *app.App, scope, token string, in io.Reader, out io.Writer, log *slog.Logger) error {
	if err := a.CheckEnvironment(); err != nil {
		return err
	}
	conf := config.Default("", config.Schema{})
	var changes *journal.Journal // nil: the folder of a container has none
	var trail *audit.Trail       // nil: there is none, as above, or it cannot be written
	sources := a.EnvironmentSources()
	if len(sources) == 0 {
		var err error
		if conf, err = a.Config(); err != nil {
			return err
		}
		sources = a.Sources(conf)
		if err := writeSample(sources); err != nil {
			return err
		}
		changes = newJournal(a, conf, log)
		defer changes.Close() //nolint:errcheck // what it could not write is in the log
		if trail, err = openAuditTrail(ctx, a); err != nil {
			log.Error("calls are not recorded", "component", "audit", "err", err)
		} else {
			defer closeAuditTrail(trail, log)
		}
	}
	c := newHubConfig(a, conf, changes, log)
	c.Sources, c.Unattended = toHubSources(sources), true
	c.Policy = app.NewPolicy(conf, sources)
	for _, s := range sources {
		if effects, ask, _ := s.GrantedEffects(); s.Variable != "" && len(effects) > 1 {
			log.Warn("source from the environment", "source", s.Name, "variable", s.Variable, "agents", policy.DescribeEffects(effects, ask),
				"to_narrow", "LECTERN_ALLOW=read")
		}
	}
	h := hub.New(c)
	defer h.Close() //nolint:errcheck // a source that does not close has logged it
	if trail != nil {
		h.Calls().SetTrail(trail)
	}
	if err := h.Start(ctx); err != nil {
		return err
	}
	return h.MCP().ServeStream(ctx, in, out, mcp.ConnectionInfo{
		Scope: scope, Transport: status.Stdio,
		Proven: a.Paths.ClientTokens().Owner(token),
	})
}

func closeAuditTrail(trail *audit.Trail, log *slog.Logger) {
	if err := trail.Close(); err != nil {
		log.Error("the last calls were not recorded", "component", "audit", "err", err)
	}
}
