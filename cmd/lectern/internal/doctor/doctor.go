// Package doctor checks everything that people stumble over (configuration,
// files, hub, port, sources, plugins, clients, versions) and says what to do. It
// changes nothing and asks no server on the internet; only with TryWrites may
// the Checks of a System write something, which they take back.
//
// The command `lectern doctor` and the panel run it. Every other file holds one
// group: its table of checks, and their functions. A new check is a row in such
// a table. Start reading at [Doctor.Check].
package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// A Doctor is what the checks look at. All fields are required, except Ask.
type Doctor struct {
	install.Planner
	// Snapshot is the running hub's, once its sources have opened.
	Snapshot func(context.Context) (status.Snapshot, error)
	// API is the running hub, for the Checks of Systems.
	API     status.Client
	Updater func(config.Update) (*update.Updater, error)

	// Ask has a person do something and reports whether they did; nil: nobody
	// can be asked.
	Ask func(request string) bool
	// TryWrites lets checks write to a knowledge base and delete that again.
	TryWrites bool
}

// A check is one thing that the doctor looks at.
type check struct {
	name  string // stable; the part before the dot is its group
	title string
	// look returns a result without name and title.
	look    func(context.Context, *checkRun) status.Check
	timeout time.Duration // of look; 0: defaultTimeout
}

// defaultTimeout bounds a check, because a dead disk never answers.
const defaultTimeout = 20 * time.Second

// checks are all checks, in the order in which they are shown.
func (r *checkRun) checks() []check {
	return slices.Concat(configChecks, stateChecks, journalChecks, hubChecks, r.sourceChecks(), tokenChecks,
		r.sourceKindChecks(), r.clientChecks(), installationChecks)
}

// Check runs the checks whose names begin with prefix, one after the other, and
// closes the channel after the last. It implements status.Operator.
func (d Doctor) Check(ctx context.Context, prefix string) (<-chan status.Check, error) {
	r := d.newRun(ctx, prefix)
	selected := slices.DeleteFunc(r.checks(), func(c check) bool { return !strings.HasPrefix(c.name, prefix) })
	if len(selected) == 0 {
		return nil, fmt.Errorf("doctor: no check has a name that begins with %q", prefix)
	}
	out := make(chan status.Check)
	go func() {
		defer close(out)
		for _, c := range selected {
			select {
			case out <- r.runCheck(ctx, c):
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}

// Names are the names of all checks, in their order.
func (d Doctor) Names() []string {
	var list []string
	r := d.newRun(context.Background(), "")
	r.every = true
	for _, c := range r.checks() {
		list = append(list, c.name)
	}
	return list
}

// A checkRun is one round of checks. What several checks need is read once.
type checkRun struct {
	Doctor
	prefix   string
	every    bool // those of Systems that are not used too
	conf     func() (config.Config, error)
	vitals   func() (daemon.Health, error) // daemon.ErrNoHub: no hub is running
	snapshot func() (status.Snapshot, error)
}

func (d Doctor) newRun(ctx context.Context, prefix string) *checkRun {
	r := &checkRun{Doctor: d, prefix: prefix, conf: sync.OnceValues(d.Config)}
	r.vitals = sync.OnceValues(func() (daemon.Health, error) { return daemon.GetHealth(ctx, d.Paths.Daemon()) })
	r.snapshot = sync.OnceValues(func() (status.Snapshot, error) {
		if _, err := r.vitals(); err != nil {
			return status.Snapshot{}, err
		}
		return d.Snapshot(ctx)
	})
	return r
}

// runCheck runs one check, and abandons it at its timeout.
func (r *checkRun) runCheck(ctx context.Context, c check) status.Check {
	timeout := c.timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	done := make(chan status.Check, 1)
	go func() { done <- c.look(ctx, r) }()
	var result status.Check
	select {
	case result = <-done:
	case <-ctx.Done():
		result = failResult(fmt.Sprintf("timed out after %s", timeout), "Check whether the disk or the program behind it still responds.")
	}
	result.Name, result.Title = c.name, c.title
	return result
}

// findHubProblem finds a problem of these types that the running hub shows.
func (r *checkRun) findHubProblem(types ...status.ProblemType) (p status.Problem, found bool) {
	snap, err := r.snapshot()
	if err != nil {
		return p, false
	}
	for _, p := range snap.Problems {
		if slices.ContainsFunc(types, func(t status.ProblemType) bool { return t.Code == p.Code }) {
			return p, true
		}
	}
	return p, false
}

const (
	noHubMessage      = "no hub is running"
	readPermissionFix = "Give yourself permission to read it."
)

func okResult(format string, args ...any) status.Check {
	return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf(format, args...)}
}

func skipResult(format string, args ...any) status.Check {
	return status.Check{Result: status.CheckSkipped, Detail: fmt.Sprintf(format, args...)}
}

func warnResult(detail, fix string) status.Check {
	return status.Check{Result: status.CheckWarn, Detail: detail, Fix: fix}
}

func failResult(detail, fix string) status.Check {
	return status.Check{Result: status.CheckFail, Detail: detail, Fix: fix}
}

// addResultAction adds what the panel can do about a result.
func addResultAction(c status.Check, verb status.Verb, target string) status.Check {
	c.Action = &status.Action{Verb: verb, Target: target}
	return c
}

// fromProblem is a Problem as a Check. Only an error fails it.
func fromProblem(p status.Problem) status.Check {
	c := failResult(p.Title, p.Fix)
	if p.Severity != status.Error {
		c.Result = status.CheckWarn
	}
	c.Action = p.Action
	return c
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}
