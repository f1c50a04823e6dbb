package hubproc

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// startRemoteServer serves other machines as [listen] of the configuration says. It
// shows why it cannot and tries again, until ctx ends.
func (h *hubProcess) startRemoteServer(ctx context.Context, conf config.Listen) {
	h.remote.startWithRetry(ctx, func() bool {
		if err := h.tryServeRemote(ctx, conf); err != nil {
			h.log.Warn("the second listener does not start", "component", "http", "address", conf.Address, "err", err)
			h.raiseProblem(problems.ListenStopped.New(problems.HubComponent, status.Args{"why": err.Error()}))
			return false
		}
		h.clearProblem(problems.ListenStopped)
		return true
	})
}

func (h *hubProcess) tryServeRemote(ctx context.Context, conf config.Listen) error {
	served := h.sources(h.conf)
	for _, name := range conf.Sources {
		if !slices.ContainsFunc(served, func(s app.Source) bool { return s.Name == name }) {
			return fmt.Errorf("listen.sources names %s, which is not a source of this hub: correct the configuration and restart the hub", name)
		}
	}
	remote, err := loopnet.ParseRemote(conf.Hosts, conf.Allow)
	if err != nil {
		return err
	}
	certificate, err := loopnet.LoadCertificate(conf.TLSCert, conf.TLSKey)
	if err != nil {
		return err
	}
	l, err := remote.Listen(ctx, conf.Address)
	if err != nil {
		return err
	}
	port := l.Addr().(*net.TCPAddr).Port
	server := loopnet.NewServer(h.remoteRoutes(conf, remote, port), h.log)
	remote.SetTLS(server, func() *tls.Certificate {
		now, err := certificate.Current()
		if err != nil {
			h.log.Error("read the renewed certificate; the one before is still used", "component", "http", "err", err)
		}
		return now
	})
	h.remote.serveInBackground(server, port, h.log, func() error { return server.ServeTLS(l, "", "") })
	at := "https://" + conf.Hosts[0] + ":" + strconv.Itoa(port)
	h.state.Update(func(s *status.Snapshot) { s.Hub.Remote = at })
	h.log.Info("listening for other machines", "component", "http", "address", l.Addr().String(), "sources", conf.Sources, "allow", conf.Allow)
	return nil
}

// remoteRoutes is everything that other machines are served, behind a guard of
// their own: routes of the named sources, and their MCP. The token that all
// clients share opens nothing there.
func (h *hubProcess) remoteRoutes(conf config.Listen, remote *loopnet.Remote, port int) http.Handler {
	mux, sources := http.NewServeMux(), h.hub.Routes().ForSources(conf.Sources)
	mux.Handle("/", sources)
	var table []loopnet.Route
	if conf.MCP {
		mux.Handle(mcpSourcePathPrefix, h.hub.MCP().HTTP())
		for _, name := range conf.Sources {
			one := mcpRouteTemplate()
			one.Path = mcpSourcePathPrefix + name
			table = append(table, one)
		}
	}
	return loopnet.Guard(loopnet.GuardConfig{
		Port: port, Remote: remote, Routes: table, Lookup: sources.Lookup, Authorize: h.authorizeClientToken,
		Log: h.log.With("component", "http"),
	}, mux)
}
