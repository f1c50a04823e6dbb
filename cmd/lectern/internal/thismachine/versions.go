package thismachine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// An installedBinary is the binary on disk at the last scan.
type installedBinary struct {
	stamp   daemon.BuildInfo
	version string // empty: it is the one that runs here
}

// updater reports no progress.
func (m *Machine) updater() (*update.Updater, error) {
	conf, err := m.conf.Updates()
	if err != nil {
		return nil, err
	}
	return update.New(conf)
}

// versions is what is known of versions without using the network.
func (m *Machine) versions(ctx context.Context) status.Update {
	u, err := m.updater()
	if err != nil {
		return status.Update{Installed: m.conf.Version, Note: err.Error()}
	}
	seen := u.KnownVersions()
	v := status.Update{
		Installed: m.installedVersion(ctx, u), Pinned: u.Pin, Previous: u.Previous(),
		Available: seen.Available, Asked: seen.Learned, URL: u.ReleasePage(seen.Available),
	}
	m.mu.Lock()
	v.Note = m.manager
	m.mu.Unlock()
	if err := u.CheckInstallByPath(); err != nil {
		v.Note = err.Error()
	}
	return v
}

// installedVersion asks the installed binary if it has changed since the last
// scan: another panel may have updated it, or `go install`.
func (m *Machine) installedVersion(ctx context.Context, u *update.Updater) string {
	now := m.conf.BuildInfo()
	m.mu.Lock()
	seen := m.binary
	m.mu.Unlock()
	if now == seen.stamp {
		return cmp.Or(seen.version, u.Version)
	}
	version, err := u.Installed(ctx)
	if err != nil {
		return cmp.Or(seen.version, u.Version) // it may be in the middle of a swap
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.binary = installedBinary{now, version}
	return version
}

// checkForUpdate asks the network for a new version, at most once a day, and
// shows it. Only panels do this: agents cause no network requests.
func (m *Machine) checkForUpdate(ctx context.Context) {
	conf, err := m.conf.Config()
	if err != nil || !mayCheckForUpdate(m.conf.App, conf.Update) {
		return
	}
	if u, err := m.updater(); err == nil {
		u.Notice(ctx)
		m.showReleases(u)
	}
}

// showReleases shows what is known of releases.
func (m *Machine) showReleases(u *update.Updater) {
	offer, seen := u.NewerVersion(), u.KnownVersions()
	m.changeLocalState(func(l *machineSnapshot) {
		l.update.Available, l.update.Asked, l.update.URL = seen.Available, seen.Learned, u.ReleasePage(seen.Available)
		l.notices = nil
		if offer != "" && offer != l.update.Installed {
			p := problems.UpdateAvailable.New(problems.HubComponent, status.Args{"version": offer, "this": u.Version})
			p.Since, p.Action = seen.Learned, &status.Action{Verb: status.InstallUpdate}
			l.notices = []status.Problem{p}
		}
	})
}

// planUpdate says what an update would do, without using the network.
func (m *Machine) planUpdate(ctx context.Context, a status.Action) (status.Plan, error) {
	u, err := m.updater()
	if err != nil {
		return status.Plan{}, err
	}
	plan := status.Plan{Steps: []status.Step{}, Risks: []string{}}
	step := func(format string, args ...any) {
		plan.Steps = append(plan.Steps, status.Step{Description: fmt.Sprintf(format, args...)})
	}
	if a.Verb == status.CheckUpdate {
		if err := u.CheckInstallByPath(); errors.Is(err, update.ErrNoKeys) {
			return plan, err
		}
		plan.Title = "Check for a new release"
		step("get the signed list of files from %s", u.ReleasePage(u.Pin))
		return plan, nil
	}
	installed, exe := m.installedVersion(ctx, u), m.conf.Exe
	if a.Verb == status.RollBack {
		before := u.Previous()
		if before == "" {
			return plan, errors.New("roll back: there is no previous binary, because nothing was updated here")
		}
		plan.Title = fmt.Sprintf("Roll back from lectern %s to %s", installed, before)
		step("test %s.prev", exe)
		step("exchange %s and %s.prev", exe, exe)
	} else {
		if err := m.checkUpdatable(ctx, u); err != nil {
			return plan, err
		}
		to := cmp.Or(a.Target, u.Pin, u.KnownVersions().Available)
		plan.Title = fmt.Sprintf("Update lectern %s to %s", installed, cmp.Or(to, "the newest release"))
		step("download it from %s", u.ReleasePage(to))
		step("verify signature, version, checksum and content, and test it")
		step("replace %s; the present binary is kept as %s.prev", exe, exe)
	}
	if s, err := firstSnapshot(ctx, m.Client); err == nil && HubRunning(s) {
		step("restart the hub when its calls in flight have ended; if the new hub does not serve, roll back")
		if n := len(s.Sessions); n > 0 {
			plan.Risks = append(plan.Risks, fmt.Sprintf("%d agents are connected and wait while the hub restarts", n))
		}
	}
	return plan, nil
}

// checkUpdatable says why no update can be installed here, and remembers a
// package manager for the snapshot.
func (m *Machine) checkUpdatable(ctx context.Context, u *update.Updater) error {
	err := u.CheckInstall(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := errors.AsType[*update.ManagedError](err); ok {
		m.manager = e.Error()
	}
	return err
}
