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
	written map[string]bool // targets that were reported as written
}

func (s *suite) newRecorder(what string) *changeRecorder {
	return &changeRecorder{progressChecker: &progressChecker{s: s, what: what}, written: map[string]bool{}}
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
	i := slices.IndexFunc(l.changes, func(c tools.Change) bool { return c.Target == target })
	switch {
	case i < 0:
		l.s.Errorf("%s: reports that it has written %q, which it did not announce", l.what, target)
		return
	case l.written[target]:
		l.s.Errorf("%s: reports twice that it has written %q", l.what, target)
	case !l.changes[i].AfterUnknown && (!equalStates(after, l.changes[i].After) || after.Revision != l.changes[i].After.Revision):
		l.s.Errorf("%s: announced that %q would hold %s, and reports %s", l.what, target, describeState(l.changes[i].After), describeState(after))
	}
	l.written[target], l.changes[i].After, l.changes[i].AfterUnknown = true, after, false
}

// OutcomeUnknown implements [tools.WriteObserver].
func (l *changeRecorder) OutcomeUnknown(target string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.s.Errorf("%s: cannot tell whether it has written %q", l.what, target)
}

// checkOutcomes checks that a call that succeeded has reported each target as written,
// and one that failed none: its caller has compared digests.
func (l *changeRecorder) checkOutcomes(failed bool) {
	l.s.Helper()
	for _, c := range l.changes {
		if l.written[c.Target] == failed {
			l.s.Errorf("%s: reports that it has written %q: %v, and failed: %v", l.what, c.Target, l.written[c.Target], failed)
		}
	}
}

// reverseChanges returns the Changes that undo changes.
func reverseChanges(changes []tools.Change) []tools.Change {
	var back []tools.Change
	for _, c := range slices.Backward(changes) {
		now := c.After
		now.Revision = "" // contents decide what can be undone
		back = append(back, tools.Change{Target: c.Target, Before: now, After: c.Before})
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
	return fmt.Sprintf("%o %q, revision %q", st.Mode, abbreviate(string(st.Data), 200), st.Revision)
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
