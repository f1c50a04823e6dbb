package toolstest

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// The faulty System's end of taking things back and of hiding them.

func (s *faultySource) hides(key string) bool { return s.env.Privacy.Hides(tools.Page{Path: key}) }

// A faultyWithFilter shelf is a [tools.ChangeFilter] too.
type faultyWithFilter struct{ *faultySource }

// HidesChange implements [tools.ChangeFilter].
func (t faultyWithFilter) HidesChange(_ context.Context, c tools.Change) (bool, error) {
	return t.fault != tellsHiddenChanges && t.hides(c.Target), nil
}

// set puts a thing where it goes, or takes it away.
func (s *faultySource) set(key string, value *string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, things := range s.shelves {
		switch {
		case name != s.name && s.fault != shared:
		case value == nil:
			delete(things, key)
		default:
			things[key] = *value
		}
	}
}

func (s *faultySource) report(ctx context.Context, c tools.CallContext, in putIn) error {
	if s.fault == silentWrite {
		return nil
	}
	before, _ := s.State(ctx, in.Key)
	change := tools.Change{Target: in.Key, Before: before, After: tools.State{Exists: true, Data: []byte(in.Value)}}
	never := []byte("never")
	if s.fault == wrongBefore {
		change.Before = tools.State{Exists: true, Data: never}
	}
	if s.fault == wrongAfter {
		change.After.Data = never
	}
	err := c.BeforeWrite(ctx, change)
	if err == nil && s.fault != silentOutcome || err != nil && s.fault == writtenOutcome {
		c.AfterWrite(change.Target, change.After)
	}
	if err != nil && s.fault == wrappedRefusal {
		return fmt.Errorf("put: %w", err)
	}
	return err
}

// State implements [tools.Restorer].
func (s *faultySource) State(_ context.Context, target string) (tools.State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.shelves[s.name][target]
	if !ok || s.fault == lossyState && target == "b" && v == "2" {
		return tools.State{}, nil
	}
	return tools.State{Exists: true, Data: []byte(v)}, nil
}

// Restore implements [tools.Restorer].
func (s *faultySource) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	for _, change := range changes {
		if err := s.CheckUndo(change); err != nil && s.fault != restoresWhatMustStay {
			return err
		}
		now, _ := s.State(ctx, change.Target)
		switch {
		case equalStates(now, change.Before) || s.fault == restoreOverwritesEdits:
		case s.fault == namelessConflict:
			return tools.Errorf(tools.Conflict, "edited since")
		default:
			if s.fault == restoreChecksTooLate {
				s.applyChange(change)
			}
			return tools.Errorf(tools.Conflict, "%.80q has been changed since", change.Target)
		}
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	for _, change := range changes {
		s.applyChange(change)
	}
	c.ReportWritten(changes...)
	if s.fault == restoresTooMuch {
		for _, key := range []string{"a", "b"} {
			if key != changes[0].Target {
				s.set(key, new("swept"))
			}
		}
	}
	return nil
}

// CheckUndo implements [tools.UndoFilter].
func (s *faultySource) CheckUndo(c tools.Change) error {
	if (s.fault == takesBackNoRemoval || s.fault == restoresWhatMustStay) && c.After.Exists {
		return tools.Errorf(tools.Denied, "%.80q does not come back", c.Target)
	}
	return nil
}

// applyChange makes a target what a Change says it is after.
func (s *faultySource) applyChange(change tools.Change) {
	if change.After.Exists {
		s.set(change.Target, new(string(change.After.Data)))
		return
	}
	s.set(change.Target, nil)
}
