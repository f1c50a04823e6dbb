package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/filelock"
)

// A Result says what was done.
type Result struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Path    string `json:"path"`    // the installed binary
	Changed bool   `json:"changed"` // false: nothing to do, or a dry run
	DryRun  bool   `json:"dry_run,omitempty"`
}

// Apply downloads, verifies and installs a release. Also after an error a working
// binary is installed; see [StepError]. If the hub of the new version does not
// serve, the old binary is installed again, with its hub.
func (u *Updater) Apply(ctx context.Context, w ApplyOptions) (Result, error) {
	target, release, err := u.lockTarget(ctx)
	if err != nil {
		return Result{}, err
	}
	defer release()
	before, err := os.Lstat(target)
	if err != nil {
		return Result{}, fmt.Errorf("find installed binary: %w", err)
	}
	res := Result{From: u.installedVersion(ctx, target), Path: target, DryRun: w.DryRun}
	r, err := u.fetchRelease(ctx, cmp.Or(w.Version, u.Pin))
	if err != nil {
		return res, err
	}
	res.To = r.Version
	if err := u.checkAllowed(w, r, res.From); err != nil {
		return res, u.stepError(Version, r.Version, err)
	}
	record := func() error { return u.known.update(func(s *KnownVersions) { s.raiseHighest(r.Version) }) }
	if w.Version == "" {
		record = func() error { return u.recordRelease(r) }
	}
	if err := record(); err != nil {
		return res, u.stepError(Version, r.Version, err)
	}
	if r.Version == res.From {
		return res, nil
	}
	folder, err := makeStaging(target)
	if err != nil {
		return res, u.stepError(Swap, r.Version, err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the next update removes it
	staged, err := u.downloadBinary(ctx, r, folder)
	if err != nil || w.DryRun {
		return res, err
	}
	if err := u.commit(folder, staged, target, before); err != nil {
		return res, u.stepError(Swap, r.Version, err)
	}
	u.report(Swap, "%s is now %s; %s is kept as %s", target, r.Version, res.From, previousPath(target))
	res.Changed = true
	saved := u.known.update(func(s *KnownVersions) { s.Previous = validVersion(res.From) })
	if err := u.restartHub(ctx, res.To); err != nil {
		return u.undoUpdate(ctx, res, err)
	}
	return res, errors.Join(saved, u.known.update(func(s *KnownVersions) { s.removeBad(r.Version) }))
}

// lockTarget finds the installed binary, checks that no package manager owns it,
// and locks it against other updates.
func (u *Updater) lockTarget(ctx context.Context) (target string, release func(), err error) {
	if target, err = u.resolve(); err != nil {
		return "", nil, err
	}
	if o, ok := u.Owner(ctx, target); ok {
		return "", nil, &ManagedError{PackageManager: o, File: target}
	}
	lock, err := u.lockFolder(filepath.Dir(target))
	if err != nil {
		return "", nil, fmt.Errorf("update lectern: %w", err)
	}
	release = func() { _ = lock.Release() } // nothing was written
	if err := cleanStaging(target); err != nil && !errors.Is(err, fs.ErrPermission) && !isReadOnly(err) {
		release()
		return "", nil, fmt.Errorf("update lectern: %w", err)
	}
	return target, release, nil
}

// lockFolder locks the folder of the installed binary. Windows locks a file in
// the state folder instead.
func (u *Updater) lockFolder(dir string) (*filelock.Lock, error) {
	if err := os.MkdirAll(u.State, 0o700); err != nil {
		return nil, err
	}
	lock, err := filelock.LockFolder(dir, filepath.Join(u.State, "update.lock"), false)
	if errors.Is(err, filelock.ErrHeld) {
		return nil, errLocked
	}
	return lock, err
}

// downloadBinary downloads, verifies and stages the binary of a release, and returns
// its path.
func (u *Updater) downloadBinary(ctx context.Context, r Release, folder string) (string, error) {
	file := archiveName(r.Version, u.OS, u.Arch)
	sum, err := checksumOf(r.list, file)
	if err != nil {
		return "", u.stepError(Checksum, r.Version, err)
	}
	archive, err := u.archive(ctx, r.Version, file, sum)
	if err != nil {
		return "", err
	}
	p, err := extract(archive, u.OS, u.Limits)
	if err != nil {
		return "", u.stepError(Extract, r.Version, err)
	}
	u.report(Extract, "%s, %d bytes", p.name, len(p.binary))
	by, err := u.verify(p.binary, p.signature)
	if err != nil {
		return "", u.stepError(Platform, r.Version, fmt.Errorf("%s: %w", p.name, err))
	}
	here := signedClaim{r.Version, u.OS + "/" + u.Arch}
	if c, err := by.claim(); err != nil || c != here {
		return "", u.stepError(Platform, r.Version, errors.Join(err, fmt.Errorf(
			"the binary is signed for %q, not for lectern %s %s; report this release", by.comment, here.version, here.platform)))
	}
	u.report(Platform, "the binary is signed for %s", here.platform)
	staged, err := prepare(folder, p, by)
	if err != nil {
		return "", u.stepError(Run, r.Version, err)
	}
	if err := u.checkBinary(ctx, staged, r.Version); err != nil {
		return "", u.stepError(Run, r.Version, err)
	}
	u.report(Run, "it runs and is version %s", r.Version)
	return staged, os.Remove(archive)
}

// validVersion is version, or "" if it is none: a development build may have any.
func validVersion(version string) string {
	if isVersion(version) {
		return version
	}
	return ""
}

// restartHub replaces the hub by one of the binary that was just installed.
func (u *Updater) restartHub(ctx context.Context, version string) error {
	if u.Restart == nil {
		return nil
	}
	if err := u.Restart(ctx, version); err != nil {
		return err
	}
	if u.Healthy != nil {
		ctx, cancel := context.WithTimeoutCause(ctx, u.Limits.Health, fmt.Errorf("it did not serve within %s", u.Limits.Health))
		defer cancel()
		if err := u.Healthy(ctx, version); err != nil {
			return preferCause(ctx, err)
		}
	}
	u.report(Restart, "the hub, if one was running, is of version %s", version)
	return nil
}

// undoUpdate undoes a swap after which the hub did not serve. It ignores that ctx
// is cancelled: nobody should be left with a hub that does not serve.
func (u *Updater) undoUpdate(ctx context.Context, res Result, why error) (Result, error) {
	ctx = context.WithoutCancel(ctx)
	bad, good := res.To, res.From
	undo := u.exchange(res.Path)
	if undo != nil {
		return res, u.stepError(Restart, bad, fmt.Errorf(
			"version %s is installed, but its hub does not serve (%w), and undoing the update failed: %w; to undo it by hand: mv %q %q",
			bad, why, undo, previousPath(res.Path), res.Path))
	}
	res.Changed, res.To = false, good
	err := fmt.Errorf("the hub of version %s did not serve (%w); version %s is installed again", bad, why, good)
	return res, u.stepError(Restart, bad, errors.Join(err, u.restartHub(ctx, good), u.known.update(func(s *KnownVersions) {
		s.addBad(bad)
		s.Previous = bad
	})))
}
