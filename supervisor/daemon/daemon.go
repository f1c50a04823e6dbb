// Package daemon finds, starts, adopts and replaces the hub process, and runs
// the outer part of that process: its lock, its two sockets, its discovery
// file, and the decision to shut down.
//
// It does not know what is served: the hub's MCP streams and the control
// handler are given to it as functions, so that this package can be tested
// with an echo. It does not trust a pid: the hub is the process that holds
// hub.lock.
//
// Only cmd/lectern imports it. The hub's end starts at [Run], the other end at
// [Connect]; the messages between the two are in hello.go.
package daemon

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Wire is the version of the messages before the MCP stream and of the control
// socket. A hub also accepts a Hello of the version before its own.
const Wire = 3

// ErrNoHub means that no hub is running for this user.
var ErrNoHub = errors.New("no hub is running")

// Paths are the two directories of a user's hub. One pair, one hub.
type Paths struct {
	Runtime string // locks, sockets, hub.json; made 0700 when absent
	State   string // working directory and output of a detached hub; made 0700 when absent
}

// Discovery is the path of hub.json, where people and other programs
// find the hub. It is valid only while hub.lock is held.
func (p Paths) Discovery() string { return filepath.Join(p.Runtime, "hub.json") }

// Output is where a detached hub's stdout and stderr go.
func (p Paths) Output() string { return filepath.Join(p.State, "hub.out") }

// Neither lock file is ever unlinked: a lock on a file that another process
// has unlinked excludes no process.
func (p Paths) hubLock() string   { return filepath.Join(p.Runtime, "hub.lock") }
func (p Paths) startLock() string { return filepath.Join(p.Runtime, "start.lock") }

// prepare makes both directories, and refuses a runtime directory in which
// another user could plant sockets and a state directory in which they could
// put other files in the place of ours.
func (p Paths) prepare() error {
	for _, dir := range []string{p.Runtime, p.State} {
		if !filepath.IsAbs(dir) {
			return fmt.Errorf("prepare directory %q: not an absolute path", dir)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("prepare directory: %w; make the folder writable for you, or set LECTERN_HOME to another one", err)
		}
	}
	if err := checkPrivate(p.Runtime); err != nil {
		return err
	}
	return checkOwn(p.State)
}

// A BuildInfo identifies a build of Lectern and orders builds.
type BuildInfo struct {
	Version string `json:"version"`         // semantic version, with or without a leading v
	Build   string `json:"build"`           // differs between any two different binaries
	Built   int64  `json:"built,omitempty"` // Unix seconds; 0: unknown, so never the newer one
}

// Newer reports whether s should replace a hub of build old. It is false
// if that is not known, so two builds never replace each other in turn.
func (s BuildInfo) Newer(old BuildInfo) bool {
	a, aok := parseVersion(s.Version)
	b, bok := parseVersion(old.Version)
	switch {
	case s.Version != old.Version && (!aok || !bok):
		return false
	case s.Version != old.Version && a.compare(b) != 0:
		return a.compare(b) > 0
	}
	return s.Build != old.Build && s.Built != 0 && old.Built != 0 && s.Built > old.Built
}

// semver is major, minor, patch and the pre-release identifiers, if any.
type semver struct {
	core [3]int
	pre  []string
}

// parseVersion reads a version of semver.org 2.0.0; build metadata is ignored.
func parseVersion(text string) (semver, bool) {
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "v"), "+")
	core, pre, isPre := strings.Cut(text, "-")
	var v semver
	numbers := strings.Split(core, ".")
	if len(numbers) != len(v.core) {
		return v, false
	}
	for i, number := range numbers {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 {
			return v, false
		}
		v.core[i] = n
	}
	if isPre {
		v.pre = strings.Split(pre, ".")
	}
	return v, true
}

// compare orders by semver.org 2.0.0, section 11.
func (v semver) compare(w semver) int {
	for i := range v.core {
		if c := cmp.Compare(v.core[i], w.core[i]); c != 0 {
			return c
		}
	}
	if len(v.pre) == 0 || len(w.pre) == 0 {
		return cmp.Compare(len(w.pre), len(v.pre)) // a release is above its pre-releases
	}
	for i := range min(len(v.pre), len(w.pre)) {
		if c := comparePre(v.pre[i], w.pre[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(v.pre), len(w.pre))
}

func comparePre(a, b string) int {
	m, errM := strconv.Atoi(a)
	n, errN := strconv.Atoi(b)
	switch {
	case errM == nil && errN == nil:
		return cmp.Compare(m, n)
	case errM == nil:
		return -1 // numbers sort before words
	case errN == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// newInstance identifies one run of a hub, so that a client notices when another
// hub serves the same socket.
func newInstance() string { return rand.Text() }
