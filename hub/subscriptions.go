package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// subscriptions knows who wants to hear of which resource. Streams and HTTP,
// and both eras, meet in mcp-go's hooks; a subscriber is what mcp-go calls a
// session, which in the modern era lives as long as its listen request.
//
// The zero value is ready for use.
type subscriptions struct {
	mu sync.Mutex
	by map[server.ClientSession]*subscriber
}

type subscriber struct {
	surface *surface
	who     policy.Client
	uris    map[string]struct{}
}

func (s *subscriptions) hook(hooks *server.Hooks, sf *surface) {
	hooks.AddOnRequestInitialization(func(ctx context.Context, _ any, message any) error {
		return s.admit(ctx, message, sf.hub.limits.Subscriptions)
	})
	hooks.AddAfterSubscribe(func(ctx context.Context, _ any, m *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		s.add(ctx, sf, m.Params.URI)
	})
	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, m *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		s.remove(server.ClientSessionFromContext(ctx), m.Params.URI)
	})
	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, _ any, m *mcp.SubscriptionsListenRequest) {
		s.add(ctx, sf, m.Params.Notifications.ResourceSubscriptions...)
	})
	hooks.AddAfterSubscriptionsListen(func(ctx context.Context, _ any, _ *mcp.SubscriptionsListenRequest, _ *mcp.SubscriptionsListenResult) {
		s.forget(server.ClientSessionFromContext(ctx))
	})
	hooks.AddOnError(func(ctx context.Context, _ any, method mcp.MCPMethod, _ any, _ error) {
		if method == mcp.MethodSubscriptionsListen {
			s.forget(server.ClientSessionFromContext(ctx))
		}
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, c server.ClientSession) { s.forget(c) })
}

// admit refuses a subscription beyond the bound, before mcp-go makes it.
func (s *subscriptions) admit(ctx context.Context, raw any, most int) error {
	b, _ := raw.(json.RawMessage)
	if !strings.Contains(string(b), "subscri") {
		return nil
	}
	m, bad := parseMessage(b)
	if bad != nil {
		return nil
	}
	var asked int
	switch mcp.MCPMethod(m.method) {
	case mcp.MethodResourcesSubscribe:
		asked = 1
	case mcp.MethodSubscriptionsListen:
		var params mcp.SubscriptionsListenParams
		if json.Unmarshal(m.params, &params) == nil {
			asked = len(params.Notifications.ResourceSubscriptions)
		}
	default:
		return nil
	}
	if s.count(server.ClientSessionFromContext(ctx))+asked > most {
		return fmt.Errorf("a session may subscribe to %d resources; unsubscribe from some first", most)
	}
	return nil
}

func (s *subscriptions) count(c server.ClientSession) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sub := s.by[c]; sub != nil {
		return len(sub.uris)
	}
	return 0
}

func (s *subscriptions) add(ctx context.Context, sf *surface, uris ...string) {
	c := server.ClientSessionFromContext(ctx)
	if c == nil || len(uris) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[server.ClientSession]*subscriber{}
	}
	sub := s.by[c]
	if sub == nil {
		sub = &subscriber{sf, exchangeOf(ctx).who(), map[string]struct{}{}}
		s.by[c] = sub
	}
	for _, uri := range uris {
		sub.uris[uri] = struct{}{}
	}
}

func (s *subscriptions) remove(c server.ClientSession, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sub := s.by[c]; sub != nil {
		delete(sub.uris, uri)
	}
}

func (s *subscriptions) forget(c server.ClientSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.by, c)
}

// sees reports whether the subscriber could read uri from src.
func (s *subscriber) sees(src *source, uri string) bool {
	v := s.surface.shows.Load().of(s.who)
	return v.covers(src) && v.may(src, tools.Reads) && s.surface.hub.checkRead(s.who, src, "resources/read", uri) == nil
}

// announce tells the subscribers of uri that its content changed, but only
// those who could read it from the source. It never blocks.
func (s *subscriptions) announce(src *source, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, sub := range maps.All(s.by) {
		if _, wants := sub.uris[uri]; !wants || !sub.sees(src, uri) {
			continue
		}
		select {
		case c.NotificationChannel() <- mcp.JSONRPCNotification{
			JSONRPC: mcp.JSONRPC_VERSION,
			Notification: mcp.Notification{
				Method: mcp.MethodNotificationResourceUpdated,
				Params: mcp.NotificationParams{AdditionalFields: map[string]any{"uri": uri}},
			},
		}:
		default: // so many wait already that this one says nothing new
		}
	}
}
