package toolstest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A done is a call that changed something.
type done struct {
	what    string
	before  string // the digest before it
	changes []tools.Change
}

// takenBack takes back every call of every example, first each by itself and
// then all of them, and the taking back too: the bytes are those of before.
func takenBack(s *suite) {
	s.Helper()
	src := s.kept()
	start := src.Digest()
	var all []done
	for _, t := range s.writers() {
		for _, x := range wet(t) {
			d := done{what: describe(t, x.In), before: src.Digest()}
			d.changes = s.reported(src, t, x.In)
			after := src.Digest()
			back := s.restored(src, "take back "+d.what, reversed(d.changes), d.before)
			d.changes = s.restored(src, "take back the taking back of "+d.what, reversed(back), after)
			all = append(all, d)
		}
	}
	for _, d := range slices.Backward(all) {
		s.restored(src, "take back, last first, "+d.what, reversed(d.changes), d.before)
	}
	if src.Digest() != start {
		s.Errorf("after everything was taken back the data is not as it was")
	}
}

// restored restores and checks that the digest is then want. It returns what
// was reported.
func (s *suite) restored(src source, what string, changes []tools.Change, want string) []tools.Change {
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
	try := func(l *ledger) error {
		_, err := s.guarded(what, func() (tools.Result, error) {
			return tools.Result{}, src.Restorer().Restore(s.ctx(), l, changes)
		})
		return err
	}
	before := src.Digest()
	refused := s.ledger(what)
	refused.refuse = errRefused
	if err := try(refused); refused.reports > 0 && err != errRefused { //nolint:errorlint // as it is
		s.Errorf("%s: was refused and answered %v", what, err)
	}
	if src.Digest() != before {
		s.Errorf("%s: changed the data although it was refused", what)
	}
	l := s.ledger(what)
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
	s.holds(src, l)
	return l.changes, nil
}

// editsKept checks that a call is not taken back when one of its targets holds
// something else by now, and that nothing of it is taken back then.
func editsKept(s *suite) {
	s.Helper()
	for _, t := range s.writers() {
		src := s.kept()
		for _, x := range wet(t) {
			changes := s.reported(src, t, x.In)
			for i, c := range changes {
				if holdsOthers(c.Target) || equalStates(c.Before, c.After) {
					continue
				}
				other := reversed(changes)
				at := len(changes) - 1 - i
				other[at].Before, other[at].After = c.Before, c.After // as if it had been taken back already
				s.conflicts(src, fmt.Sprintf("take back %s after %q was edited", describe(t, x.In), c.Target), other, c.Target)
			}
		}
	}
}

// conflicts checks that changes cannot be restored because of target.
func (s *suite) conflicts(src source, what string, changes []tools.Change, targets ...string) {
	s.Helper()
	_, err := s.restore(src, what, changes)
	if e := tools.AsError(err); e == nil || e.Code != tools.Conflict || !names(e.Message, targets) {
		s.Errorf("%s: want a conflict that names one of %.200q, got %v", what, targets, err)
	}
}

// names says whether a message names one of targets. It may cut a long one and
// quote what is odd.
func names(msg string, targets []string) bool {
	for _, t := range targets {
		quoted := strings.Trim(fmt.Sprintf("%q", t), `"`)
		if strings.Contains(msg, clipTo(t, 40)) || strings.Contains(msg, clipTo(quoted, 40)) {
			return true
		}
	}
	return false
}

func clipTo(s string, n int) string { return s[:min(n, len(s))] }

// holdsOthers says whether a target is one that only holds others: it is no
// conflict if it is there already, or must stay for what else is in it.
func holdsOthers(target string) bool { return strings.HasSuffix(target, "/") }
