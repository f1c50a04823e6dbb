package mcp

import (
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// An callNotifier is the [tools.Notifier] of one call: progress and log reach the
// agent as notifications.
type callNotifier struct {
	notify func(frame []byte)
	token  json.RawMessage  // as it came; nil: the call does not ask for progress
	level  mcp.LoggingLevel // least severe level wanted; empty: none

	mu    sync.Mutex
	ended bool
}

func newCallNotifier(x *request) *callNotifier {
	c := &callNotifier{notify: x.notify, level: x.caller.Session.logLevel()}
	if x.meta != nil && x.meta.ProgressToken != nil {
		c.token = x.progressToken()
	}
	if x.isModern() { // the modern era asks per request
		c.level = x.meta.LogLevel()
	}
	return c
}

// end makes sure that nothing is sent after the response.
func (c *callNotifier) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}

// Progress implements [tools.Notifier].
func (c *callNotifier) Progress(done, total float64, message string) {
	if c.token == nil {
		return
	}
	params := map[string]any{"progressToken": c.token, "progress": done}
	if total != 0 {
		params["total"] = total
	}
	if message != "" {
		params["message"] = message
	}
	c.send(string(mcp.MethodNotificationProgress), params)
}

// Log implements [tools.Notifier].
func (c *callNotifier) Log(level slog.Level, message string) {
	l := mcpLevel(level)
	if c.level == "" || !l.ShouldSendTo(c.level) {
		return
	}
	c.send(string(mcp.MethodNotificationMessage), map[string]any{"level": l, "logger": "lectern", "data": message})
}

func (c *callNotifier) send(method string, params map[string]any) {
	frame, err := notification(method, params)
	if err != nil {
		return // a progress of NaN has no JSON; it is not worth a failed call
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.notify(frame)
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
