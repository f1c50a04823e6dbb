package loopback

import (
	"context"
	"errors"
	"net/http"

	"github.com/lectern-mcp/lectern/status"
)

const changesPath = "/v1/changes"

// ChangesOf asks c for Changes, where it is a Client that knows them: those of
// this package, of supervisor, of supervisor/daemon and of cmd/lectern are.
func ChangesOf(ctx context.Context, c status.Client, p status.Pick) (status.Changes, error) {
	l, ok := c.(interface {
		Changes(ctx context.Context, p status.Pick) (status.Changes, error)
	})
	if !ok {
		return status.Changes{}, errors.New("list changes: nobody here keeps them")
	}
	return l.Changes(ctx, p)
}

// Changes is status.Ledger's.
func (c client) Changes(ctx context.Context, p status.Pick) (status.Changes, error) {
	m, err := c.askOnce(ctx, changesPath, p)
	if err != nil {
		return status.Changes{}, err
	}
	if m.Changes == nil {
		return status.Changes{}, errors.New("list changes: the hub answered none")
	}
	return *m.Changes, nil
}

// serveChanges answers what [client.Changes] asks.
func serveChanges(mux *http.ServeMux, c status.Client) {
	mux.HandleFunc("POST "+changesPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, p status.Pick) error {
			found, err := ChangesOf(r.Context(), c, p)
			if err != nil {
				return err
			}
			return out.send(message{Changes: &found})
		})
	})
}
