package toolstest

import (
	"context"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// A directCaller is the [tools.SourceCaller] of a call of the suite. There is only
// the call's own source.
type directCaller struct {
	s     *suite
	o     *tools.OpenedSource
	outer tools.CallContext
}

// Call implements [tools.SourceCaller].
func (d directCaller) Call(ctx context.Context, source, tool string, args tools.Arguments) (tools.Result, error) {
	if source != "" {
		return tools.Result{}, tools.Errorf(tools.NotFound, "no source named %.40q", source)
	}
	type outcome struct {
		result tools.Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := d.o.CallWithArguments(ctx, d.outer, tool, args)
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-time.After(d.s.patience):
		d.s.Errorf("a call of %s within a call of the same source takes more than %s: a tool holds no lock while it calls", tool, d.s.patience)
		return tools.Result{}, tools.Errorf(tools.Timeout, "a lock is held")
	}
}

// Sources implements [tools.SourceCaller].
func (d directCaller) Sources() []tools.SourceInfo { return nil }

// checkDrafts runs every example that writes on a draft, which sees the write and
// nobody else does.
func checkDrafts(s *suite) {
	s.Helper()
	src := s.open("one")
	if _, ok := tools.As[tools.Drafter](src.OpenedSource); !ok {
		s.tb.Skipf("%s has no drafts", s.manifest.Name)
	}
	before := src.Digest()
	for _, t := range s.writingTools() {
		draft, err := src.Draft(s.ctx())
		if err != nil {
			s.Fatalf("draft: %v", err)
		}
		held := map[string]tools.State{}
		for _, x := range writingExamples(t) { // one may build on another
			checkDraft(s, src, draft, t, x.In, held)
			if src.Digest() != before {
				s.Fatalf("%s on a draft changes the source", t.Name)
			}
		}
		if err := draft.Close(); err != nil {
			s.Errorf("close draft: %v", err)
		}
	}
}

// checkDraft makes one call on a draft. held is what the source holds of the targets
// of earlier ones.
func checkDraft(s *suite, src source, draft *tools.OpenedSource, t tools.ToolInfo, args []byte, held map[string]tools.State) {
	s.Helper()
	what := describeCall(t, args) + " on a draft"
	l := s.newRecorder(what)
	l.checkOutcomes(s.callAs(s.ctx(), l.callContext(), draft, t, args).err != nil)
	if len(l.changes) == 0 {
		s.Errorf("%s reports no change", what)
	}
	for _, c := range l.changes {
		drafted, err := draft.Restorer().State(s.ctx(), c.Target)
		if err != nil || !c.AfterUnknown && !equalStates(drafted, c.After) {
			s.Errorf("%s: the draft holds %s of %q (%v), and %s was reported", what, describeState(drafted), c.Target, err, describeState(c.After))
		}
		if _, known := held[c.Target]; !known {
			held[c.Target] = c.Before
		}
		if now := s.readState(src, c.Target); !equalStates(now, held[c.Target]) {
			s.Errorf("%s: the source holds %s of %q, and held %s", what, describeState(now), c.Target, describeState(held[c.Target]))
		}
	}
}
