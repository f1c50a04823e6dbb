package tools

import (
	"context"
	"errors"
	"sync"
)

// A DryRun is the [WriteObserver] of a call that must not write: it stops the
// call at its first write and keeps what that would have changed.
type DryRun struct {
	mu      sync.Mutex
	stopped bool
	changes []Change
}

var errDryRun = errors.New("a dry run stops before the first write")

// BeforeWrite implements [WriteObserver].
func (d *DryRun) BeforeWrite(_ context.Context, changes ...Change) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.stopped {
		d.stopped, d.changes = true, changes
	}
	return errDryRun
}

// IsDryRun reports whether the call is made to find out what it would change, so that
// BeforeWrite refuses. It must answer then as the agent's own dry_run does: whether
// the real call were refused because of what is hidden is not asked.
func (c CallContext) IsDryRun() bool { _, is := c.Writes.(*DryRun); return is }

// AfterWrite implements [WriteObserver].
func (d *DryRun) AfterWrite(string, State) {}

// OutcomeUnknown implements [WriteObserver].
func (d *DryRun) OutcomeUnknown(string) {}

// Changes is what the first write would have changed; false: the call did not
// try to write.
func (d *DryRun) Changes() ([]Change, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes, d.stopped
}
