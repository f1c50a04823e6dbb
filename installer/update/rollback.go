package update

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Rollback exchanges the installed binary and the previous one, so that a second
// Rollback undoes the first.
func (u *Updater) Rollback(ctx context.Context, dryRun bool) (Result, error) {
	target, release, err := u.lockTarget(ctx)
	if err != nil {
		return Result{}, err
	}
	defer release()
	res := Result{From: u.installedVersion(ctx, target), Path: target, DryRun: dryRun}
	old := previousPath(target)
	info, err := os.Lstat(old)
	if errors.Is(err, fs.ErrNotExist) {
		return res, fmt.Errorf("roll back: %s does not exist: lectern was not updated here; `lectern self-update --version VERSION "+
			"--allow-downgrade` installs an older release", old)
	}
	if err != nil {
		return res, fmt.Errorf("roll back: %w", err)
	}
	if !info.Mode().IsRegular() {
		return res, fmt.Errorf("roll back: %s is not a regular file; remove it", old)
	}
	if now, err := os.Lstat(target); err != nil || belongsToStranger(info, now) {
		return res, fmt.Errorf("roll back: %s belongs neither to you nor to the owner of %s; remove it", old, target)
	}
	b, err := u.inspectBinary(ctx, old)
	if err != nil {
		return res, fmt.Errorf("roll back: %s: %w", old, err)
	}
	res.To = b.Version
	u.report(Run, "%s runs and is version %s", old, b.Version)
	if dryRun {
		return res, nil
	}
	if err := u.exchange(target); err != nil {
		return res, fmt.Errorf("roll back: %w", err)
	}
	u.report(Swap, "%s is now %s; %s is kept as %s", target, res.To, res.From, old)
	res.Changed = true
	if err := u.known.update(func(s *KnownVersions) { s.Previous = validVersion(res.From) }); err != nil {
		return res, err
	}
	if err := u.restartHub(ctx, res.To); err != nil {
		return res, fmt.Errorf("roll back: version %s is installed, but its hub does not serve: %w; `lectern logs` may show why, and a second "+
			"--rollback returns to %s",
			res.To, err, res.From)
	}
	return res, nil
}

// exchange swaps the installed binary and the previous one. The lock is held.
func (u *Updater) exchange(target string) error {
	before, err := os.Lstat(target)
	if err != nil {
		return err
	}
	folder, err := makeStaging(target)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the next update removes it
	staged := filepath.Join(folder, filepath.Base(target))
	if err := linkOrCopy(previousPath(target), staged); err != nil {
		return err
	}
	return u.commit(folder, staged, target, before)
}
