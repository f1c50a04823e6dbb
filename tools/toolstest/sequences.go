package toolstest

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// sequenceLength is the number of calls and edits of a random sequence.
const sequenceLength = 14

// checkSequences lets two agents and a person work on one source in random
// sequences, and then undoes what an agent did.
func checkSequences(s *suite) {
	s.Helper()
	if len(s.writingTools()) == 0 {
		return
	}
	s.openRestorable()
	played, changed := 0, 0
	for i := range SequenceSeeds() {
		played++
		q := &sequence{suite: s, source: s.openRestorable(), known: map[string]bool{}}
		q.argumentGenerator = s.newGenerator(uint64(i), q.Fixture)
		q.what = fmt.Sprintf("sequence %d", i)
		start := q.Digest()
		alone := q.Edit == nil || i%3 == 0
		q.run(alone)
		if alone {
			q.undoAll(start)
		} else {
			q.undoOneAgent()
		}
		changed += len(q.calls)
		_ = q.Close()
	}
	if changed < played {
		s.Errorf("only %d calls of %d sequences changed anything: set Fixture.Names to generate better calls", changed, played)
	}
}

// SequenceSeeds are the seeds of random sequences to try. The environment variable SEQUENCES, which `make
// sequences` sets, says how many, or by two numbers such as 3000-4000 which. One call
// follows the other: concurrent calls are another check.
func SequenceSeeds() iter.Seq[int] {
	asked := os.Getenv("SEQUENCES") //nolint:forbidigo // only tests run this
	first, last, isRange := strings.Cut(asked, "-")
	if !isRange {
		first, last = "0", asked
	}
	from, _ := strconv.Atoi(first)
	to, _ := strconv.Atoi(last)
	if to <= from {
		return runtest.Seeds(240, 16, 6)
	}
	return func(yield func(int) bool) {
		for seed := from; seed < to && yield(seed); seed++ {
		}
	}
}

// A sequence is one source and what was done to it.
type sequence struct {
	*suite
	source
	*argumentGenerator
	what  string
	calls []agentCall
	known map[string]bool // every target so far
}

// An agentCall is a call that changed something, and the agent that made it.
type agentCall struct {
	agent int
	recordedCall
}

// run lets the two agents call tools, and the person edit in between unless
// alone is set.
func (q *sequence) run(alone bool) {
	q.suite.Helper()
	writers := q.writingTools()
	for range sequenceLength {
		who := q.rand.IntN(3)
		if who == 2 && !alone {
			q.Edit(q.rand.Uint64())
			continue
		}
		t := writers[q.rand.IntN(len(writers))]
		args := encode(q.arguments(t))
		changes := q.callAndCheckReport(q.source, t, args)
		if len(changes) == 0 {
			continue
		}
		q.learn(changes)
		for _, c := range changes {
			q.known[c.Target] = true
		}
		q.calls = append(q.calls, agentCall{who % 2, recordedCall{what: q.what + ": " + describeCall(t, args), changes: changes}})
	}
}

// undoAll undoes every call, the last first, if nobody else edited. The data
// must then be what it was at the start, or if the System refuses to take a call back,
// what else is undone must be as it was.
func (q *sequence) undoAll(start string) {
	q.suite.Helper()
	anyStays := false
	for _, c := range slices.Backward(q.calls) {
		anyStays = anyStays || refusesUndo(q.source, reverseChanges(c.changes))
		if anyStays {
			q.undoCall(c) // earlier calls may have targets of it
			continue
		}
		stuck := q.blocked(c.changes)
		_, err := q.restore(q.source, "undo "+c.what, reverseChanges(c.changes))
		if stuck && err != nil && tools.AsError(err).Code == tools.Conflict {
			return
		}
		if err != nil {
			q.Errorf("undo %s: %v, although nobody else edited", c.what, err)
			return
		}
	}
	if !anyStays && q.Digest() != start {
		q.Errorf("%s: every call was undone, but the data is not as before", q.what)
	}
}

// undoOneAgent undoes what one agent did, as far as nobody edited it later,
// and then undoes the undo. A call whose undo must stay is undone after that.
func (q *sequence) undoOneAgent() {
	q.suite.Helper()
	before := q.Digest()
	var backs []recordedCall
	var final []agentCall // no undo of their undo is allowed
	for _, c := range slices.Backward(q.calls) {
		if c.agent != 0 {
			continue
		}
		if refusesUndo(q.source, c.changes) {
			final = append(final, c)
		} else if back := q.undoCall(c); len(back) > 0 {
			backs = append(backs, recordedCall{what: c.what, changes: back})
		}
	}
	for _, b := range slices.Backward(backs) {
		_, err := q.restore(q.source, "redo "+b.what, reverseChanges(b.changes))
		if err != nil && tools.AsError(err).Code == tools.Conflict && q.blocked(b.changes) {
			return // what the undo made has become a part of something else
		}
		if err != nil {
			q.Errorf("redo %s: %v, although nobody else edited", b.what, err)
			return
		}
	}
	if q.Digest() != before {
		q.Errorf("%s: every undo was undone, but the data is not as before", q.what)
	}
	for _, c := range final {
		if back := q.undoCall(c); len(back) > 0 {
			q.checkRefused(q.source, "redo "+c.what, reverseChanges(back))
		}
	}
}

// undoCall undoes one call. It must succeed if every target is as the call
// left it, and otherwise return a conflict and change nothing. No unrelated
// target may change. What the System refuses to take back must be refused.
func (q *sequence) undoCall(c agentCall) []tools.Change {
	q.suite.Helper()
	if refusesUndo(q.source, reverseChanges(c.changes)) {
		q.checkRefused(q.source, "undo "+c.what, reverseChanges(c.changes))
		return nil
	}
	was := map[string]tools.State{}
	for target := range q.known {
		was[target] = q.readState(q.source, target)
	}
	var edited []string
	for _, change := range c.changes {
		if !isContainer(change.Target) && !q.sameState(change.Target, was[change.Target], change.After) {
			edited = append(edited, change.Target)
		}
	}
	what := "undo " + c.what
	if len(edited) > 0 {
		q.checkConflict(q.source, what, reverseChanges(c.changes), edited...)
		return nil
	}
	stuck := q.blocked(c.changes)
	back, err := q.restore(q.source, what, reverseChanges(c.changes))
	if stuck && err != nil && tools.AsError(err).Code == tools.Conflict {
		return nil
	}
	if err != nil {
		q.Errorf("%s: %v, although nobody edited what it changed", what, err)
		return nil
	}
	for target, st := range was {
		now := q.readState(q.source, target)
		if !isContainer(target) && !q.sameState(target, now, st) && !q.affected(slices.Concat(c.changes, back), target, st, now) {
			q.Errorf("%s: it also changed %q from %s to %s", what, target, describeState(st), describeState(now))
		}
	}
	return back
}
