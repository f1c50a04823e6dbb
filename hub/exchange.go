package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/policy"
)

// An exchange is one message of an agent while it is being answered.
//
// It travels in the context, because that is all mcp-go hands to what it
// calls; nothing else in this package does.
type exchange struct {
	session *session
	notify  func(frame []byte) // queues a notification to be read before the answer
	called  bool               // it has reached [Hub.call], which records it
	prompt  approval.Prompter  // asks the user in the client; nil: mcp-go may know a way

	mu     sync.Mutex
	modern bool
	client string         // what the client of a modern request calls itself
	code   int            // JSON-RPC code of the answer, where mcp-go knows only -32603
	data   map[string]any // and its data
	uri    string         // of the resource that the message reads
	named  string         // what the message asks for and does not get
}

type exchangeKey struct{}

func (x *exchange) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// fails makes the answer a JSON-RPC error with this code. The handler returns
// the error that carries the message.
func (x *exchange) fails(code int, data map[string]any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.code, x.data = code, data
}

func (x *exchange) becomesModern(client *mcp.Implementation) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.modern = true
	if client != nil {
		x.client = client.Name
	}
}

// who is the client of the message: what its session has proved, or else what
// it calls itself, which in the modern era each request says anew.
func (x *exchange) who() policy.Client {
	if x.session.proven != "" {
		return policy.Client{Name: x.session.proven, Proven: true}
	}
	x.mu.Lock()
	name := x.client
	x.mu.Unlock()
	if name == "" {
		name = x.session.clientName()
	}
	return policy.Client{Name: name}
}

func (x *exchange) isModern() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.modern
}

// reads notes the resource that the message asks for.
func (x *exchange) reads(uri string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.uri = uri
}

// misses notes what the message asks for by name, which failed.
func (x *exchange) misses(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.named = name
}

// shortened is an error's frame in which no more is said again of a name that
// an agent made up than a reader needs.
func (x *exchange) shortened(frame []byte) []byte {
	x.mu.Lock()
	name := x.named
	x.mu.Unlock()
	if len(name) <= maxName {
		return frame
	}
	long, err := json.Marshal(name)
	short, err2 := json.Marshal(truncate(name, maxName))
	if err != nil || err2 != nil {
		return frame
	}
	return bytes.ReplaceAll(frame, long[1:len(long)-1], short[1:len(short)-1])
}

// mends says what mcp-go's error code must become, and what data goes with it,
// which mcp-go never sends: a resource that is not there is named, as the
// specification asks.
func (x *exchange) mends(code int) (right int, data map[string]any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case code == mcp.INTERNAL_ERROR && x.code != 0:
		return x.code, x.data
	case x.uri != "" && (code == mcp.RESOURCE_NOT_FOUND || code == mcp.INVALID_PARAMS):
		return code, map[string]any{"uri": x.uri}
	default:
		return code, nil
	}
}
