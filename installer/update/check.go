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
	by   proof
}

// A State is what there is to know about versions.
type State struct {
	Installed string `json:"installed"`           // what the installed binary says of itself
	Running   string `json:"running"`             // this process
	Available string `json:"available,omitempty"` // the newest release, or the pinned one
	Pinned    string `json:"pinned,omitempty"`
	Newer     bool   `json:"newer"`            // Available is newer than Installed
	Manual    string `json:"manual,omitempty"` // the page of Available
	Managed   string `json:"managed,omitempty"`
	Command   string `json:"command,omitempty"` // of the package manager that owns the install
}

// Check finds the newest release, or the pinned one. It changes nothing but
// what is remembered of it.
func (u *Updater) Check(ctx context.Context) (State, error) {
	s := State{Running: u.Version, Installed: u.Version, Pinned: u.Pin}
	target, err := u.resolve()
	if err != nil {
		return s, err
	}
	if b, err := u.look(ctx, target); err == nil {
		s.Installed = b.Version
	}
	if o, ok := u.Owner(ctx, target); ok {
		s.Managed, s.Command = o.Manager, o.Command
	}
	r, err := u.find(ctx, u.Pin)
	if err != nil {
		return s, err
	}
	s.Available, s.Manual = r.Version, r.Page
	s.Newer = older(s.Installed, r.Version) && !slices.Contains(u.memory.read().Bad, r.Version)
	return s, u.learn(r)
}

// learn remembers what a check has found.
func (u *Updater) learn(r Release) error {
	return u.memory.change(func(seen *Seen) {
		seen.Available, seen.Checked = r.Version, u.Now()
		seen.Learned = seen.Checked
		seen.saw(r.Version)
	})
}

// Ready says why nothing could be installed here, whatever is released, or nil.
// It asks the package managers of this machine, and not the network.
func (u *Updater) Ready(ctx context.Context) error {
	target, err := u.resolve()
	if err != nil {
		return err
	}
	if o, ok := u.Owner(ctx, target); ok {
		return &ManagedError{Owner: o, File: target}
	}
	if len(u.keys) == 0 {
		return ErrNoKeys
	}
	return nil
}

// Barred says the same by the path alone, and asks nobody: what it lets pass
// Ready may refuse.
func (u *Updater) Barred() error {
	target, err := u.resolve()
	if err != nil {
		return err
	}
	if o, ok := ownerByPlace(target); ok {
		return &ManagedError{Owner: o, File: target}
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
	b, err := u.look(ctx, target)
	return b.Version, err
}

// Page is where a person gets a version by hand; empty: the newest.
func (u *Updater) Page(version string) string { return u.source.page(version) }

// find gets the signed list of the version, or of the newest when that is
// empty, and verifies whose it is and of what.
func (u *Updater) find(ctx context.Context, version string) (Release, error) {
	if len(u.keys) == 0 {
		return Release{}, u.fail(Signature, version, ErrNoKeys)
	}
	if version != "" && !isVersion(version) {
		return Release{}, fmt.Errorf("%q is no version; write it as 1.2.3", version)
	}
	at := u.source.newest
	if version != "" {
		at = func(file string) string { return u.source.at(version, file) }
	}
	list, err := u.small(ctx, at(sums))
	if err != nil {
		return Release{}, u.fail(Signature, version, err)
	}
	sig, err := u.small(ctx, at(sums+signature))
	if err != nil {
		return Release{}, u.fail(Signature, version, err)
	}
	by, err := u.verify(list, sig)
	if err != nil {
		return Release{}, u.fail(Signature, version, fmt.Errorf("%s: %w", sums, err))
	}
	u.done(Signature, "%s is signed by key %X", sums, by.key.ID())
	c, err := by.claim()
	switch {
	case err != nil:
		return Release{}, u.fail(Version, version, err)
	case c.platform != "":
		return Release{}, u.fail(Version, version, fmt.Errorf("the signature is for a binary of %s, not for a list; do not install it", c.platform))
	case version != "" && c.version != version:
		return Release{}, u.fail(Version, version, fmt.Errorf(
			"version %s was asked for and the list is signed for %s; the server mixes releases up or lies: do not install it", version, c.version))
	}
	u.done(Version, "version %s", c.version)
	return Release{Version: c.version, Page: u.source.page(c.version), list: string(list), by: by}, nil
}

// A Wish is what a person asks for.
type Wish struct {
	Version        string // empty: the pinned one, else the newest
	AllowDowngrade bool
	DryRun         bool // do all but install
}

// permits says why a release may not replace the installed version, or nil.
func (u *Updater) permits(w Wish, r Release, installed string) error {
	seen := u.memory.read()
	switch {
	case older(r.Version, u.Minimum):
		return fmt.Errorf("version %s is older than %s, the oldest that this build may be replaced by: it has known faults; choose a newer one", r.Version, u.Minimum)
	case w.AllowDowngrade:
		return nil
	case older(r.Version, installed):
		return fmt.Errorf("version %s is older than the installed %s; if you mean it: lectern self-update --version %s --allow-downgrade", r.Version, installed, r.Version)
	case w.Version == "" && u.Pin == "" && seen.Highest != "" && older(r.Version, seen.Highest):
		return fmt.Errorf("the server offers %s as the newest, but %s has been seen before: it is behind or keeps something back; try again later, or: lectern self-update --version %s --allow-downgrade",
			r.Version, seen.Highest, r.Version)
	case w.Version == "" && slices.Contains(seen.Bad, r.Version):
		return fmt.Errorf("version %s was installed here before and its hub did not serve, so it was taken back; to try it again: lectern self-update --version %s", r.Version, r.Version)
	}
	return nil
}
