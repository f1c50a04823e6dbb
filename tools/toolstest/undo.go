package toolstest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A recordedCall is a call that changed something.
type recordedCall struct {
	what    string
	before  string // the digest before it
	changes []tools.Change
}

// checkUndo undoes every call of every example, undoes each undo, and finally
// undoes all calls in reverse order. The bytes must be those from before.
func checkUndo(s *suite) {
	s.Helper()
	src := s.openRestorable()
	start := src.Digest()
	var all []recordedCall
	for _, t := range s.writingTools() {
		for _, x := range writingExamples(t) {
			d := recordedCall{what: describeCall(t, x.In), before: src.Digest()}
			d.changes = s.callAndCheckReport(src, t, x.In)
			after := src.Digest()
			checkTextTarget(s, src, d)
			back := s.restoreAndCompare(src, "undo "+d.what, reverseChanges(d.changes), d.before)
			d.changes = s.restoreAndCompare(src, "undo the undo of "+d.what, reverseChanges(back), after)
			all = append(all, d)
		}
	}
	for _, d := range slices.Backward(all) {
		s.restoreAndCompare(src, "undo, last first, "+d.what, reverseChanges(d.changes), d.before)
	}
	if src.Digest() != start {
		s.Errorf("after undoing everything the data is not as it was")
	}
}

// restoreAndCompare restores and checks the digest. It returns what was
// reported.
func (s *suite) restoreAndCompare(src source, what string, changes []tools.Change, want string) []tools.Change {
	s.Helper()
	if len(changes) == 0 {
		return nil
	}
	if refusesUndo(src, changes) {
		s.checkRefused(src, what, changes)
		return nil
	}
	reported, err := s.restore(src, what, changes)
	if err != nil {
		s.Errorf("%s: %v", what, err)
	}
	if src.Digest() != want {
		s.Errorf("%s: the data is not what it was", what)
	}
	return reported
}

// refusesUndo reports whether the System takes none of these changes back, because one
// of them must stay.
func refusesUndo(src source, changes []tools.Change) bool {
	filter, ok := src.Restorer().(tools.UndoFilter)
	return ok && slices.ContainsFunc(changes, func(c tools.Change) bool { return filter.CheckUndo(c) != nil })
}

// checkRefused checks that changes which refusesUndo reports are refused as that says. That
// they change nothing is checked with every error.
func (s *suite) checkRefused(src source, what string, changes []tools.Change) {
	s.Helper()
	if _, err := s.restore(src, what, changes); err == nil || tools.AsError(err).Code != tools.Denied {
		s.Errorf("%s: want Denied, as CheckUndo says, got %v", what, err)
	}
}

// restore calls Restore, after a refused attempt that must change nothing.
func (s *suite) restore(src source, what string, changes []tools.Change) ([]tools.Change, error) {
	s.Helper()
	try := func(l *changeRecorder) error {
		_, err := s.recoverPanic(what, func() (tools.Result, error) {
			return tools.Result{}, src.Restorer().Restore(s.ctx(), l.callContext(), changes)
		})
		return err
	}
	before := src.Digest()
	refused := s.newRecorder(what)
	refused.refuse = errRefused
	if err := try(refused); refused.reports > 0 && err != errRefused { //nolint:errorlint // as it is
		s.Errorf("%s: BeforeWrite failed, and Restore returned %v", what, err)
	}
	if src.Digest() != before {
		s.Errorf("%s: changed the data although BeforeWrite failed", what)
	}
	l := s.newRecorder(what)
	err := try(l)
	l.checkOutcomes(err != nil)
	if err != nil {
		if src.Digest() != before {
			s.Errorf("%s: returned %v but changed the data", what, err)
		}
		if l.reports > 0 {
			s.Errorf("%s: reported what it would change but then returned %v", what, err)
		}
		return nil, err
	}
	if l.reports == 0 {
		s.Errorf("%s: restored without reporting it", what)
	}
	s.checkAfterStates(src, l)
	return l.changes, nil
}

// checkLaterEditsKept checks that a call is not undone, not even in part, if
// one of its targets was edited later.
func checkLaterEditsKept(s *suite) {
	s.Helper()
	for _, t := range s.writingTools() {
		src := s.openRestorable()
		for _, x := range writingExamples(t) {
			changes := s.callAndCheckReport(src, t, x.In)
			for i, c := range changes {
				if isContainer(c.Target) || equalStates(c.Before, c.After) {
					continue
				}
				other := reverseChanges(changes)
				at := len(changes) - 1 - i
				other[at].Before, other[at].After = c.Before, c.After // as if it had been taken back already
				if refusesUndo(src, other) {
					continue
				}
				s.checkConflict(src, fmt.Sprintf("undo %s after %q was edited", describeCall(t, x.In), c.Target), other, c.Target)
			}
		}
	}
}

// checkConflict checks that restoring changes fails with a conflict that names
// one of targets.
func (s *suite) checkConflict(src source, what string, changes []tools.Change, targets ...string) {
	s.Helper()
	_, err := s.restore(src, what, changes)
	if e := tools.AsError(err); e == nil || e.Code != tools.Conflict || !mentionsTarget(e.Message, targets) {
		s.Errorf("%s: want a conflict that names one of %.200q, got %v", what, targets, err)
	}
}

// mentionsTarget reports whether a message names one of targets, which it may
// cut or quote.
func mentionsTarget(msg string, targets []string) bool {
	for _, t := range targets {
		quoted := strings.Trim(fmt.Sprintf("%q", t), `"`)
		if strings.Contains(msg, truncate(t, 40)) || strings.Contains(msg, truncate(quoted, 40)) {
			return true
		}
	}
	return false
}

func truncate(s string, n int) string { return s[:min(n, len(s))] }

// isContainer reports whether a target is a container such as a folder: no
// conflict if it exists already or must stay.
func isContainer(target string) bool { return strings.HasSuffix(target, "/") }
