package daemon

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
)

// Query implements status.Client. A stream that follows goes on with the next
// hub, from its beginning.
func (c *client) Query(ctx context.Context, r status.Request) (<-chan status.Response, error) {
	var in struct{ Follow bool }
	if json.Unmarshal(r.Input, &in) != nil || !in.Follow {
		return c.Router.Query(ctx, r)
	}
	ch := make(chan status.Response)
	go func() {
		defer close(ch)
		for ctx.Err() == nil {
			r.Input = c.relayHubResponses(ctx, r, ch)
		}
	}()
	return ch, nil
}

// relayHubResponses delivers what one hub answers to r, or waits before it tries to
// reach a hub again. It returns the input to continue with.
func (c *client) relayHubResponses(ctx context.Context, r status.Request, out chan<- status.Response) json.RawMessage {
	hub, err := requestHealth(ctx, c.Paths)
	var responses <-chan status.Response
	if err == nil {
		responses, err = c.Router.Query(ctx, r)
	}
	if err != nil {
		supervisor.Sleep(ctx, retryInterval)
		return r.Input
	}
	var last struct{ Seq uint64 }
	for answer := range responses {
		if answer.Err != nil || json.Unmarshal(answer.Value, &last) != nil {
			break
		}
		select {
		case out <- answer:
		case <-ctx.Done():
			return r.Input
		}
	}
	if now, err := requestHealth(ctx, c.Paths); err != nil || now.Instance != hub.Instance {
		return newResumeInput(r.Input, 0) // another hub begins its numbers again
	}
	if last.Seq == 0 {
		return r.Input
	}
	return newResumeInput(r.Input, last.Seq)
}

// newResumeInput is the input of a stream that follows, from number seq on. What was
// to be skipped at first has been skipped.
func newResumeInput(input json.RawMessage, seq uint64) json.RawMessage {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(input, &fields); err != nil {
		return input
	}
	fields["after"] = fmt.Append(nil, seq)
	delete(fields, "last")
	next, err := json.Marshal(fields)
	if err != nil {
		return input
	}
	return next
}
