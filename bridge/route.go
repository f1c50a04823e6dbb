package bridge

import (
	"net/http"

	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// The paths of the two transports.
const (
	pathSocket = "/plugin"
	pathPoll   = "/plugin/poll"
)

// maxPollBody bounds the body of a poll: the largest frame, as much again of
// others, and what stands around them.
func (b *Bridge) maxPollBody() int64 { return 2*int64(b.limits.Frame) + 64<<10 }

// Routes is what a loopnet.Guard has to let through to [Bridge.Handler]. The
// routes are open because a page cannot send a bearer with a WebSocket: the
// hello authenticates instead.
func (b *Bridge) Routes() []loopnet.Route {
	return []loopnet.Route{
		{Path: pathSocket, Methods: []string{http.MethodGet}, NoToken: true, AllowOrigin: b.AllowsOrigin},
		{
			Path: pathPoll, Methods: []string{http.MethodPost}, NoToken: true, AllowOrigin: b.AllowsOrigin,
			MaxBody: b.maxPollBody(),
		},
	}
}

// Handler serves the [Bridge.Routes]. It checks no Host and no
// Sec-Fetch-Site: wrap it in a loopnet.Guard.
func (b *Bridge) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathSocket, b.serveSocket)
	mux.HandleFunc("POST "+pathPoll, b.servePoll)
	return mux
}
