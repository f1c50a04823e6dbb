package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// onDisk is the installed binary, as it was when it was looked at.
type onDisk struct {
	stamp   daemon.Stamp
	version string // empty: it is the one that runs here
}

// updater is one that reports to nobody.
func (l *local) updater() (*update.Updater, error) {
	conf, err := l.settings()
	if err != nil {
		return nil, err
	}
	return update.New(conf)
}

// versions is what is known of them without asking anybody.
func (l *local) versions(ctx context.Context) status.Update {
	u, err := l.updater()
	if err != nil {
		return status.Update{Installed: lecternVersion, Note: err.Error()}
	}
	seen := u.Seen()
	v := status.Update{
		Installed: l.installedVersion(ctx, u), Pinned: u.Pin, Previous: u.Previous(),
		Available: seen.Available, Asked: seen.Learned, URL: u.Page(seen.Available),
	}
	l.mu.Lock()
	v.Note = l.managed
	l.mu.Unlock()
	if err := u.Barred(); err != nil {
		v.Note = err.Error()
	}
	return v
}

// installedVersion asks the installed binary, when it is not the one that was
// there at the last look: another panel may have updated it, or `go install`.
func (l *local) installedVersion(ctx context.Context, u *update.Updater) string {
	now := l.stamp()
	l.mu.Lock()
	seen := l.seen
	l.mu.Unlock()
	if now == seen.stamp {
		return cmp.Or(seen.version, u.Version)
	}
	version, err := u.Installed(ctx)
	if err != nil {
		return cmp.Or(seen.version, u.Version) // it is just being replaced, perhaps
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = onDisk{now, version}
	return version
}

// notice asks the network for a new version, once a day at most, and tells of
// it. Only panels do this: nothing that an agent starts asks the network.
func (l *local) notice(ctx context.Context) {
	conf, err := l.config()
	if err != nil || !l.mayNotice(conf.Update) {
		return
	}
	if u, err := l.updater(); err == nil {
		u.Notice(ctx)
		l.tell(u)
	}
}

// tell shows what is known of releases.
func (l *local) tell(u *update.Updater) {
	offer, seen := u.Offer(), u.Seen()
	l.change(func(a *addition) {
		a.update.Available, a.update.Asked, a.update.URL = seen.Available, seen.Learned, u.Page(seen.Available)
		a.notice = nil
		if offer != "" && offer != a.update.Installed {
			p := updateAvailable.New(hubPart, status.Args{"version": offer, "this": u.Version})
			p.Since, p.Action = seen.Learned, &status.Action{Verb: status.InstallUpdate}
			a.notice = []status.Problem{p}
		}
	})
}

// planUpdate says what an update would do, by what is known already.
func (l *local) planUpdate(ctx context.Context, a status.Action) (status.Plan, error) {
	u, err := l.updater()
	if err != nil {
		return status.Plan{}, err
	}
	plan := status.Plan{Steps: []status.Step{}, Risks: []string{}}
	step := func(format string, args ...any) {
		plan.Steps = append(plan.Steps, status.Step{What: fmt.Sprintf(format, args...)})
	}
	if a.Verb == status.CheckUpdate {
		if err := u.Barred(); errors.Is(err, update.ErrNoKeys) {
			return plan, err
		}
		plan.Title = "Ask for the newest release"
		step("get the signed list of files from %s", u.Page(u.Pin))
		return plan, nil
	}
	installed := l.installedVersion(ctx, u)
	if a.Verb == status.RollBack {
		before := u.Previous()
		if before == "" {
			return plan, errors.New("go back: there is no binary before this one: nothing was updated here")
		}
		plan.Title = fmt.Sprintf("Go back from lectern %s to %s", installed, before)
		step("try %s.prev", l.exe)
		step("exchange %s and %s.prev", l.exe, l.exe)
	} else {
		if err := l.ready(ctx, u); err != nil {
			return plan, err
		}
		to := cmp.Or(a.Target, u.Pin, u.Seen().Available)
		plan.Title = fmt.Sprintf("Update lectern %s to %s", installed, cmp.Or(to, "the newest release"))
		step("get it from %s", u.Page(to))
		step("verify signature, version, checksum and content, and try it")
		step("replace %s; the present one stays beside it as %s.prev", l.exe, l.exe)
	}
	if s, err := firstOf(ctx, l.Client); err == nil && runs(s) {
		step("restart the hub once its calls in flight have ended; if the new one does not serve, go back")
		if n := len(s.Sessions); n > 0 {
			plan.Risks = append(plan.Risks, fmt.Sprintf("%d agents are connected and wait while the hub restarts", n))
		}
	}
	return plan, nil
}

// ready says why no update can be installed here, and keeps it for the picture.
func (l *local) ready(ctx context.Context, u *update.Updater) error {
	err := u.Ready(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := errors.AsType[*update.ManagedError](err); ok {
		l.managed = e.Error()
	}
	return err
}
