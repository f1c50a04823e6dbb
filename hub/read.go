package hub

import (
	"context"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A reader is who reads.
type reader struct {
	session *session
	who     policy.Client
	view    *view
}

// readBy runs f on a source for anything but a tool: the same grant, deadline,
// slot, panic guard and log as [Hub.call], for what only ever reads.
func readBy[T any](ctx context.Context, h *Hub, by reader, src *source, what, uri string, f func(context.Context, *lease) (T, error)) (T, error) {
	var none T
	if err := by.view.grant(src, tools.Reads); err != nil {
		return none, err
	}
	if err := h.mayRead(by.who, src, what, uri); err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeout(ctx, h.limits.Deadline)
	defer cancel()
	release, err := by.session.slots.take(ctx)
	if err != nil {
		return none, err
	}
	v, err := within(ctx, src, h.begins(release), func(open *lease) (T, error) { return f(ctx, open) })
	if err != nil {
		return none, h.told(call{session: by.session, tool: what}, src, err)
	}
	return v, nil
}
