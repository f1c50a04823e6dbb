package audit

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// lastOfClients jumps from name to name in the index of clients, so that it costs
// a few steps for each name and not one for each call.
const lastOfClients = `WITH RECURSIVE names(name) AS (
		SELECT min(client) FROM calls WHERE client > ''
		UNION ALL SELECT (SELECT min(client) FROM calls WHERE client > name) FROM names WHERE name IS NOT NULL)
	SELECT ` + columns + ` FROM calls WHERE id IN (
		SELECT (SELECT id FROM calls WHERE client = name AND (outcome <> 'event' OR tool = ?) ORDER BY id DESC LIMIT 1) FROM names WHERE name IS NOT NULL)
	ORDER BY id DESC LIMIT ?`

// LastOfClients returns the newest record of each client, calls and events with
// this name, the newest first, at most limit.
func (r *Reader) LastOfClients(ctx context.Context, event string, limit int) ([]Record, error) {
	last, err := sqlstore.Select(ctx, r.store.Reader(), scanRecord, lastOfClients, event, limit)
	if err != nil {
		return nil, fmt.Errorf("read audit: %w", err)
	}
	return last, nil
}
