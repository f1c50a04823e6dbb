package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// requestsToClient are the requests to one client that it has not answered yet.
//
// mcp-go can send such requests only over transports of its own.
type requestsToClient struct {
	mu      sync.Mutex
	last    int
	waiting map[string]chan message // by the bytes of their id
}

// ask sends a request and waits for the response. When ctx ends first, the
// client gets a cancellation.
func (r *requestsToClient) ask(
	ctx context.Context, send func(context.Context, []byte) error, notify func([]byte), method mcp.MCPMethod, params any,
) (json.RawMessage, error) {
	id, response := r.add()
	defer r.take(id)
	frame, err := json.Marshal(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  mcp.MCPMethod   `json:"method"`
		Params  any             `json:"params"`
	}{"2.0", json.RawMessage(id), method, params})
	if err != nil {
		return nil, fmt.Errorf("ask the client: %w", err)
	}
	if err := send(ctx, frame); err != nil {
		return nil, fmt.Errorf("ask the client: %w", err)
	}
	select {
	case m := <-response:
		return parseClientResult(m)
	case <-ctx.Done():
		cancelled := map[string]any{"requestId": json.RawMessage(id), "reason": "answered elsewhere, or over"}
		if b, err := notification(string(mcp.MethodNotificationCancelled), cancelled); err == nil {
			notify(b)
		}
		return nil, ctx.Err()
	}
}

func (r *requestsToClient) add() (id string, response chan message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	id, response = fmt.Sprintf(`"lectern-%d"`, r.last), make(chan message, 1)
	if r.waiting == nil {
		r.waiting = map[string]chan message{}
	}
	r.waiting[id] = response
	return id, response
}

func (r *requestsToClient) take(id string) chan message {
	r.mu.Lock()
	defer r.mu.Unlock()
	response := r.waiting[id]
	delete(r.waiting, id)
	return response
}

// resolve hands a response of the client to the request it belongs to. One that
// belongs to none is dropped.
func (r *requestsToClient) resolve(m message) {
	if response := r.take(string(m.id)); response != nil {
		response <- m
	}
}

func parseClientResult(m message) (json.RawMessage, error) {
	var r struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	err := json.Unmarshal(m.raw, &r)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read response: %w", err)
	case r.Error != nil:
		return nil, errors.New("the client answers with an error: " + safetext.Shorten(r.Error.Message, MaxNameBytes))
	case r.Result == nil:
		return nil, errors.New("the client answers without a result")
	}
	return r.Result, nil
}
