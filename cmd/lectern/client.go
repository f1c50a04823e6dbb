package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// client is the panel's view of the product, with a hub or without. It writes
// no log: a panel is on the screen. A tender knows why no hub runs; nil: there
// is none.
func (w *world) client(t *tender) status.Client {
	to := w.connecting(slog.New(slog.DiscardHandler))
	to.Offline = func() status.Snapshot {
		s := w.offline()
		if t != nil {
			t.tell(&s)
		}
		return s
	}
	if t == nil {
		return daemon.Client(to)
	}
	to.Ended = t.ended
	return tended{daemon.Client(to), t}
}

// offline is what the configuration alone tells: what a hub would open.
func (w *world) offline() status.Snapshot {
	s := status.Snapshot{
		Hub:     status.Hub{Config: w.places.File()},
		Sources: []status.Source{}, Sessions: []status.Session{}, Peers: []status.Peer{}, Problems: []status.Problem{}, Approvals: []status.Approval{}, Outcomes: []status.ApprovalOutcome{},
		Snippets: w.snippets(""),
	}
	conf, err := w.config()
	if err != nil {
		s.Problems = append(s.Problems, w.brokenConfig(err))
		return s
	}
	for _, src := range w.sources(conf) {
		s.Sources = append(s.Sources, status.Source{
			Component: status.Component{Name: src.Name, State: status.Stopped}, Kind: src.Kind, Place: src.Place,
			ReadOnly: src.ReadOnly, Effects: []string{}, Sample: src.Sample,
		})
	}
	return s
}

// controlClient speaks HTTP to the running hub's control socket. There is no
// deadline: the hub's limits hold.
func (w *world) controlClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return loopnet.DialSocket(ctx, w.hubPaths().Control())
		},
	}}
}
