package org_test

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// An observer records the changes of calls.
type observer struct{ s *testSource }

// BeforeWrite implements [tools.WriteObserver].
func (o observer) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	o.s.report(changes)
	return nil
}

// AfterWrite implements [tools.WriteObserver].
func (o observer) AfterWrite(string, tools.State) {}

// OutcomeUnknown implements [tools.WriteObserver].
func (o observer) OutcomeUnknown(string) {}
