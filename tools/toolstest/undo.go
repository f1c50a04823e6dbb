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

// checkUndo takes back every call of every example, first each by itself and
// then all of them, and the taking back too: the bytes are those of before.
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
			back := s.restoreAndCompare(src, "take back "+d.what, reverseChanges(d.changes), d.before)
			d.changes = s.restoreAndCompare(src, "take back the taking back of "+d.what, reverseChanges(back), after)
			all = append(all, d)
		}
	}
	for _, d := range slices.Backward(all) {
		s.restoreAndCompare(src, "take back, last first, "+d.what, reverseChanges(d.changes), d.before)
	}
	if src.Digest() != start {
		s.Errorf("after everything was taken back the data is not as it was")
	}
}

// restoreAndCompare restores and checks that the digest is then want. It returns what
// was reported.
func (s *suite) restoreAndCompare(src source, what string, changes []tools.Change, want string) []tools.Change {
	s.Helper()
	if len(changes) == 0 {
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

// restore calls Restore, after a refusal that must change nothing.
func (s *suite) restore(src source, what string, changes []tools.Change) ([]tools.Change, error) {
	s.Helper()
	try := func(l *changeRecorder) error {
		_, err := s.recoverPanic(what, func() (tools.Result, error) {
			return tools.Result{}, src.Restorer().Restore(s.ctx(), l, changes)
		})
		return err
	}
	before := src.Digest()
	refused := s.newRecorder(what)
	refused.refuse = errRefused
	if err := try(refused); refused.reports > 0 && err != errRefused { //nolint:errorlint // as it is
		s.Errorf("%s: was refused and answered %v", what, err)
	}
	if src.Digest() != before {
		s.Errorf("%s: changed the data although it was refused", what)
	}
	l := s.newRecorder(what)
	err := try(l)
	if err != nil {
		if src.Digest() != before {
			s.Errorf("%s: answered %v and changed the data all the same", what, err)
		}
		if l.reports > 0 {
			s.Errorf("%s: reported what it would change and then answered %v", what, err)
		}
		return nil, err
	}
	if l.reports == 0 {
		s.Errorf("%s: restored without reporting it", what)
	}
	s.checkAfterStates(src, l)
	return l.changes, nil
}

// checkLaterEditsKept checks that a call is not taken back when one of its targets holds
// something else by now, and that nothing of it is taken back then.
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
				s.checkConflict(src, fmt.Sprintf("take back %s after %q was edited", describeCall(t, x.In), c.Target), other, c.Target)
			}
		}
	}
}

// checkConflict checks that changes cannot be restored because of target.
func (s *suite) checkConflict(src source, what string, changes []tools.Change, targets ...string) {
	s.Helper()
	_, err := s.restore(src, what, changes)
	if e := tools.AsError(err); e == nil || e.Code != tools.Conflict || !mentionsTarget(e.Message, targets) {
		s.Errorf("%s: want a conflict that names one of %.200q, got %v", what, targets, err)
	}
}

// mentionsTarget says whether a message names one of targets. It may cut a long one and
// quote what is odd.
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

// isContainer says whether a target is one that only holds others: it is no
// conflict if it is there already, or must stay for what else is in it.
func isContainer(target string) bool { return strings.HasSuffix(target, "/") }
