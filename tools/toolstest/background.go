package toolstest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// checkProblems checks the names of the Problem types.
func checkProblems(s *suite) {
	s.Helper()
	seen := map[string]bool{}
	for _, p := range s.manifest.Problems {
		if !strings.HasPrefix(p.Code, s.manifest.Name+".") || seen[p.Code] || p.Title == "" || p.Fix == "" || p.Description == "" {
			s.Errorf("problem %q: its code must begin with %q and be unique, and its texts must not be empty", p.Code, s.manifest.Name+".")
		}
		seen[p.Code] = true
	}
}

// checkBackground runs the background work of a source beside its examples, and
// checks that it ends with its context and reports what it declares.
func checkBackground(s *suite) {
	s.Helper()
	report := &reportChecker{s: s, tasks: map[string]bool{}}
	e := newEnv("one")
	e.Report = report
	src := s.openAt(s.fixture(s.tb), e)
	runner, ok := tools.As[tools.Runner](src.OpenedSource)
	if !ok {
		s.tb.Skipf("%s does nothing in the background", s.manifest.Name)
	}
	ctx, cancel := context.WithCancel(s.ctx())
	ended := make(chan error, 1)
	go func() { ended <- runner.Run(ctx) }()
	for _, t := range s.manifest.Tools {
		for _, x := range t.Examples {
			s.call(s.ctx(), src.OpenedSource, t, x.In)
		}
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil && ctx.Err() == nil {
			s.Errorf("Run: %v", err)
		}
	case <-time.After(s.patience):
		s.Fatalf("Run has not returned %s after its context ended", s.patience)
	}
	report.mu.Lock()
	defer report.mu.Unlock()
	if report.held > 0 {
		s.Errorf("Run has returned and %d reasons still keep the hub", report.held)
	}
}

// A reportChecker is a [tools.Reporter] that checks what it is told.
type reportChecker struct {
	s *suite

	mu    sync.Mutex
	tasks map[string]bool
	held  int
}

// Progress implements [tools.Reporter].
func (r *reportChecker) Progress(task string, done, total int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if task == "" || done < 0 || total < 0 || total > 0 && done > total {
		r.s.Errorf("background work reports %d of %d of task %q", done, total, task)
	}
	if r.tasks[task] = true; total > 0 && done == total {
		delete(r.tasks, task)
	}
	if len(r.tasks) > 8 {
		r.s.Errorf("background work reports more than 8 tasks at a time")
	}
}

// Raise implements [tools.Reporter].
func (r *reportChecker) Raise(p status.ProblemType, args status.Args) {
	if !slices.Contains(r.s.manifest.Problems, p) {
		r.s.Errorf("a problem %q is raised that is not declared", p.Code)
	}
	words := status.Args{"source": "one"}
	maps.Copy(words, args)
	if made := p.New("one", words); strings.ContainsAny(made.Title+made.Fix, "{}") {
		r.s.Errorf("the problem %q is raised without all its words: %s %s", p.Code, made.Title, made.Fix)
	}
}

// Clear implements [tools.Reporter].
func (r *reportChecker) Clear(p status.ProblemType) {
	if !slices.Contains(r.s.manifest.Problems, p) {
		r.s.Errorf("a problem %q is cleared that is not declared", p.Code)
	}
}

// BlockIdleExit implements [tools.Reporter].
func (r *reportChecker) BlockIdleExit(string) (release func()) {
	r.count(+1)
	return sync.OnceFunc(func() { r.count(-1) })
}

func (r *reportChecker) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held += n
}
