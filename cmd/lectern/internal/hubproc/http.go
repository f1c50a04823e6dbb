package hubproc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// portRetryInterval is how often the hub tries a taken port again: what PortTaken says.
const portRetryInterval = 30 * time.Second

// A webServer is the HTTP side of a hub. It may start late, when its port was
// taken; everything else works without it.
type webServer struct {
	mu     sync.Mutex
	server *http.Server
	bound  int // 0: not listening
	work   sync.WaitGroup
}

func (w *webServer) port() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bound
}

// close ends HTTP at once; agents' calls have ended by then.
func (w *webServer) close() error {
	w.mu.Lock()
	server := w.server
	w.mu.Unlock()
	var err error
	if server != nil {
		err = server.Close()
	}
	w.work.Wait()
	return err
}

// startHTTPServer serves HTTP on port. While another program has the port it shows that
// and tries again, until ctx ends. It never uses another port: agents have this
// one in their configuration.
func (h *hubProcess) startHTTPServer(ctx context.Context, port int) {
	token, err := loopnet.LoadOrCreateToken(h.Paths.SharedClientToken())
	if err != nil {
		h.log.Error("open client token", "component", "http", "err", err)
		p := problems.ClientTokenRefused.New(problems.HubComponent, status.Args{"why": err.Error()})
		p.Action = &status.Action{Verb: status.RestartHub}
		h.raiseProblem(p)
		return
	}
	h.web.startWithRetry(ctx, func() bool { return h.tryServeHTTP(ctx, port, token) })
}

// startWithRetry calls start until it reports that it serves, or ctx ends.
func (w *webServer) startWithRetry(ctx context.Context, start func() bool) {
	if start() {
		return
	}
	w.work.Go(func() {
		tick := time.NewTicker(portRetryInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if start() {
				return
			}
		}
	})
}

// serveInBackground serves a listener until close.
func (w *webServer) serveInBackground(server *http.Server, port int, log *slog.Logger, serve func() error) {
	w.mu.Lock()
	w.server, w.bound = server, port
	w.mu.Unlock()
	w.work.Go(func() {
		if err := serve(); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.Error("serve HTTP", "component", "http", "err", err)
		}
	})
}

// tryServeHTTP reports whether it got the port.
func (h *hubProcess) tryServeHTTP(ctx context.Context, port int, token loopnet.Token) bool {
	l, err := loopnet.ListenTCP(ctx, port)
	if err != nil {
		h.reportPortTaken(port, err)
		return false
	}
	h.clearProblem(problems.PortTaken)
	server := loopnet.NewServer(h.routes(port, token), h.log)
	endpoint := fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
	h.state.Update(func(s *status.Snapshot) { s.Hub.Endpoint, s.Snippets = endpoint, h.snippets(endpoint) })
	h.log.Info("listening", "component", "http", "address", l.Addr().String())
	h.web.serveInBackground(server, port, h.log, func() error { return server.Serve(l) })
	return true
}

func (h *hubProcess) reportPortTaken(port int, err error) {
	why := fmt.Sprintf("cannot listen on port %d: %v", port, err)
	if e, ok := errors.AsType[*loopnet.PortTaken](err); ok {
		why = e.Error()
	}
	h.log.Warn("port is taken", "component", "http", "port", port, "err", err)
	h.raiseProblem(problems.PortTaken.New(problems.HubComponent, status.Args{"why": why, "file": h.Paths.File()}))
}

// maxMCPBodyBytes bounds the body of one MCP request in bytes.
const maxMCPBodyBytes = 4 << 20

// routes is everything that HTTP serves, behind the guard. A route that is not
// in the guard's table does not exist.
func (h *hubProcess) routes(port int, token loopnet.Token) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", h.hub.MCP().HTTP())
	mux.Handle("/mcp/", h.hub.MCP().HTTP())
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n")) // the client went away
	})
	mux.Handle("/", h.hub.Routes())
	plugin := h.plugins.addRoutes(mux)
	mcp := mcpRouteTemplate()
	all, one := mcp, mcp
	all.Path, one.Path = "/mcp", mcpSourcePathPrefix
	return loopnet.Guard(loopnet.GuardConfig{
		Port: port, Log: h.log.With("component", "http"), Authorize: h.newAuthorizer(token), Lookup: h.hub.Routes().Lookup,
		Routes: append(plugin, all, one, loopnet.Route{Path: "/healthz", Methods: []string{http.MethodGet}, NoToken: true}),
	}, mux)
}

// mcpSourcePathPrefix is where every source is served alone over MCP, by its name.
const mcpSourcePathPrefix = "/mcp/"

// mcpRouteTemplate is what may be requested over MCP, of no path yet.
func mcpRouteTemplate() loopnet.Route {
	return loopnet.Route{Methods: []string{http.MethodGet, http.MethodPost, http.MethodDelete}, Stream: true, MaxBody: maxMCPBodyBytes}
}

// clientPrincipalPrefix marks principals of HTTP requests with a client's own token.
const clientPrincipalPrefix = "client:"

// newAuthorizer accepts the token that all clients share, and clients' own tokens.
func (h *hubProcess) newAuthorizer(shared loopnet.Token) func(bearer string) (string, bool) {
	return func(bearer string) (string, bool) {
		if shared.Matches(bearer) {
			return "client", true
		}
		return h.authorizeClientToken(bearer)
	}
}

// authorizeClientToken accepts clients' own tokens only.
func (h *hubProcess) authorizeClientToken(bearer string) (string, bool) {
	name := h.Paths.ClientTokens().Owner(bearer)
	h.seen.RecordConnected(name)
	return clientPrincipalPrefix + name, name != ""
}

// provenClient is the client that a request comes from by its token, or "".
func provenClient(r *http.Request) string {
	name, ok := strings.CutPrefix(loopnet.RequestPrincipal(r), clientPrincipalPrefix)
	if !ok {
		return ""
	}
	return name
}
