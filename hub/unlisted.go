package hub

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/tools"
)

// unlisted records the calls of tools that mcp-go answers by itself: of one
// that no client of the surface is shown, or in a form that it does not take.
// The answer stays its.
func (sf *surface) unlisted(hooks *server.Hooks) {
	hooks.AddOnError(func(ctx context.Context, _ any, _ mcp.MCPMethod, message any, _ error) {
		if x := exchangeOf(ctx); x != nil {
			x.misses(nameIn(message))
		}
	})
	hooks.AddOnError(func(ctx context.Context, _ any, _ mcp.MCPMethod, message any, err error) {
		r, isCall := message.(*mcp.CallToolRequest)
		x := exchangeOf(ctx)
		if !isCall || x == nil || x.called {
			return
		}
		e := tools.Errorf(tools.Invalid, "not a call that is taken")
		if errors.Is(err, server.ErrToolNotFound) {
			e = tools.Errorf(tools.NotFound, "no such tool")
		}
		c := &call{callRequest: callRequest{session: x.session, client: x.who(), name: r.Params.Name, args: r.Params.RawArguments}, began: sf.hub.now()}
		sf.hub.audit(c, tools.Result{}, e)
	})
}

// nameIn is what a request asks for by name; empty: nothing.
func nameIn(request any) string {
	switch r := request.(type) {
	case *mcp.CallToolRequest:
		return r.Params.Name
	case *mcp.GetPromptRequest:
		return r.Params.Name
	case *mcp.ReadResourceRequest:
		return r.Params.URI
	}
	return ""
}
