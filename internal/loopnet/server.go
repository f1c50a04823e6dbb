package loopnet

import (
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits says how long a server of ours waits for a client, and for how many. A
// zero field takes the default given with it.
type Limits struct {
	Header      time.Duration // for a request's header to be complete: 5 s
	Body        time.Duration // for a whole request to be complete: 30 s
	Write       time.Duration // for an answer to make progress: 30 s
	Idle        time.Duration // between two requests of one connection: 2 min
	HeaderBytes int           // of one request: 64 KiB
	Connections int           // open at one time: 512
}

// NewServer makes a server that no client can hold up: every wait for one ends
// by the default Limits.
func NewServer(h http.Handler, log *slog.Logger) *http.Server { return Limits{}.NewServer(h, log) }

// NewServer makes a server that waits by these limits. A handler may take as
// long as it likes, and an answer may stream for ever, as long as the client
// takes what is written: each 64 KiB within Write. At the cap of connections
// the one that has waited longest for a request is closed for the new one; when
// all have one, the new one is.
func (l Limits) NewServer(h http.Handler, log *slog.Logger) *http.Server {
	setDefault(&l.Header, 5*time.Second)
	setDefault(&l.Body, 30*time.Second)
	setDefault(&l.Write, 30*time.Second)
	setDefault(&l.Idle, 2*time.Minute)
	setDefault(&l.HeaderBytes, 64<<10)
	setDefault(&l.Connections, 512)
	conns := &connectionLimit{limit: l.Connections, idleSince: map[net.Conn]time.Time{}}
	return &http.Server{
		Handler:                      withProgressDeadlines(l.Write, h),
		ReadHeaderTimeout:            l.Header,
		ReadTimeout:                  l.Body,  // net/http lifts it at the end of the body
		WriteTimeout:                 l.Write, // until the first progress deadline
		IdleTimeout:                  l.Idle,
		MaxHeaderBytes:               l.HeaderBytes,
		ConnState:                    conns.track,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		DisableGeneralOptionsHandler: true, // OPTIONS * is for the guard, too
	}
}
