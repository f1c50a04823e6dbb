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
	ordinarySequences = 24
	sequenceLength    = 14
)

// sequences has two agents and a person work in one place, in sequences that
// are made up, and then takes back what an agent did.
func sequences(s *suite) {
	s.Helper()
	if len(s.writers()) == 0 {
		return
	}
	s.kept()
	from, to := whichSequences()
	changed := 0
	for i := from; i < to; i++ {
		q := &sequence{suite: s, source: s.kept(), known: map[string]bool{}}
		q.inventor = s.inventor(uint64(i), q.Place)
		q.what = fmt.Sprintf("sequence %d", i)
		start := q.Digest()
		alone := q.Edit == nil || i%3 == 0
		q.work(alone)
		if alone {
			q.takeBackAll(start)
		} else {
			q.takeBackOne()
		}
		changed += len(q.calls)
		_ = q.Close()
	}
	if changed < to-from {
		s.Errorf("%d calls of %d sequences changed anything: give Place.Names to make better ones up", changed, to-from)
	}
}

// whichSequences are the seeds to try.
func whichSequences() (from, to int) {
	asked := os.Getenv("SEQUENCES") //nolint:forbidigo // only tests run this
	if a, b, ok := strings.Cut(asked, "-"); ok {
		from, _ = strconv.Atoi(a)
		asked = b
	}
	to, _ = strconv.Atoi(asked)
	if to <= from {
		return 0, ordinarySequences
	}
	return from, to
}

// A sequence is one place and what was done to it.
type sequence struct {
	*suite
	source
	*inventor
	what  string
	calls []agentCall
	known map[string]bool // every target so far
}

// An agentCall is a call that changed something, and whose it was.
type agentCall struct {
	agent int
	done
}

// work lets the two agents call, and the person edit in between unless they
// are alone.
func (q *sequence) work(alone bool) {
	q.suite.Helper()
	writers := q.writers()
	for range sequenceLength {
		who := q.rand.IntN(3)
		if who == 2 && !alone {
			q.Edit(q.rand.Uint64())
			continue
		}
		t := writers[q.rand.IntN(len(writers))]
		args := encode(q.arguments(t))
		changes := q.reported(q.source, t, args)
		if len(changes) == 0 {
			continue
		}
		q.learn(changes)
		for _, c := range changes {
			q.known[c.Target] = true
		}
		q.calls = append(q.calls, agentCall{who % 2, done{what: q.what + ": " + describe(t, args), changes: changes}})
	}
}

// takeBackAll takes back every call, the last first, when nobody else edited:
// the data is then what it was at the start.
func (q *sequence) takeBackAll(start string) {
	q.suite.Helper()
	for _, c := range slices.Backward(q.calls) {
		if _, err := q.restore(q.source, "take back "+c.what, reversed(c.changes)); err != nil {
			q.Errorf("take back %s: %v, though nobody else has edited", c.what, err)
			return
		}
	}
	if q.Digest() != start {
		q.Errorf("%s: every call was taken back, but the data is not as before", q.what)
	}
}

// takeBackOne takes back what one agent did, as far as nobody has edited it
// since, and then that too.
func (q *sequence) takeBackOne() {
	q.suite.Helper()
	before := q.Digest()
	var backs []done
	for _, c := range slices.Backward(q.calls) {
		if c.agent != 0 {
			continue
		}
		if back := q.takeBack(c); len(back) > 0 {
			backs = append(backs, done{what: c.what, changes: back})
		}
	}
	for _, b := range slices.Backward(backs) {
		if _, err := q.restore(q.source, "do again "+b.what, reversed(b.changes)); err != nil {
			q.Errorf("do again %s: %v, though nobody else has edited", b.what, err)
			return
		}
	}
	if q.Digest() != before {
		q.Errorf("%s: everything that was taken back was done again, but the data is not as before", q.what)
	}
}

// takeBack takes one call back: it must work if every target is as the call
// left it, and else conflict and change nothing. No other target changes, unless
// it is part of one that does.
func (q *sequence) takeBack(c agentCall) []tools.Change {
	q.suite.Helper()
	was := map[string]tools.State{}
	for target := range q.known {
		was[target] = q.state(q.source, target)
	}
	var edited []string
	for _, change := range c.changes {
		if !holdsOthers(change.Target) && !q.same(change.Target, was[change.Target], change.After) {
			edited = append(edited, change.Target)
		}
	}
	what := "take back " + c.what
	if len(edited) > 0 {
		q.conflicts(q.source, what, reversed(c.changes), edited...)
		return nil
	}
	stuck := q.stuck(c.changes)
	back, err := q.restore(q.source, what, reversed(c.changes))
	if stuck && err != nil && tools.AsError(err).Code == tools.Conflict {
		return nil
	}
	if err != nil {
		q.Errorf("%s: %v, though nobody has edited what it changed", what, err)
		return nil
	}
	for target, st := range was {
		now := q.state(q.source, target)
		if !holdsOthers(target) && !q.same(target, now, st) && !q.touched(slices.Concat(c.changes, back), target, st, now) {
			q.Errorf("%s: it also changed %q from %s to %s", what, target, showState(st), showState(now))
		}
	}
	return back
}
