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
		c := call{session: x.session, client: x.who(), tool: r.Params.Name, args: r.Params.RawArguments}
		sf.hub.audit(c, nil, nil, sf.hub.now(), tools.Result{}, e)
	})
}
