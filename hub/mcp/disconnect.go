package mcp

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/frame"
)

// A clientKey is a client over HTTP as far as the server can tell one from
// another.
type clientKey struct{ proven, name string }

const disconnectedMessage = "the user disconnected this client from Lectern, so it may not connect until the hub has been restarted; " +
	"do not try again, and tell the user that `lectern hub restart` lets it in"

// Disconnect ends the session with an ID because a person wants it: its calls
// under way are cancelled. The relay in front of a stream is told, so that it does
// not connect again. A client over HTTP, which cannot be told, is refused by its
// name as long as the server runs.
func (s *Server) Disconnect(id string) error {
	var found *Session
	for _, session := range s.Sessions() {
		if session.ID == id {
			found = session
		}
	}
	if found == nil {
		return fmt.Errorf("disconnect agent: no agent is connected as %s; it has left, or only sends requests to a route of a source", id)
	}
	s.http.mu.Lock()
	var legacy *httpSession
	for _, hs := range s.http.legacy {
		if hs.session == found {
			legacy = hs
		}
	}
	modern := false
	for key, session := range s.http.modern {
		if session == found {
			delete(s.http.modern, key)
			modern = true
		}
	}
	if legacy != nil || modern {
		s.http.barred[clientKey{found.Proven, found.clientInfo().Name}] = true
	}
	s.http.mu.Unlock()
	s.Log.Info("session disconnected by a person", "component", "hub", "session", id, "client", found.ClientName())
	found.disconnect()
	if legacy != nil {
		s.closeHTTPSession(legacy)
	}
	if modern {
		s.closeSession(found)
	}
	return nil
}

// isBarred reports whether a person disconnected a client over HTTP.
func (s *Server) isBarred(proven, name string) bool {
	s.http.mu.Lock()
	defer s.http.mu.Unlock()
	return s.http.barred[clientKey{proven, name}]
}

// contextUntilDisconnected is ctx until the session is disconnected, or end is called.
func (s *Session) contextUntilDisconnected(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.life, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// disconnectedFrame tells the relay in front of a client that it must not connect
// again.
func disconnectedFrame() []byte {
	return []byte(`{"jsonrpc":"2.0","method":"` + frame.MethodDisconnected + `"}`)
}

func disconnectedSessionRejection(m message) *rejection {
	return &rejection{mcp.INVALID_REQUEST, m.id, disconnectedMessage}
}
