package loopback

import (
	"context"
	"net/http"

	"github.com/lectern-mcp/lectern/status"
)

const changesPath = "/v1/changes"

// Changes is status.Ledger's.
func (c client) Changes(ctx context.Context, p status.Filter) (status.Changes, error) {
	return once(ctx, c, changesPath, p, func(m message) *status.Changes { return m.Changes })
}

// serveChanges answers what [client.Changes] asks.
func serveChanges(mux *http.ServeMux, c status.History) {
	mux.HandleFunc("POST "+changesPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, p status.Filter) error {
			found, err := c.Changes(r.Context(), p)
			if err != nil {
				return err
			}
			return out.send(message{Changes: &found})
		})
	})
}
