package status

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// A Client is one end of the status API: it reads the picture, asks questions
// and has actions carried out. supervisor.HubAPI is the one inside the hub
// process, status/loopback.Dial reaches it over the control socket,
// supervisor/daemon.Client works without a hub too, the panel's own in
// cmd/lectern adds what concerns this machine, and statustest.Fake is for tests.
// All of them pass statustest.Run.
//
// A channel that a method returns is closed when ctx ends or the hub is gone;
// the reader then asks again.
type Client interface {
	// Watch delivers the current snapshot at once and then one after changes.
	// A slow reader misses intermediate snapshots, never the last.
	Watch(ctx context.Context) (<-chan Snapshot, error)
	// Query delivers the answers to a request, or one error and then no more.
	// [Ask] and [Open] wrap it in the types of the query.
	Query(ctx context.Context, r Request) (<-chan Response, error)
	// Preview says what Do would change. It changes nothing.
	Preview(ctx context.Context, a Action) (Plan, error)
	// Do carries a out and returns when it is done.
	Do(ctx context.Context, a Action) error
}

// A Router is a Client that carries out the actions and answers the queries it
// has handlers for, and passes the others to the next Client.
type Router struct {
	Client  // the next one; nil: other actions and queries are unknown
	Actions ActionHandlers
	Queries QueryHandlers
}

// Query implements [Client].
func (r Router) Query(ctx context.Context, req Request) (<-chan Response, error) {
	if handle, ok := r.Queries[req.Query]; ok {
		return handle(ctx, req.Input)
	}
	if r.Client == nil {
		return nil, fmt.Errorf("unknown query %q; the hub may be of another version: run `lectern hub restart`", req.Query)
	}
	return r.Client.Query(ctx, req)
}

// Preview implements [Client].
func (r Router) Preview(ctx context.Context, a Action) (Plan, error) {
	switch handler, ok := r.Actions[a.Verb]; {
	case !ok && r.Client == nil:
		return Plan{}, errUnknown(a)
	case !ok:
		return r.Client.Preview(ctx, a)
	case handler.Preview == nil:
		return Plan{Title: capitalized(a.Title()), Steps: []Step{}, Risks: []string{}}, ctx.Err()
	default:
		return handler.Preview(ctx, a)
	}
}

// Do implements [Client].
func (r Router) Do(ctx context.Context, a Action) error {
	switch handler, ok := r.Actions[a.Verb]; {
	case !ok && r.Client == nil:
		return errUnknown(a)
	case !ok:
		return r.Client.Do(ctx, a)
	default:
		return handler.Do(ctx, a)
	}
}

func errUnknown(a Action) error {
	return fmt.Errorf("unknown action %q; the hub may be of another version: run `lectern hub restart`", a.Verb)
}

// Offer puts v into ch, which has room for one value, in place of one that the
// reader has not taken yet. Only one goroutine may send to ch.
func Offer[T any](ch chan T, v T) {
	select {
	case <-ch:
	default:
	}
	ch <- v
}

// A Request is a query with its input, as it travels.
type Request struct {
	Query string
	Input json.RawMessage
}

// A Response is an answer as it travels, or why there is none.
type Response struct {
	Value json.RawMessage
	Err   error
}

// errNoAnswer is for a hub that ends a query without answering it.
var errNoAnswer = errors.New("the hub did not answer the question; it may be of another version: run `lectern hub restart`")

// Ask asks c for the answer to q.
func Ask[In, Out any](ctx context.Context, c Client, q Query[In, Out], in In) (Out, error) {
	var out Out
	responses, err := send(ctx, c, q.Name, in)
	if err != nil {
		return out, err
	}
	switch r, ok := <-responses; {
	case !ok && ctx.Err() != nil:
		return out, ctx.Err()
	case !ok:
		return out, errNoAnswer
	case r.Err != nil:
		return out, r.Err
	default:
		return out, decode(r.Value, &out)
	}
}

// Open asks c for the answers to s. The channel is closed after the last, and
// when ctx ends or the hub is gone.
func Open[In, Out any](ctx context.Context, c Client, s Stream[In, Out], in In) (<-chan Out, error) {
	responses, err := send(ctx, c, s.Name, in)
	if err != nil {
		return nil, err
	}
	ch := make(chan Out)
	go func() {
		defer close(ch)
		for r := range responses {
			var out Out
			if r.Err != nil || decode(r.Value, &out) != nil {
				return
			}
			select {
			case ch <- out:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, nil
}

func send(ctx context.Context, c Client, query string, in any) (<-chan Response, error) {
	input, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("encode query %s: %w", query, err)
	}
	return c.Query(ctx, Request{query, input})
}

func decode(b []byte, out any) error {
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("read answer of the hub: %w", err)
	}
	return nil
}

// QueryHandlers answer the queries that a process can, by name.
type QueryHandlers map[string]func(ctx context.Context, input json.RawMessage) (<-chan Response, error)

// HandleQuery has f answer q.
func HandleQuery[In, Out any](hs QueryHandlers, q Query[In, Out], f func(context.Context, In) (Out, error)) {
	hs[q.Name] = func(ctx context.Context, input json.RawMessage) (<-chan Response, error) {
		in, err := decodeInput[In](input)
		if err != nil {
			return nil, err
		}
		out, err := f(ctx, in)
		if err != nil {
			return nil, err
		}
		ch := make(chan Response, 1)
		ch <- encode(out)
		close(ch)
		return ch, nil
	}
}

// HandleStream has f answer s.
func HandleStream[In, Out any](hs QueryHandlers, s Stream[In, Out], f func(context.Context, In) (<-chan Out, error)) {
	hs[s.Name] = func(ctx context.Context, input json.RawMessage) (<-chan Response, error) {
		in, err := decodeInput[In](input)
		if err != nil {
			return nil, err
		}
		outs, err := f(ctx, in)
		if err != nil {
			return nil, err
		}
		ch := make(chan Response)
		go func() {
			defer close(ch)
			for out := range outs {
				select {
				case ch <- encode(out):
				case <-ctx.Done():
					return
				}
			}
		}()
		return ch, nil
	}
}

// decodeInput refuses fields that it does not know: a hub must not answer half
// of what a client of another version asks.
func decodeInput[In any](input json.RawMessage) (in In, err error) {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return in, fmt.Errorf("read request: %w", err)
	}
	return in, nil
}

// encode keeps the text of tools and pages as it is: it is not for a web page.
func encode(out any) Response {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return Response{Err: fmt.Errorf("encode answer: %w", err)}
	}
	return Response{Value: bytes.TrimSuffix(b.Bytes(), []byte("\n"))}
}
