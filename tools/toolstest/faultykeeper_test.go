package toolstest

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/tools"
)

// The faulty System's end of taking things back and of hiding them.

func (s *shelf) hides(key string) bool { return s.env.Privacy.Hides(tools.Page{Path: key}) }

// A telling shelf is a [tools.Hider] too.
type telling struct{ *shelf }

// Hides implements [tools.Hider].
func (t telling) Hides(_ context.Context, c tools.Change) (bool, error) {
	return t.fault != tellsHiddenChanges && t.hides(c.Target), nil
}

// set puts a thing where it goes, or takes it away.
func (s *shelf) set(key string, value *string) {
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

func (s *shelf) report(ctx context.Context, c tools.CallContext, in putIn) error {
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
	if err != nil && s.fault == wrappedRefusal {
		return fmt.Errorf("put: %w", err)
	}
	return err
}

// State implements [tools.Keeper].
func (s *shelf) State(_ context.Context, target string) (tools.State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.shelves[s.name][target]
	if !ok || s.fault == lossyState && target == "b" && v == "2" {
		return tools.State{}, nil
	}
	return tools.State{Exists: true, Data: []byte(v)}, nil
}

// Restore implements [tools.Keeper].
func (s *shelf) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	for _, change := range changes {
		now, _ := s.State(ctx, change.Target)
		switch {
		case equalStates(now, change.Before) || s.fault == clobbering:
		case s.fault == namelessConflict:
			return tools.Errorf(tools.Conflict, "edited since")
		default:
			if s.fault == halfway {
				s.put1(change)
			}
			return tools.Errorf(tools.Conflict, "%.80q has been changed since", change.Target)
		}
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	for _, change := range changes {
		s.put1(change)
	}
	if s.fault == sweeping {
		for _, key := range []string{"a", "b"} {
			if key != changes[0].Target {
				s.set(key, new("swept"))
			}
		}
	}
	return nil
}

// put1 makes a target what a Change says it is after.
func (s *shelf) put1(change tools.Change) {
	if change.After.Exists {
		s.set(change.Target, new(string(change.After.Data)))
		return
	}
	s.set(change.Target, nil)
}
