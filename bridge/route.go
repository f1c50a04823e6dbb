package bridge

import (
	"net/http"

	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// Paths of the two transports.
const (
	pathSocket = "/plugin"
	pathPoll   = "/plugin/poll"
)

// maxPollBody bounds the body of a poll: the largest frame, as much again for
// others, and the JSON around them.
func (b *Bridge) maxPollBody() int64 { return 2*int64(b.limits.Frame) + 64<<10 }

// Routes returns what a loopnet.Guard must let through to [Bridge.Handler].
// They need no bearer token, because a page cannot send one with a WebSocket;
// the handshake authenticates instead.
func (b *Bridge) Routes() []loopnet.Route {
	return []loopnet.Route{
		{Path: pathSocket, Methods: []string{http.MethodGet}, NoToken: true, AllowOrigin: b.AllowsOrigin},
		{
			Path: pathPoll, Methods: []string{http.MethodPost}, NoToken: true, AllowOrigin: b.AllowsOrigin,
			MaxBody: b.maxPollBody(),
		},
	}
}

// Handler serves the [Bridge.Routes]. It checks neither Host nor
// Sec-Fetch-Site: wrap it in a loopnet.Guard.
func (b *Bridge) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathSocket, b.serveSocket)
	mux.HandleFunc("POST "+pathPoll, b.servePoll)
	return mux
}
