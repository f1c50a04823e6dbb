package hub

import (
	"maps"
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// maxShownTasks is how many background tasks of a source are shown.
const maxShownTasks = 8

// A reporter is the [tools.Reporter] of one opened source: what it shows belongs
// to the source until the source is closed.
type reporter struct {
	source *source

	// raising is held while Problems are raised and cleared, and mu is not: the
	// snapshot is locked then, and fill waits for mu while it is.
	raising sync.Mutex
	mu      sync.Mutex
	closed  bool
	tasks   []status.Task
	raised  map[string]status.Problem // by code
	holds   []*string
	hidden  *status.HiddenPages
}

func newReporter(s *source) *reporter {
	return &reporter{source: s, raised: map[string]status.Problem{}}
}

// Progress implements [tools.Reporter].
func (r *reporter) Progress(task string, done, total int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.tasks, func(t status.Task) bool { return t.Name == task })
	switch {
	case r.closed:
		return
	case total > 0 && done >= total:
		if i >= 0 {
			r.tasks = slices.Delete(r.tasks, i, i+1)
		}
	case i >= 0:
		r.tasks[i].Done, r.tasks[i].Total = done, total
	case len(r.tasks) < maxShownTasks:
		r.tasks = append(r.tasks, status.Task{Name: task, Done: done, Total: total, Since: r.source.hub.now()})
	}
	r.source.hub.snapshot.requestUpdate()
}

// Raise implements [tools.Reporter].
func (r *reporter) Raise(t status.ProblemType, args status.Args) {
	declared := func(d status.ProblemType) bool { return d.Code == t.Code }
	if !slices.ContainsFunc(r.source.kind.Manifest().Problems, declared) {
		r.source.hub.log.Error("a source raised a Problem that its System does not declare", "component", r.source.conf.Name, "code", t.Code)
		return
	}
	r.raise(t, args)
}

// raise shows a Problem of the System, or of the hub about the source.
func (r *reporter) raise(t status.ProblemType, args status.Args) {
	words := status.Args{"source": r.source.conf.Name}
	maps.Copy(words, args)
	p := t.New(r.source.conf.Name, words)
	r.raising.Lock()
	defer r.raising.Unlock()
	r.mu.Lock()
	known := r.closed || r.raised[t.Code].Title == p.Title
	if !known {
		r.raised[t.Code] = p
	}
	r.mu.Unlock()
	if known {
		return
	}
	r.source.hub.snapshot.raiseProblem(p)
	r.source.hub.snapshot.requestUpdate()
}

// Clear implements [tools.Reporter].
func (r *reporter) Clear(t status.ProblemType) {
	r.raising.Lock()
	defer r.raising.Unlock()
	r.mu.Lock()
	_, shown := r.raised[t.Code]
	delete(r.raised, t.Code)
	r.mu.Unlock()
	if !shown {
		return
	}
	r.source.hub.snapshot.clearProblem(t.Code, r.source.conf.Name)
	r.source.hub.snapshot.requestUpdate()
}

// BlockIdleExit implements [tools.Reporter].
func (r *reporter) BlockIdleExit(why string) (release func()) {
	hold := &why
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.holds = append(r.holds, hold)
		r.source.hub.snapshot.requestUpdate()
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if i := slices.Index(r.holds, hold); i >= 0 {
			r.holds = slices.Delete(r.holds, i, i+1)
			r.source.hub.snapshot.requestUpdate()
		}
	}
}

// fillStatus adds what the source reports to its status.
func (r *reporter) fillStatus(s *status.Source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Tasks = slices.Clone(r.tasks)
	for _, why := range r.holds {
		s.Holds = append(s.Holds, *why)
	}
	s.Hidden = r.hidden
	if s.State != status.Ready {
		return
	}
	for _, p := range r.raised {
		if p.Code != sourceRuleProblem.Code { // which says nothing about how the source works
			s.State, s.Note = status.Degraded, p.Title
		}
	}
}

// close removes everything that is shown.
func (r *reporter) close() {
	r.raising.Lock()
	defer r.raising.Unlock()
	r.mu.Lock()
	raised := r.raised
	r.closed, r.raised = true, map[string]status.Problem{}
	r.tasks, r.holds, r.hidden = nil, nil, nil
	r.mu.Unlock()
	for code := range raised {
		r.source.hub.snapshot.clearProblem(code, r.source.conf.Name)
	}
	r.source.hub.snapshot.requestUpdate()
}

var _ tools.Reporter = (*reporter)(nil)
