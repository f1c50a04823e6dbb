package toolstest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

var checkName = regexp.MustCompile(`^[a-z]+$`)

// longestCheck is the longest Timeout of a Check.
const longestCheck = 10 * time.Minute

// checkChecks carries out every Check with and without a person to ask and with
// an ended context. It must answer a result and say what it found; it may change
// something only where it may write.
func checkChecks(s *suite) {
	s.Helper()
	seen := map[string]bool{}
	for _, c := range s.manifest.Checks {
		if !checkName.MatchString(c.Name) || c.Title == "" || seen[c.Name] || c.Timeout > longestCheck {
			s.Errorf("check %q: want a unique name of small letters, a title, and a timeout of at most %s", c.Name, longestCheck)
		}
		seen[c.Name] = true
		src := s.open("one")
		before := src.Digest()
		for _, d := range []suiteDoctor{{}, {interactive: true}, {interactive: true, done: true}} {
			lookAtSource(s.ctx(), s, src, c.Name, d)
		}
		ended, cancel := context.WithCancel(s.ctx())
		cancel()
		lookAtSource(ended, s, src, c.Name, suiteDoctor{})
		if src.Digest() != before {
			s.Errorf("check %s changed the data though it may not write", c.Name)
		}
		lookAtSource(s.ctx(), s, src, c.Name, suiteDoctor{mayWrite: true})
		if _, err := src.Look(s.ctx(), c.Name+"x", suiteDoctor{}); tools.AsError(err).Code != tools.NotFound {
			s.Errorf("check %sx: want not_found, got %v", c.Name, err)
		}
	}
}

func lookAtSource(ctx context.Context, s *suite, src source, name string, d suiteDoctor) {
	s.Helper()
	done := make(chan string, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Sprintf("panic: %v", p)
			}
		}()
		done <- judgeCheck(src.Look(ctx, name, d))
	}()
	select {
	case fault := <-done:
		if fault != "" {
			s.Errorf("check %s with %+v: %s", name, d, fault)
		}
	case <-time.After(s.patience):
		s.Fatalf("check %s with %+v has not returned within %s", name, d, s.patience)
	}
}

// judgeCheck says what is wrong with an answer; empty: nothing.
func judgeCheck(c status.Check, err error) string {
	results := []status.CheckResult{status.CheckOK, status.CheckWarn, status.CheckFail, status.CheckSkipped}
	switch {
	case err != nil:
		return err.Error()
	case !slices.Contains(results, c.Result):
		return fmt.Sprintf("the result is %q", c.Result)
	case c.Detail == "":
		return "it does not say what was found"
	case (c.Result == status.CheckWarn || c.Result == status.CheckFail) && c.Fix == "":
		return "it does not say what to do"
	}
	return ""
}

// A suiteDoctor is a [tools.Doctor] who knows the answers beforehand.
type suiteDoctor struct{ interactive, done, mayWrite bool }

// Interactive implements [tools.Doctor].
func (d suiteDoctor) Interactive() bool { return d.interactive }

// Ask implements [tools.Doctor].
func (d suiteDoctor) Ask(ctx context.Context, _ string) bool { return d.done && ctx.Err() == nil }

// MayWrite implements [tools.Doctor].
func (d suiteDoctor) MayWrite() bool { return d.mayWrite }
