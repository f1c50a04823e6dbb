package loopback

import (
	"context"
	"errors"
	"net/http"

	"github.com/lectern-mcp/lectern/status"
)

// ledgerRoutes serves what agents did.
func ledgerRoutes(mux *http.ServeMux, c status.History) {
	mux.HandleFunc("POST "+callsPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, q status.CallQuery) error {
			ch, err := c.Calls(r.Context(), q)
			if err != nil {
				return err
			}
			return copyAll(out, ch, func(c status.Call) message { return message{Call: &c} })
		})
	})
	serveChanges(mux, c)
}

// Calls implements status.Ledger. A reader that takes nothing is treated as one
// of Logs.
func (c client) Calls(ctx context.Context, q status.CallQuery) (<-chan status.Call, error) {
	return follow(ctx, c, callsPath, q, func(m message) *status.Call { return m.Call })
}

// errEmpty says that an answer lacks what was asked for, as that of another
// version may.
var errEmpty = errors.New("the hub answered something else; it may be of another version: run `lectern hub restart`")

// once asks for one value.
func once[Out any](ctx context.Context, c client, path string, in any, of func(message) *Out) (Out, error) {
	m, err := c.askOnce(ctx, path, in)
	if err == nil {
		if out := of(m); out != nil {
			return *out, nil
		}
		err = errEmpty
	}
	var none Out
	return none, err
}

// follow asks for a stream of values and delivers them until it ends.
func follow[Out any](ctx context.Context, c client, path string, in any, of func(message) *Out) (<-chan Out, error) {
	a, err := c.ask(ctx, path, in)
	if err != nil {
		return nil, err
	}
	ch := make(chan Out)
	go func() {
		defer close(ch)
		defer a.close()
		for m, err := a.next(); err == nil; m, err = a.next() {
			v := of(m)
			if v == nil {
				return
			}
			select {
			case ch <- *v:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, nil
}
