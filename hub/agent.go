package hub

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/tools"
)

// An agent is the [tools.Caller] of one call: the end that listens while a
// tool works.
type agent struct {
	tools.NopCallContext // but for what follows
	exchange             *exchange
	token                mcp.ProgressToken // nil: the call did not ask for progress
	least                mcp.LoggingLevel  // empty: the call wants no log

	mu    sync.Mutex
	ended bool
}

func newAgent(ctx context.Context, x *exchange, meta *mcp.Meta) *agent {
	a := &agent{exchange: x, least: x.session.logLevel()}
	if meta != nil {
		a.token = meta.ProgressToken
	}
	if server.IsModernRequest(ctx) { // the modern era asks per request
		a.least = server.RequestProtocolInfoFromContext(ctx).LogLevel
	}
	return a
}

// end makes sure that nothing is said after the answer.
func (a *agent) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
}

// Progress implements tools.Caller.
func (a *agent) Progress(done, total float64, message string) {
	if a.token == nil {
		return
	}
	params := map[string]any{"progressToken": a.token, "progress": done}
	if total != 0 {
		params["total"] = total
	}
	if message != "" {
		params["message"] = message
	}
	a.say(string(mcp.MethodNotificationProgress), params)
}

// Log implements tools.Caller.
func (a *agent) Log(level slog.Level, message string) {
	l := mcpLevel(level)
	if a.least == "" || !l.ShouldSendTo(a.least) {
		return
	}
	a.say(string(mcp.MethodNotificationMessage), map[string]any{"level": l, "logger": "lectern", "data": message})
}

func (a *agent) say(method string, params map[string]any) {
	frame, err := notification(method, params)
	if err != nil {
		return // a progress of NaN has no JSON; it is not worth a failed call
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		a.exchange.notify(frame)
	}
}

// notification writes a JSON-RPC notification.
func notification(method string, params map[string]any) ([]byte, error) {
	return json.Marshal(struct {
		JSONRPC string         `json:"jsonrpc"`
		Method  string         `json:"method"`
		Params  map[string]any `json:"params"`
	}{"2.0", method, params})
}

func mcpLevel(l slog.Level) mcp.LoggingLevel {
	switch {
	case l < slog.LevelInfo:
		return mcp.LoggingLevelDebug
	case l < slog.LevelWarn:
		return mcp.LoggingLevelInfo
	case l < slog.LevelError:
		return mcp.LoggingLevelWarning
	default:
		return mcp.LoggingLevelError
	}
}
