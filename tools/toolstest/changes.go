package toolstest

import (
	"context"
	"errors"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// writingTools returns the tools that write or delete.
func (s *suite) writingTools() []tools.ToolInfo {
	var w []tools.ToolInfo
	for _, t := range s.manifest.Tools {
		if t.Effect == tools.Writes || t.Effect == tools.Deletes {
			w = append(w, t)
		}
	}
	return w
}

// openRestorable opens a source with undo.
func (s *suite) openRestorable() source {
	s.Helper()
	src := s.open("one")
	if src.Restorer() == nil {
		s.Fatalf("%s has tools that write but is not a tools.Restorer, so its changes cannot be undone", s.manifest.Name)
	}
	return src
}

// writingExamples returns the examples of a tool that are not dry runs.
func writingExamples(t tools.ToolInfo) []tools.ExampleInfo {
	var w []tools.ExampleInfo
	for _, x := range t.Examples {
		if decodeObject(x.In)[t.DryRunArgument()] != true {
			w = append(w, x)
		}
	}
	return w
}

// checkChangesReported checks that tools report what they change before they
// change it, and that the report is true.
func checkChangesReported(s *suite) {
	s.Helper()
	for _, t := range s.writingTools() {
		src := s.openRestorable()
		reported := 0
		for _, x := range writingExamples(t) {
			reported += len(s.callAndCheckReport(src, t, x.In))
		}
		if reported == 0 {
			s.Errorf("%s: none of its examples reports a change", t.Name)
		}
		s.checkDryRunReportsNothing(src, t)
	}
}

// callAndCheckReport makes a call that may change something, and compares its
// report with the fixture and with State. It returns the Changes, or nil if
// the call failed, which must leave everything as it was.
func (s *suite) callAndCheckReport(src source, t tools.ToolInfo, args []byte) []tools.Change {
	s.Helper()
	l, before := s.newRecorder(describeCall(t, args)), src.Digest()
	l.onChange = func(ctx context.Context, c tools.Change) {
		if l.reports == 0 && src.Digest() != before {
			s.Errorf("%s: the data changed before the report", l.what)
		}
		if keeper, _ := src.Restorer().(tools.RevisionRestorer); keeper != nil && c.After.Revision != "" {
			if has, err := keeper.HasRevision(ctx, c.Target, c.After.Revision); has || err != nil {
				s.Errorf("%s: %q has the revision %q before it is written (%v)", l.what, c.Target, c.After.Revision, err)
			}
		}
		now, err := src.Restorer().State(ctx, c.Target)
		if err != nil || !equalStates(now, c.Before) {
			s.Errorf("%s: reports that %q holds %s, but it holds %s (error %v)", l.what, c.Target, describeState(c.Before), describeState(now), err)
		}
	}
	got := s.callAs(s.ctx(), l.callContext(), src.OpenedSource, t, args)
	l.checkOutcomes(got.err != nil)
	switch after := src.Digest(); {
	case got.err != nil && after != before:
		s.Errorf("%s: returned %v but changed the data", l.what, got)
		return nil
	case got.err != nil:
		return nil
	case after != before && len(l.changes) == 0:
		s.Errorf("%s: changed the data without reporting it", l.what)
	}
	s.checkAfterStates(src, l)
	checkRevisions(s, src, l)
	s.checkAdditive(t, l.what, l.changes)
	return l.changes
}

// checkRevisions checks that the revisions that a call reported are there, and that one of
// them tells a write from another one of the same contents.
func checkRevisions(s *suite, src source, l *changeRecorder) {
	s.Helper()
	keeper, _ := src.Restorer().(tools.RevisionRestorer)
	for _, c := range l.changes {
		if c.After.Revision == "" {
			continue
		}
		if keeper == nil {
			s.Errorf("%s: reports the revision %q of %q, and the source is no tools.RevisionRestorer", l.what, c.After.Revision, c.Target)
			return
		}
		if has, err := keeper.HasRevision(s.ctx(), c.Target, c.After.Revision); err != nil || !has {
			s.Errorf("%s: %q does not have the revision %q that was reported (%v)", l.what, c.Target, c.After.Revision, err)
		}
		if !c.After.Exists {
			continue
		}
		if now := s.readState(src, c.Target); now.Revision != c.After.Revision {
			s.Errorf("%s: reported that %q would have the revision %q, but it has %q", l.what, c.Target, c.After.Revision, now.Revision)
		}
		other := reverseChanges([]tools.Change{c})
		other[0].Before.Revision = c.After.Revision + "1"
		s.checkConflict(src, l.what+", taken back in another revision", other, c.Target)
	}
}

// checkAfterStates checks that every target holds what the call reported.
func (s *suite) checkAfterStates(src source, l *changeRecorder) {
	s.Helper()
	for _, c := range l.changes {
		if c.AfterUnknown {
			s.Errorf("%s: did not report the unknown After of %q", l.what, c.Target)
			continue
		}
		if now := s.readState(src, c.Target); !equalStates(now, c.After) {
			s.Errorf("%s: reported that %q would hold %s, but it holds %s", l.what, c.Target, describeState(c.After), describeState(now))
		}
	}
}

// checkDryRunReportsNothing checks that a dry run reports no changes.
func (s *suite) checkDryRunReportsNothing(src source, t tools.ToolInfo) {
	s.Helper()
	if t.DryRunArgument() == "" {
		return
	}
	for _, x := range t.Examples {
		args := decodeObject(x.In)
		args[t.DryRunArgument()] = true
		l := s.newRecorder(describeCall(t, encode(args)))
		s.callAs(s.ctx(), l.callContext(), src.OpenedSource, t, encode(args))
		if l.reports > 0 {
			s.Errorf("%s: reports changes in a dry run", l.what)
		}
	}
}

// errRefused is not a *tools.Error, so that it can be recognised.
var errRefused = errors.New("refused by the suite")

// checkRefusedChanges checks that a call changes nothing and returns the same
// error if BeforeWrite fails. This is how a call is shown to a person before
// it is made.
func checkRefusedChanges(s *suite) {
	s.Helper()
	for _, t := range s.writingTools() {
		src := s.openRestorable()
		for _, x := range writingExamples(t) {
			before := src.Digest()
			l := s.newRecorder(describeCall(t, x.In))
			l.refuse = errRefused
			_, err := s.recoverPanic(l.what, func() (tools.Result, error) { return src.Call(s.ctx(), l.callContext(), t.Name, x.In) })
			if l.reports != 1 || !errors.Is(err, errRefused) || !strings.HasPrefix(err.Error(), errRefused.Error()) {
				s.Errorf("%s: reported %d times and answered %v; want one report, and the same error", l.what, l.reports, err)
			}
			l.checkOutcomes(err != nil)
			if src.Digest() != before {
				s.Errorf("%s: changed the data although BeforeWrite failed", l.what)
			}
			s.call(s.ctx(), src.OpenedSource, t, x.In) // the next example may build on it
		}
	}
}
