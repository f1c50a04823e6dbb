package toolstest

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// A changeRecorder is a Notifier and a WriteObserver that records what a call reports.
type changeRecorder struct {
	*progressChecker
	refuse   error                                     // what BeforeWrite answers
	onChange func(ctx context.Context, c tools.Change) // at each Change, before anything of it is written

	reports int
	changes []tools.Change
}

func (s *suite) newRecorder(what string) *changeRecorder {
	return &changeRecorder{progressChecker: &progressChecker{s: s, what: what}}
}

func (l *changeRecorder) callContext() tools.CallContext {
	return callContext(l.s.manifest, l, l)
}

// BeforeWrite implements [tools.WriteObserver].
func (l *changeRecorder) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range changes {
		if l.onChange != nil {
			l.onChange(ctx, c)
		}
		if slices.ContainsFunc(l.changes, func(old tools.Change) bool { return old.Target == c.Target }) {
			l.s.Errorf("%s: reports the target %q twice", l.what, c.Target)
		}
	}
	l.reports++
	l.changes = append(l.changes, changes...)
	return l.refuse
}

// AfterWrite implements [tools.WriteObserver].
func (l *changeRecorder) AfterWrite(target string, after tools.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.changes, func(c tools.Change) bool { return c.Target == target && c.AfterUnknown })
	if i < 0 {
		l.s.Errorf("%s: reports the After of %q, which was not unknown", l.what, target)
		return
	}
	l.changes[i].After, l.changes[i].AfterUnknown = after, false
}

// reverseChanges returns the Changes that undo changes.
func reverseChanges(changes []tools.Change) []tools.Change {
	var back []tools.Change
	for _, c := range slices.Backward(changes) {
		back = append(back, tools.Change{Target: c.Target, Before: c.After, After: c.Before})
	}
	return back
}

func equalStates(a, b tools.State) bool {
	return a.Exists == b.Exists && a.Mode == b.Mode && bytes.Equal(a.Data, b.Data)
}

func describeState(st tools.State) string {
	if !st.Exists {
		return "nothing"
	}
	return fmt.Sprintf("%o %q", st.Mode, abbreviate(string(st.Data), 200))
}

// readState returns what target holds now.
func (s *suite) readState(src source, target string) tools.State {
	s.Helper()
	st, err := src.Restorer().State(s.ctx(), target)
	if err != nil {
		s.Errorf("state of %q: %v", target, err)
	}
	if !st.Exists && (len(st.Data) > 0 || st.Mode != 0) {
		s.Errorf("state of %q: it does not exist but has content", target)
	}
	return st
}
