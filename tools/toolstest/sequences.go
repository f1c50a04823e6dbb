package toolstest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// Sequences of calls: how many in an ordinary run, and how long. The variable
// SEQUENCES of the environment asks for more, as `make sequences` does: a count,
// or two numbers such as 3000-4000, the first and the one after the last.
const (
	defaultSequences = 24
	sequenceLength   = 14
)

// checkSequences has two agents and a person work in one place, in sequences that
// are made up, and then takes back what an agent did.
func checkSequences(s *suite) {
	s.Helper()
	if len(s.writingTools()) == 0 {
		return
	}
	s.openRestorable()
	from, to := seedRange()
	changed := 0
	for i := from; i < to; i++ {
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
	if changed < to-from {
		s.Errorf("%d calls of %d sequences changed anything: give Place.Names to make better ones up", changed, to-from)
	}
}

// seedRange are the seeds to try.
func seedRange() (from, to int) {
	asked := os.Getenv("SEQUENCES") //nolint:forbidigo // only tests run this
	if a, b, ok := strings.Cut(asked, "-"); ok {
		from, _ = strconv.Atoi(a)
		asked = b
	}
	to, _ = strconv.Atoi(asked)
	if to <= from {
		return 0, defaultSequences
	}
	return from, to
}

// A sequence is one place and what was done to it.
type sequence struct {
	*suite
	source
	*argumentGenerator
	what  string
	calls []agentCall
	known map[string]bool // every target so far
}

// An agentCall is a call that changed something, and whose it was.
type agentCall struct {
	agent int
	recordedCall
}

// run lets the two agents call, and the person edit in between unless they
// are alone.
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

// undoAll takes back every call, the last first, when nobody else edited:
// the data is then what it was at the start.
func (q *sequence) undoAll(start string) {
	q.suite.Helper()
	for _, c := range slices.Backward(q.calls) {
		if _, err := q.restore(q.source, "take back "+c.what, reverseChanges(c.changes)); err != nil {
			q.Errorf("take back %s: %v, though nobody else has edited", c.what, err)
			return
		}
	}
	if q.Digest() != start {
		q.Errorf("%s: every call was taken back, but the data is not as before", q.what)
	}
}

// undoOneAgent takes back what one agent did, as far as nobody has edited it
// since, and then that too.
func (q *sequence) undoOneAgent() {
	q.suite.Helper()
	before := q.Digest()
	var backs []recordedCall
	for _, c := range slices.Backward(q.calls) {
		if c.agent != 0 {
			continue
		}
		if back := q.undoCall(c); len(back) > 0 {
			backs = append(backs, recordedCall{what: c.what, changes: back})
		}
	}
	for _, b := range slices.Backward(backs) {
		if _, err := q.restore(q.source, "do again "+b.what, reverseChanges(b.changes)); err != nil {
			q.Errorf("do again %s: %v, though nobody else has edited", b.what, err)
			return
		}
	}
	if q.Digest() != before {
		q.Errorf("%s: everything that was taken back was done again, but the data is not as before", q.what)
	}
}

// undoCall takes one call back: it must work if every target is as the call
// left it, and else conflict and change nothing. No other target changes, unless
// it is part of one that does.
func (q *sequence) undoCall(c agentCall) []tools.Change {
	q.suite.Helper()
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
	what := "take back " + c.what
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
		q.Errorf("%s: %v, though nobody has edited what it changed", what, err)
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
