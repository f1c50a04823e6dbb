package mcp

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// What the conformance suite asks servers to carry and no System can declare.

// OnEndpoint calls f with the MCPServer of each endpoint that is made from now on.
func (s *Server) OnEndpoint(f func(*server.MCPServer)) { s.onEndpoint = f }

// Fail makes the response to the request of ctx a JSON-RPC error with this code.
func Fail(ctx context.Context, code int, data map[string]any) {
	requestFromContext(ctx).setError(code, data)
}

// Ask sends a request to the client of the request of ctx.
func Ask(ctx context.Context, method mcp.MCPMethod, params any) (json.RawMessage, error) {
	return requestFromContext(ctx).ask(ctx, method, params)
}

// Annotations are those of a tool.
var Annotations = annotations
