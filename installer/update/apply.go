package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Result is what was done.
type Result struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Path    string `json:"path"`    // the installed binary
	Changed bool   `json:"changed"` // false: it was of that version already, or a dry run
	DryRun  bool   `json:"dry_run,omitempty"`
}

// Apply installs what w asks for. After an error a working binary is
// installed, as [StepError] says. A hub of the new version that does not serve
// is an error too: the old binary is then back, and its hub.
func (u *Updater) Apply(ctx context.Context, w Wish) (Result, error) {
	target, release, err := u.begin(ctx)
	if err != nil {
		return Result{}, err
	}
	defer release()
	before, err := os.Lstat(target)
	if err != nil {
		return Result{}, fmt.Errorf("find installed binary: %w", err)
	}
	res := Result{From: u.Version, Path: target, DryRun: w.DryRun}
	if b, err := u.look(ctx, target); err == nil {
		res.From = b.Version
	}
	r, err := u.find(ctx, cmp.Or(w.Version, u.Pin))
	if err != nil {
		return res, err
	}
	res.To = r.Version
	if err := u.permits(w, r, res.From); err != nil {
		return res, u.fail(Version, r.Version, err)
	}
	learned := func() error { return u.memory.change(func(s *Seen) { s.saw(r.Version) }) }
	if w.Version == "" {
		learned = func() error { return u.learn(r) }
	}
	if err := learned(); err != nil {
		return res, u.fail(Version, r.Version, err)
	}
	if r.Version == res.From {
		return res, nil
	}
	folder, err := makeStaging(target)
	if err != nil {
		return res, u.fail(Swap, r.Version, err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // the next update sweeps it up
	staged, err := u.obtain(ctx, r, folder)
	if err != nil || w.DryRun {
		return res, err
	}
	if err := u.commit(folder, staged, target, before); err != nil {
		return res, u.fail(Swap, r.Version, err)
	}
	u.done(Swap, "%s is %s now; %s is kept as %s", target, r.Version, res.From, previous(target))
	res.Changed = true
	noted := u.memory.change(func(s *Seen) { s.Previous = noteOf(res.From) })
	if err := u.settle(ctx, res.To); err != nil {
		return u.takeBack(ctx, res, err)
	}
	return res, errors.Join(noted, u.memory.change(func(s *Seen) { s.forgive(r.Version) }))
}

// begin finds what is installed and makes sure that it is ours to replace, by
// this process alone.
func (u *Updater) begin(ctx context.Context) (target string, release func(), err error) {
	if target, err = u.resolve(); err != nil {
		return "", nil, err
	}
	if o, ok := u.Owner(ctx, target); ok {
		return "", nil, &ManagedError{Owner: o, File: target}
	}
	unlock, err := lockFolder(filepath.Dir(target), u.State)
	if err != nil {
		return "", nil, fmt.Errorf("update lectern: %w", err)
	}
	release = func() { _ = unlock() } // closing a folder that was only locked
	if err := sweep(target); err != nil && !errors.Is(err, fs.ErrPermission) && !isReadOnly(err) {
		release()
		return "", nil, fmt.Errorf("update lectern: %w", err)
	}
	return target, release, nil
}

// obtain downloads, verifies and stages the binary of a release, and returns
// its path.
func (u *Updater) obtain(ctx context.Context, r Release, folder string) (string, error) {
	file := archiveName(r.Version, u.OS, u.Arch)
	sum, err := sumOf(r.list, file)
	if err != nil {
		return "", u.fail(Checksum, r.Version, err)
	}
	archive, err := u.archive(ctx, r.Version, file, sum)
	if err != nil {
		return "", err
	}
	p, err := extract(archive, u.OS, u.Limits)
	if err != nil {
		return "", u.fail(Extract, r.Version, err)
	}
	u.done(Extract, "%s, %d bytes", p.name, len(p.binary))
	by, err := u.verify(p.binary, p.signature)
	if err != nil {
		return "", u.fail(Platform, r.Version, fmt.Errorf("%s: %w", p.name, err))
	}
	here := claim{r.Version, u.OS + "/" + u.Arch}
	if c, err := by.claim(); err != nil || c != here {
		return "", u.fail(Platform, r.Version, errors.Join(err, fmt.Errorf(
			"the binary is signed for %q, and this is lectern %s %s; report this release", by.comment, here.version, here.platform)))
	}
	u.done(Platform, "the binary is signed for %s", here.platform)
	staged, err := prepare(folder, p, by)
	if err != nil {
		return "", u.fail(Run, r.Version, err)
	}
	if err := u.suits(ctx, staged, r.Version); err != nil {
		return "", u.fail(Run, r.Version, err)
	}
	u.done(Run, "it runs and says that it is %s", r.Version)
	return staged, os.Remove(archive)
}

// noteOf is a version as the memory takes it: a build may call itself anything.
func noteOf(version string) string {
	if isVersion(version) {
		return version
	}
	return ""
}

// settle makes the hub one of the binary that was just installed.
func (u *Updater) settle(ctx context.Context, version string) error {
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
			return orCause(ctx, err)
		}
	}
	u.done(Restart, "the hub, if one ran, is of version %s", version)
	return nil
}

// takeBack undoes a swap after which the hub did not serve. It goes on even
// when the person has stopped waiting: a hub that does not serve is no state
// to leave anybody in.
func (u *Updater) takeBack(ctx context.Context, res Result, why error) (Result, error) {
	ctx = context.WithoutCancel(ctx)
	bad, good := res.To, res.From
	undo := u.exchange(res.Path)
	if undo != nil {
		return res, u.fail(Restart, bad, fmt.Errorf(
			"version %s is installed, but its hub does not serve (%w), and taking it back went wrong: %w; to go back by hand: mv %q %q",
			bad, why, undo, previous(res.Path), res.Path))
	}
	res.Changed, res.To = false, good
	err := fmt.Errorf("the hub of version %s did not serve (%w); version %s is installed again", bad, why, good)
	return res, u.fail(Restart, bad, errors.Join(err, u.settle(ctx, good), u.memory.change(func(s *Seen) {
		s.blame(bad)
		s.Previous = bad
	})))
}
