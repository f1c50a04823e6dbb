package hub

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"

	"github.com/lectern-mcp/lectern/tools"
)

// errRehearsed stops a call that is only rehearsed where it would change
// something.
var errRehearsed = errors.New("the call is only rehearsed")

// A rehearsed call tells what it would change.
type rehearsed struct {
	known   bool // false: its System, or its effect, does not let us know
	changes []tools.Change
}

// rehearse runs a call that writes or deletes up to where it would change
// something. An error is the call's own: nobody need be asked about it. A
// System that does not report its Changes is not run at all, since it would
// write; neither is a script.
func (h *Hub) rehearse(ctx context.Context, c *call, src *source, t *tool, args json.RawMessage) (rehearsed, error) {
	if t.info.Effect != tools.Writes && t.info.Effect != tools.Deletes {
		return rehearsed{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.limits.Deadline)
	defer cancel()
	release, err := c.session.slots.take(ctx)
	if err != nil {
		return rehearsed{}, err
	}
	r := &rehearsal{}
	keeps, err := within(ctx, src, h.begins(release), func(open *lease) (bool, error) {
		if open.Restorer() == nil {
			return false, nil
		}
		_, err := h.invoke(ctx, c, src, t, open, r, args)
		return true, err
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.stopped:
		return rehearsed{true, r.changes}, nil
	case err != nil:
		return rehearsed{}, err
	}
	return rehearsed{known: keeps}, nil
}

// A rehearsal is the Caller of a call that must not change anything.
type rehearsal struct {
	mu      sync.Mutex
	stopped bool
	changes []tools.Change
}

// BeforeWrite implements [tools.Caller].
func (r *rehearsal) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.stopped, r.changes = true, changes
	}
	return errRehearsed
}

// Progress implements [tools.Caller].
func (*rehearsal) Progress(float64, float64, string) {}

// Log implements [tools.Caller].
func (*rehearsal) Log(slog.Level, string) {}

// AfterWrite implements [tools.Caller].
func (*rehearsal) AfterWrite(string, tools.State) {}
