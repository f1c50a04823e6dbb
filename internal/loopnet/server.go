package loopnet

import (
	"cmp"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// ServerLimits say how long a server waits for a client, and for how many. A zero
// field means the default in its comment.
type ServerLimits struct {
	Header      time.Duration // for a request's header to be complete: 5 s
	Body        time.Duration // for a whole request to be complete: 30 s
	Write       time.Duration // for a client to read 64 KiB of an answer: 30 s
	Idle        time.Duration // between two requests of one connection: 2 min
	HeaderBytes int           // of one request: 64 KiB
	Connections int           // open at one time: 512
}

// NewServer returns a server with the default limits.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	return ServerLimits{}.NewServer(h, log)
}

// NewServer returns a server that no client can block. A handler may take as long
// as it likes, and an answer may stream for ever, as long as the client reads each
// 64 KiB within Write. At the limit of connections a new one replaces the one that
// has been idle longest, or is closed itself if all have a request.
func (l ServerLimits) NewServer(h http.Handler, log *slog.Logger) *http.Server {
	l.Header = cmp.Or(l.Header, 5*time.Second)
	l.Body = cmp.Or(l.Body, 30*time.Second)
	l.Write = cmp.Or(l.Write, 30*time.Second)
	l.Idle = cmp.Or(l.Idle, 2*time.Minute)
	l.HeaderBytes = cmp.Or(l.HeaderBytes, 64<<10)
	l.Connections = cmp.Or(l.Connections, 512)
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
