// Package update replaces the installed lectern by a release: it finds the
// release, downloads and verifies it, swaps the files, and swaps them back if
// the new one does not work.
//
// It is not a package manager: a binary that one owns is left to it, and the
// right command is named. It never checks for updates by itself; cmd/lectern does
// for a person, never in `lectern serve`. It starts and stops the hub only by the
// functions that it is given.
//
// cmd/lectern imports it. Start reading at [Updater.Apply], then commit.go;
// how releases are made and signed is in docs/releasing.md.
package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"aead.dev/minisign"
)

// A Config says what is installed and which keys to trust.
type Config struct {
	// Mirror is used instead of [Releases]: an https URL below which
	// download/vVERSION/FILE and latest/download/FILE are served.
	Mirror string
	// PlainLoopback allows http to this machine. It is for tests.
	PlainLoopback bool
	// Keys are the minisign public keys that are trusted; nil: [ReleaseKeys].
	Keys []string
	// Minimum is the oldest version that may ever be installed; empty: [Minimum].
	Minimum string

	Version  string // that is running
	OS, Arch string // as Go spells them
	Target   string // the installed binary; a symbolic link is followed
	State    string // folder for downloads and known versions
	Pin      string // the version to stay at; empty: the newest
	Limits   Limits // zero fields: the defaults

	// Inspect runs a binary and returns the output of `version --json`; nil: by os/exec.
	Inspect func(ctx context.Context, binary string) ([]byte, error)
	// Owner finds the package manager that owns a file; nil: by querying them.
	Owner func(ctx context.Context, file string) (PackageManager, bool)
	// Restart replaces a running hub by one of the installed binary, which is of
	// this version. Nil: there is nothing to restart.
	Restart func(ctx context.Context, version string) error
	// Healthy returns nil once a hub of this version serves, or if none is wanted.
	Healthy func(ctx context.Context, version string) error
	// Progress is called for every step. It must not block.
	Progress func(Progress)
	Now      func() time.Time

	// atPoint is called at the points of the swap, so that tests can kill the
	// process there.
	atPoint func(point string)
}

// Limits bound what a server can make us do.
type Limits struct {
	Archive  int64         // bytes of an archive; 128 MiB
	Unpacked int64         // bytes of all its files; 512 MiB
	Files    int           // in an archive; 1,000
	Small    time.Duration // for a list or a signature; 30 s
	Total    time.Duration // for an archive, all tries together; 30 min
	Pace     time.Duration // within which PaceMin bytes must arrive; 30 s
	PaceMin  int64         // 64 KiB
	Tries    int           // for an archive; each resumes the one before; 4
	Health   time.Duration // for the new hub to serve; 30 s
}

func (l Limits) withDefaults() Limits {
	l.Archive = cmp.Or(l.Archive, 128<<20)
	l.Unpacked = cmp.Or(l.Unpacked, 512<<20)
	l.Files = cmp.Or(l.Files, 1000)
	l.Small = cmp.Or(l.Small, 30*time.Second)
	l.Total = cmp.Or(l.Total, 30*time.Minute)
	l.Pace = cmp.Or(l.Pace, 30*time.Second)
	l.PaceMin = cmp.Or(l.PaceMin, 64<<10)
	l.Tries = cmp.Or(l.Tries, 4)
	l.Health = cmp.Or(l.Health, 30*time.Second)
	return l
}

// An Updater updates one installed binary.
type Updater struct {
	Config

	keys   []minisign.PublicKey
	source releaseSource
	web    *http.Client
	known  versionsFile
}

// New checks c. It does not go online and writes nothing.
func New(c Config) (*Updater, error) {
	c.Limits = c.Limits.withDefaults()
	c.Minimum = cmp.Or(c.Minimum, Minimum)
	if c.Keys == nil {
		c.Keys = ReleaseKeys()
	}
	if c.Inspect == nil {
		c.Inspect = inspect
	}
	if c.Owner == nil {
		c.Owner = findPackageManager
	}
	if c.Progress == nil {
		c.Progress = func(Progress) {}
	}
	if c.atPoint == nil {
		c.atPoint = func(string) {}
	}
	if c.Now == nil || c.Target == "" || c.State == "" {
		return nil, errors.New("open updater: Now, Target and State are required")
	}
	u := &Updater{Config: c, known: versionsFile{file: filepath.Join(c.State, "update.json")}}
	var err error
	if u.source, err = newSource(c.Mirror, c.PlainLoopback); err != nil {
		return nil, err
	}
	if u.keys, err = parseKeys(c.Keys); err != nil {
		return nil, err
	}
	if u.Pin != "" && !isVersion(u.Pin) {
		return nil, fmt.Errorf("read configuration: update.pin is %q; it must be a version such as 1.2.3", u.Pin)
	}
	u.web = newWebClient(u.source)
	return u, nil
}

// resolve follows symbolic links to the installed binary: replacing a link would
// leave the binary as it was.
func (u *Updater) resolve() (string, error) {
	real, err := filepath.EvalSymlinks(u.Target)
	if err != nil {
		return "", fmt.Errorf("find installed binary: %w", err)
	}
	info, err := os.Lstat(real)
	if err != nil {
		return "", fmt.Errorf("find installed binary: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("find installed binary: %s is not a regular file", real)
	}
	return real, nil
}
