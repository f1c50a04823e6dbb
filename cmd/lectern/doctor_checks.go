package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// A check is one thing that the doctor looks at.
type check struct {
	name  string // stable; the part before the dot groups it
	title string // what is looked at, as a heading
	// look says what was found. It changes nothing that stays, and name and
	// title are not its business.
	look func(context.Context, *visit) status.Check
	// within bounds look; 0: lookWithin.
	within time.Duration
}

// lookWithin bounds one look, as a folder on a dead disk answers never.
const lookWithin = 20 * time.Second

// checks are all there are, in the order in which they are shown. More of them
// are another line here and a file of their own.
func (v *visit) checks() []check {
	return slices.Concat(
		configChecks(),
		stateChecks(),
		journalChecks(),
		hubChecks(),
		v.sourceChecks(),
		tokenChecks(),
		v.logseqChecks(strings.HasPrefix(v.prefix, "logseq")),
		v.clientChecks(),
		placeChecks(),
	)
}

// A doctor looks at everything that people stumble over, and changes nothing.
type doctor struct {
	*world
	// ask has a person do something and tells whether they did; nil: there is
	// nobody to ask.
	ask func(request string) bool
	// tryWrites lets checks write to a knowledge base, and delete it again.
	tryWrites bool
}

// Check is status.Desk's. The checks run one after the other, in their order.
// It errs when no name begins with prefix.
func (d doctor) Check(ctx context.Context, prefix string) (<-chan status.Check, error) {
	v := d.visit(ctx, prefix)
	wanted := slices.DeleteFunc(v.checks(), func(c check) bool { return !strings.HasPrefix(c.name, prefix) })
	if len(wanted) == 0 {
		return nil, fmt.Errorf("check: no check's name begins with %q", prefix)
	}
	out := make(chan status.Check)
	go func() {
		defer close(out)
		for _, c := range wanted {
			select {
			case out <- v.look(ctx, c):
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}

// names are those of all checks, in their order.
func (d doctor) names() []string {
	var list []string
	for _, c := range d.visit(context.Background(), "logseq").checks() {
		list = append(list, c.name)
	}
	return list
}

// look runs one check, and gives it up when it takes too long.
func (v *visit) look(ctx context.Context, c check) status.Check {
	within := c.within
	if within == 0 {
		within = lookWithin
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	done := make(chan status.Check, 1)
	go func() { done <- c.look(ctx, v) }()
	var found status.Check
	select {
	case found = <-done:
	case <-ctx.Done():
		found = bad(fmt.Sprintf("no answer within %s", within), "See whether the disk or the program behind it still answers.")
	}
	found.Name, found.Title = c.name, c.title
	return found
}

// A visit is one round of the doctor. What several checks want to know is
// found out once.
type visit struct {
	doctor
	prefix  string
	conf    func() (config.Config, error)
	vitals  func() (daemon.Vitals, error)   // of the hub; daemon.ErrNoHub: none runs
	picture func() (status.Snapshot, error) // of the hub that runs

	// asking has the plugin of a graph look around.
	asking    func(ctx context.Context, graph string) (diagnosis, error)
	mu        sync.Mutex           // a check that was given up may still be at it
	diagnoses map[string]diagnosed // by graph
}

func (d doctor) visit(ctx context.Context, prefix string) *visit {
	v := &visit{doctor: d, prefix: prefix, asking: d.diagnose, diagnoses: map[string]diagnosed{}, conf: sync.OnceValues(d.config)}
	v.vitals = sync.OnceValues(func() (daemon.Vitals, error) { return daemon.Ask(ctx, d.hubPaths()) })
	v.picture = sync.OnceValues(func() (status.Snapshot, error) {
		if _, err := v.vitals(); err != nil {
			return status.Snapshot{}, err
		}
		return d.settled(ctx)
	})
	return v
}

func good(format string, args ...any) status.Check {
	return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf(format, args...)}
}

func skipped(format string, args ...any) status.Check {
	return status.Check{Result: status.CheckSkipped, Detail: fmt.Sprintf(format, args...)}
}

func doubt(detail, fix string) status.Check {
	return status.Check{Result: status.CheckWarn, Detail: detail, Fix: fix}
}

func bad(detail, fix string) status.Check {
	return status.Check{Result: status.CheckFail, Detail: detail, Fix: fix}
}

// from is a Problem as a Check: what only notices is no more than a doubt.
func from(p status.Problem) status.Check {
	c := bad(p.Title, p.Fix)
	if p.Severity != status.Error {
		c.Result = status.CheckWarn
	}
	c.Action = p.Action
	return c
}
