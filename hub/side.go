package hub

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// clientSide is what mcp-go wants to know of a session on a stream.
type clientSide interface {
	server.ClientSession
}

// A legacySide is the whole of a stream's client, as mcp-go sees it. In the
// era of initialize it gets every announcement; in the modern era only what a
// listener asks for.
type legacySide struct {
	session *session
	notes   chan mcp.JSONRPCNotification
	ready   atomic.Bool
	legacy  atomic.Bool // it has sent initialize

	mu   sync.Mutex
	caps mcp.ClientCapabilities
}

// noteQueue is how many announcements (list changed, resource updated) may
// wait to be put into the outbox. They say "look again", so one that is
// dropped while so many wait is not missed.
const noteQueue = 256

func newLegacySide(s *session) *legacySide {
	return &legacySide{session: s, notes: make(chan mcp.JSONRPCNotification, noteQueue)}
}

// The methods that mcp-go calls.

func (l *legacySide) Initialize()                                         { l.ready.Store(true) }
func (l *legacySide) Initialized() bool                                   { return l.ready.Load() }
func (l *legacySide) NotificationChannel() chan<- mcp.JSONRPCNotification { return l.notes }
func (l *legacySide) SessionID() string                                   { return l.session.id }
func (l *legacySide) SetLogLevel(level mcp.LoggingLevel)                  { l.session.wants(level) }
func (l *legacySide) GetLogLevel() mcp.LoggingLevel                       { return l.session.logLevel() }

func (l *legacySide) GetClientInfo() mcp.Implementation { return l.session.clientInfo() }

func (l *legacySide) SetClientInfo(i mcp.Implementation) { l.session.introduces(i) }

func (l *legacySide) GetClientCapabilities() mcp.ClientCapabilities {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.caps
}

func (l *legacySide) SetClientCapabilities(c mcp.ClientCapabilities) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.caps = c
}

func (l *legacySide) ProtocolVersion() string {
	if !l.legacy.Load() {
		return ""
	}
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	return l.session.protocol
}

// SetProtocolVersion is called for initialize alone.
func (l *legacySide) SetProtocolVersion(v string) {
	l.legacy.Store(true)
	l.session.speaks(v)
}

// SubscriptionFilter says that a client that never sent initialize gets no
// announcement here.
func (l *legacySide) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	return mcp.SubscriptionFilter{}, !l.legacy.Load()
}

// SetSubscriptionFilter is the listener's business.
func (l *legacySide) SetSubscriptionFilter(mcp.SubscriptionFilter) {}

// announce moves announcements into the outbox until ctx ends.
func (st *stream) announce(ctx context.Context) {
	for {
		select {
		case n := <-st.side.notes:
			st.note(n)
		case <-ctx.Done():
			return
		}
	}
}

func (st *stream) note(n mcp.JSONRPCNotification) {
	b, err := json.Marshal(n)
	if err != nil {
		st.hub.log.Error("marshal notification", "part", "hub", "method", n.Method, "err", err)
		return
	}
	st.out.notify(b)
}

// A listener is one subscriptions/listen request of the modern era. It has an
// announcement queue and a filter of its own, as several may run at once.
type listener struct {
	*legacySide
	id    string
	notes chan mcp.JSONRPCNotification

	mu     sync.Mutex
	filter mcp.SubscriptionFilter
}

func (l *listener) SessionID() string                                   { return l.id }
func (l *listener) Initialized() bool                                   { return true }
func (l *listener) NotificationChannel() chan<- mcp.JSONRPCNotification { return l.notes }

func (l *listener) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.filter, true
}

func (l *listener) SetSubscriptionFilter(f mcp.SubscriptionFilter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.filter = f
}

// listen serves one subscriptions/listen request until it is cancelled. Every
// notification of it carries its id.
func (st *stream) listen(ctx context.Context, m message) {
	l := &listener{legacySide: st.side, id: st.session.id + "/listen/" + string(m.id), notes: make(chan mcp.JSONRPCNotification, noteQueue)}
	if err := st.surface.mcp.RegisterSession(ctx, l); err != nil {
		st.answer(errorFrame(m.id, mcp.INTERNAL_ERROR, "the request failed; Lectern's log has the reason"))
		return
	}
	defer st.surface.mcp.UnregisterSession(context.WithoutCancel(ctx), l.id)
	defer st.hub.changes.forget(l)

	answered := make(chan []byte, 1)
	go func() {
		answered <- st.dispatch(ctx, &exchange{session: st.session, notify: st.out.notify}, m, l)
	}()
	tagged := func(n mcp.JSONRPCNotification) {
		meta := maps.Clone(n.Params.Meta)
		if meta == nil {
			meta = map[string]any{}
		}
		meta[mcp.MetaKeySubscriptionID] = m.id
		n.Params.Meta = meta
		st.note(n)
	}
	for {
		select {
		case n := <-l.notes:
			tagged(n)
		case answer := <-answered:
			for len(l.notes) > 0 {
				tagged(<-l.notes)
			}
			if !st.isCancelled(m) {
				st.answer(answer)
			}
			return
		}
	}
}
