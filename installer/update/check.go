package update

import (
	"context"
	"fmt"
	"slices"
)

// A Release is one whose list of files was verified.
type Release struct {
	Version string `json:"version"`
	Page    string `json:"page"` // for a person to read about it

	list string
}

// A State is what is known about versions.
type State struct {
	Installed string `json:"installed"`           // by its own output
	Running   string `json:"running"`             // this process
	Available string `json:"available,omitempty"` // the newest release, or the pinned one
	Pinned    string `json:"pinned,omitempty"`
	Newer     bool   `json:"newer"`            // Available is newer than Installed
	Manual    string `json:"manual,omitempty"` // the page of Available
	Managed   string `json:"managed,omitempty"`
	Command   string `json:"command,omitempty"` // of the package manager that owns the install
}

// Check finds the newest release, or the pinned one, and records only that.
func (u *Updater) Check(ctx context.Context) (State, error) {
	s := State{Running: u.Version, Installed: u.Version, Pinned: u.Pin}
	target, err := u.resolve()
	if err != nil {
		return s, err
	}
	s.Installed = u.installedVersion(ctx, target)
	if o, ok := u.Owner(ctx, target); ok {
		s.Managed, s.Command = o.Name, o.Command
	}
	r, err := u.fetchRelease(ctx, u.Pin)
	if err != nil {
		return s, err
	}
	s.Available, s.Manual = r.Version, r.Page
	s.Newer = isOlder(s.Installed, r.Version) && !slices.Contains(u.known.read().Bad, r.Version)
	return s, u.recordRelease(r)
}

// recordRelease saves what a check has found.
func (u *Updater) recordRelease(r Release) error {
	return u.known.update(func(seen *KnownVersions) {
		seen.Available, seen.Checked = r.Version, u.Now()
		seen.Learned = seen.Checked
		seen.raiseHighest(r.Version)
	})
}

// CheckInstall says why no release at all could be installed here, or nil. It asks the
// package managers of this machine, and not the network.
func (u *Updater) CheckInstall(ctx context.Context) error {
	return u.checkInstallable(func(target string) (PackageManager, bool) { return u.Owner(ctx, target) })
}

// CheckInstallByPath is Ready by the binary's path, without running a package manager: what
// it allows CheckInstall may refuse.
func (u *Updater) CheckInstallByPath() error { return u.checkInstallable(packageManagerByPath) }

func (u *Updater) checkInstallable(owner func(target string) (PackageManager, bool)) error {
	target, err := u.resolve()
	if err != nil {
		return err
	}
	if o, ok := owner(target); ok {
		return &ManagedError{PackageManager: o, File: target}
	}
	if len(u.keys) == 0 {
		return ErrNoKeys
	}
	return nil
}

// Installed is the version of the installed binary, which is run to find out.
func (u *Updater) Installed(ctx context.Context) (string, error) {
	target, err := u.resolve()
	if err != nil {
		return "", err
	}
	b, err := u.inspectBinary(ctx, target)
	return b.Version, err
}

// ReleasePage is where a person can download a version; empty: the newest.
func (u *Updater) ReleasePage(version string) string { return u.source.pageURL(version) }

// fetchRelease gets the signed list of the version, or of the newest if that is
// empty, and verifies who signed it and for which version.
func (u *Updater) fetchRelease(ctx context.Context, version string) (Release, error) {
	if len(u.keys) == 0 {
		return Release{}, u.stepError(Signature, version, ErrNoKeys)
	}
	if version != "" && !isVersion(version) {
		return Release{}, fmt.Errorf("invalid version %q: write it as 1.2.3", version)
	}
	at := u.source.newestURL
	if version != "" {
		at = func(file string) string { return u.source.fileURL(version, file) }
	}
	list, err := u.getSmallFile(ctx, at(checksumsFile))
	if err != nil {
		return Release{}, u.stepError(Signature, version, err)
	}
	sig, err := u.getSmallFile(ctx, at(checksumsFile+signatureSuffix))
	if err != nil {
		return Release{}, u.stepError(Signature, version, err)
	}
	by, err := u.verify(list, sig)
	if err != nil {
		return Release{}, u.stepError(Signature, version, fmt.Errorf("%s: %w", checksumsFile, err))
	}
	u.report(Signature, "%s is signed by key %X", checksumsFile, by.key.ID())
	c, err := by.claim()
	switch {
	case err != nil:
		return Release{}, u.stepError(Version, version, err)
	case c.platform != "":
		return Release{}, u.stepError(Version, version,
			fmt.Errorf("the signature is for a binary of %s, not for a list; do not install it", c.platform))
	case version != "" && c.version != version:
		return Release{}, u.stepError(Version, version, fmt.Errorf(
			"the list for version %s is signed for %s: the server confuses releases or lies; do not install it", version, c.version))
	}
	u.report(Version, "version %s", c.version)
	return Release{Version: c.version, Page: u.source.pageURL(c.version), list: string(list)}, nil
}

// A ApplyOptions says what to install.
type ApplyOptions struct {
	Version        string // empty: the pinned one, else the newest
	AllowDowngrade bool
	DryRun         bool // do everything except install
}

// checkAllowed says why a release may not replace the installed version, or nil.
func (u *Updater) checkAllowed(w ApplyOptions, r Release, installed string) error {
	seen := u.known.read()
	switch {
	case isOlder(r.Version, u.Minimum):
		return fmt.Errorf("version %s is older than %s, the oldest that this build accepts, and has known faults; choose a newer one", r.Version,
			u.Minimum)
	case w.AllowDowngrade:
		return nil
	case isOlder(r.Version, installed):
		return fmt.Errorf("version %s is older than the installed %s; to install it anyway: lectern self-update --version %s --allow-downgrade",
			r.Version, installed, r.Version)
	case w.Version == "" && u.Pin == "" && seen.Highest != "" && isOlder(r.Version, seen.Highest):
		return fmt.Errorf("the server offers %s as the newest, but %s has been seen before: it is outdated or withholds a release; try again "+
			"later, or run: lectern self-update --version %s --allow-downgrade",
			r.Version, seen.Highest, r.Version)
	case w.Version == "" && slices.Contains(seen.Bad, r.Version):
		return fmt.Errorf("version %s was installed here before and undone, because its hub did not serve; to try it again: lectern "+
			"self-update --version %s", r.Version, r.Version)
	}
	return nil
}
