package toolstest

import (
	"context"
	"errors"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// writingTools are the tools whose calls leave Changes.
func (s *suite) writingTools() []tools.ToolInfo {
	var w []tools.ToolInfo
	for _, t := range s.manifest.Tools {
		if t.Effect == tools.Writes || t.Effect == tools.Deletes {
			w = append(w, t)
		}
	}
	return w
}

// openRestorable opens a fresh source whose Changes can be taken back.
func (s *suite) openRestorable() source {
	s.Helper()
	src := s.open("one")
	if src.Restorer() == nil {
		s.Fatalf("%s writes and is no tools.Keeper, so its changes cannot be taken back", s.manifest.Name)
	}
	return src
}

// writingExamples are the examples of a tool that are to change something.
func writingExamples(t tools.ToolInfo) []tools.ExampleInfo {
	var w []tools.ExampleInfo
	for _, x := range t.Examples {
		if decodeObject(x.In)["dry_run"] != true {
			w = append(w, x)
		}
	}
	return w
}

// checkChangesReported checks that every tool that changes something says so
// before it does, and says what is true.
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

// callAndCheckReport makes a call that may change something and checks what it reports
// against the place and the Keeper. It returns the Changes; nil if the call
// answered an error, after which everything must be as before.
func (s *suite) callAndCheckReport(src source, t tools.ToolInfo, args []byte) []tools.Change {
	s.Helper()
	l, before := s.newRecorder(describeCall(t, args)), src.Digest()
	l.onChange = func(ctx context.Context, c tools.Change) {
		if l.reports == 0 && src.Digest() != before {
			s.Errorf("%s: something had changed before it was reported", l.what)
		}
		now, err := src.Restorer().State(ctx, c.Target)
		if err != nil || !equalStates(now, c.Before) {
			s.Errorf("%s: says that %q holds %s, but that is %s (error %v)", l.what, c.Target, describeState(c.Before), describeState(now), err)
		}
	}
	got := s.callAs(s.ctx(), l, src.OpenedSource, t, args)
	switch after := src.Digest(); {
	case got.err != nil && after != before:
		s.Errorf("%s: answered %v and changed the data all the same", l.what, got)
		return nil
	case got.err != nil:
		return nil
	case after != before && len(l.changes) == 0:
		s.Errorf("%s: changed the data and did not report it", l.what)
	}
	s.checkAfterStates(src, l)
	return l.changes
}

// checkAfterStates checks that every target is as the call said it would be.
func (s *suite) checkAfterStates(src source, l *changeRecorder) {
	s.Helper()
	for _, c := range l.changes {
		if c.AfterUnknown {
			s.Errorf("%s: left open what %q would hold, and never told", l.what, c.Target)
			continue
		}
		if now := s.readState(src, c.Target); !equalStates(now, c.After) {
			s.Errorf("%s: said that %q would hold %s, but it holds %s", l.what, c.Target, describeState(c.After), describeState(now))
		}
	}
}

// checkDryRunReportsNothing checks that a dry run reports nothing.
func (s *suite) checkDryRunReportsNothing(src source, t tools.ToolInfo) {
	s.Helper()
	if _, ok := t.In.Properties["dry_run"]; !ok {
		return
	}
	for _, x := range t.Examples {
		args := decodeObject(x.In)
		args["dry_run"] = true
		l := s.newRecorder(describeCall(t, encode(args)))
		s.callAs(s.ctx(), l, src.OpenedSource, t, encode(args))
		if l.reports > 0 {
			s.Errorf("%s: reports changes although it ran dry", l.what)
		}
	}
}

// errRefused is no error of ours, so that it is known again whatever a tool
// does with it.
var errRefused = errors.New("refused by the suite")

// checkRefusedChanges checks that a call whose Changing errs changes nothing and
// answers that very error. A call that is shown to a person first is made so.
func checkRefusedChanges(s *suite) {
	s.Helper()
	for _, t := range s.writingTools() {
		src := s.openRestorable()
		for _, x := range writingExamples(t) {
			before := src.Digest()
			l := s.newRecorder(describeCall(t, x.In))
			l.refuse = errRefused
			_, err := s.recoverPanic(l.what, func() (tools.Result, error) { return src.Call(s.ctx(), l, t.Name, x.In) })
			if l.reports != 1 || !errors.Is(err, errRefused) || !strings.HasPrefix(err.Error(), errRefused.Error()) {
				s.Errorf("%s: reported %d times and answered %v; want one report, and its refusal as it is", l.what, l.reports, err)
			}
			if src.Digest() != before {
				s.Errorf("%s: changed the data although it was refused", l.what)
			}
			s.call(s.ctx(), src.OpenedSource, t, x.In) // the next example may build on it
		}
	}
}
