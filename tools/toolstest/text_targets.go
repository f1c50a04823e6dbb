package toolstest

import (
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools"
)

// checkTextTarget writes a text of a person's own in place of what a call has written,
// as the hub does for one who edits it, and takes that back. A System that says that
// a target is text must take any.
func checkTextTarget(s *suite, src source, d recordedCall) {
	s.Helper()
	text := s.kind.Manifest().TextTarget
	for _, c := range d.changes {
		if text == nil || !text(c.Target) || !c.After.Exists {
			continue
		}
		if !utf8.Valid(c.After.Data) {
			s.Errorf("%s: the state of %s is not text, as the System says", d.what, c.Target)
			continue
		}
		written, edited := src.Digest(), c.After
		edited.Data = append(append([]byte{}, c.After.Data...), "\nA line of a person's own.\n"...)
		if _, err := s.restore(src, "edit what was written by "+d.what,
			[]tools.Change{{Target: c.Target, Before: c.After, After: edited}}); err != nil {
			s.Errorf("%s: %s cannot be edited: %v", d.what, c.Target, err)
			continue
		}
		if now, err := src.Restorer().State(s.ctx(), c.Target); err != nil || string(now.Data) != string(edited.Data) {
			s.Errorf("%s: %s holds %.200q (%v) after it was edited", d.what, c.Target, now.Data, err)
		}
		s.restoreAndCompare(src, "take back the edit of "+c.Target, []tools.Change{{Target: c.Target, Before: edited, After: c.After}}, written)
	}
}
