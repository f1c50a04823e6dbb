package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"

	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// client is the panel's view of the product, with a hub or without. It writes
// no log: a panel is on the screen.
func (w *world) client() status.Client {
	return daemon.Client(w.connecting(slog.New(slog.NewTextHandler(io.Discard, nil))))
}

// controlClient speaks HTTP to the running hub's control socket. There is no
// deadline: a call takes what the hub's limits allow.
func (w *world) controlClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return loopnet.DialSocket(ctx, w.hubPaths().Control())
		},
	}}
}
