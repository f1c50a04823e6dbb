package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/hub/policy"
)

// An mcpSession is what mcp-go calls a session: it sends requests and may
// receive announcements of what changed. A stream and a legacy HTTP session have one for as
// long as they live, a modern HTTP request has one of its own, and so has every
// subscriptions/listen request, as several may run at once.
type mcpSession struct {
	session       *Session
	id            string
	listens       *policy.Client // the client of a subscriptions/listen request; nil: this is none
	announcements chan mcp.JSONRPCNotification
	ready         atomic.Bool
	legacy        atomic.Bool // it has sent initialize
	requests      requestsToClient
	subscribing   func(uri string) // see [Config]; nil: not registered

	mu     sync.Mutex
	caps   mcp.ClientCapabilities
	filter mcp.SubscriptionFilter
	uris   map[string]struct{} // subscribed
}

// maxQueuedAnnouncements is how many announcements (list changed, resource updated) may
// wait to be written. They say "look again", so one that is dropped while so
// many wait is not missed.
const maxQueuedAnnouncements = 256

func newMCPSession(s *Session, id string) *mcpSession {
	return &mcpSession{session: s, id: id, announcements: make(chan mcp.JSONRPCNotification, maxQueuedAnnouncements)}
}

// registerSession lets c hear announcements until disconnect is called.
func (ep *endpoint) registerSession(c *mcpSession) (disconnect func(), err error) {
	c.subscribing = ep.Subscribing
	if err := ep.mcp.RegisterSession(ep.life, c); err != nil {
		return nil, fmt.Errorf("register session: %w", err)
	}
	ep.mu.Lock()
	ep.clients[c] = struct{}{}
	ep.mu.Unlock()
	return func() {
		ep.mcp.UnregisterSession(context.WithoutCancel(ep.life), c.id)
		ep.mu.Lock()
		delete(ep.clients, c)
		ep.mu.Unlock()
	}, nil
}

// policyClient is the program behind c.
func (c *mcpSession) policyClient() policy.Client {
	if c.listens != nil {
		return *c.listens
	}
	return policy.Client{Name: c.session.ClientName(), Proven: c.session.Proven != ""}
}

// announceUpdate says that a resource changed.
func (c *mcpSession) announceUpdate(uri string) {
	select {
	case c.announcements <- mcp.JSONRPCNotification{
		JSONRPC: mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{
			Method: mcp.MethodNotificationResourceUpdated,
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"uri": uri}},
		},
	}:
	default: // so many wait already that this one says nothing new
	}
}

// canElicit reports whether the client declared in initialize that it has forms.
func (c *mcpSession) canElicit() bool { return c.legacy.Load() && canElicit(c.GetClientCapabilities()) }

// setClientFromMeta takes over what a modern message says of its client.
func (c *mcpSession) setClientFromMeta(meta *mcp.Meta) {
	if info := meta.ClientInfo(); info != nil {
		c.SetClientInfo(*info)
	}
	if caps := meta.ClientCapabilities(); caps != nil {
		c.SetClientCapabilities(*caps)
	}
	c.Initialize()
}

func (c *mcpSession) subscriptionCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.uris)
}

// The methods below are called by mcp-go.

var (
	_ server.SessionWithLogging               = (*mcpSession)(nil)
	_ server.SessionWithClientInfo            = (*mcpSession)(nil)
	_ server.SessionWithProtocolVersion       = (*mcpSession)(nil)
	_ server.SessionWithSubscriptionFilter    = (*mcpSession)(nil)
	_ server.SessionWithResourceSubscriptions = (*mcpSession)(nil)
)

func (c *mcpSession) Initialize()                                         { c.ready.Store(true) }
func (c *mcpSession) Initialized() bool                                   { return c.ready.Load() || c.listens != nil }
func (c *mcpSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return c.announcements }
func (c *mcpSession) SessionID() string                                   { return c.id }
func (c *mcpSession) SetLogLevel(level mcp.LoggingLevel)                  { c.session.setLogLevel(level) }

func (c *mcpSession) GetLogLevel() mcp.LoggingLevel { return c.session.logLevel() }

func (c *mcpSession) GetClientInfo() mcp.Implementation  { return c.session.clientInfo() }
func (c *mcpSession) SetClientInfo(i mcp.Implementation) { c.session.setClient(i) }

func (c *mcpSession) GetClientCapabilities() mcp.ClientCapabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.caps
}

func (c *mcpSession) SetClientCapabilities(caps mcp.ClientCapabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.caps = caps
}

func (c *mcpSession) ProtocolVersion() string {
	if !c.legacy.Load() {
		return ""
	}
	return c.session.protocolVersion()
}

// SetProtocolVersion is called for initialize only.
func (c *mcpSession) SetProtocolVersion(v string) {
	c.legacy.Store(true)
	c.session.setProtocol(v)
}

// SubscriptionFilter says which announcements c gets: a client that never sent
// initialize gets only what it asks for with subscriptions/listen.
func (c *mcpSession) SubscriptionFilter() (filter mcp.SubscriptionFilter, active bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.filter, !c.legacy.Load() || c.listens != nil
}

func (c *mcpSession) SetSubscriptionFilter(f mcp.SubscriptionFilter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.filter = f
}

func (c *mcpSession) SubscribeToResource(uri string) {
	c.mu.Lock()
	if c.uris == nil {
		c.uris = map[string]struct{}{}
	}
	c.uris[uri] = struct{}{}
	c.mu.Unlock()
	if c.subscribing != nil {
		c.subscribing(uri)
	}
}

func (c *mcpSession) UnsubscribeFromResource(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.uris, uri)
}

func (c *mcpSession) SubscribedResources() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.uris))
}

func (c *mcpSession) IsSubscribedToResource(uri string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.uris[uri]
	return ok
}

// serveSubscription serves one subscriptions/listen request until ctx ends. Every
// notification on it carries its id.
func (ep *endpoint) serveSubscription(ctx context.Context, x *request) response {
	l := newMCPSession(x.caller.Session, x.caller.Session.ID+"/listen/"+string(x.id))
	l.listens = &x.caller.Client
	disconnect, err := ep.registerSession(l)
	if err != nil {
		return errorResponse(x.id, mcp.INTERNAL_ERROR, internalErrorMessage)
	}
	defer disconnect()
	ended := make(chan response, 1)
	go func() { ended <- ep.handleRequest(ctx, x, l) }()
	for {
		select {
		case n := <-l.announcements:
			ep.notifyListener(x, n)
		case r := <-ended:
			for len(l.announcements) > 0 {
				ep.notifyListener(x, <-l.announcements)
			}
			return r
		}
	}
}

func (ep *endpoint) notifyListener(x *request, n mcp.JSONRPCNotification) {
	meta := maps.Clone(n.Params.Meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta[mcp.MetaKeySubscriptionID] = x.id
	n.Params.Meta = meta
	ep.writeAnnouncement(n, x.notify)
}

// writeAnnouncement writes an announcement of mcp-go as a frame.
func (s *Server) writeAnnouncement(n mcp.JSONRPCNotification, notify func([]byte)) {
	b, err := json.Marshal(n)
	if err != nil {
		s.Log.Error("marshal notification", "component", "hub", "method", n.Method, "err", err)
		return
	}
	notify(b)
}
