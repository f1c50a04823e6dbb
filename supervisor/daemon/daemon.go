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
	"strings"

	"golang.org/x/mod/semver"

	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// WireVersion is the version of the messages before the MCP stream and of the control
// socket. A hub also accepts a Hello of the version before its own.
const WireVersion = 3

// ErrNoHub means that no hub is running for this user.
var ErrNoHub = errors.New("no hub is running")

// Paths is where a user's hub is found. It follows from the state directory
// and from nothing else that clients have in their environment: one state
// directory, one hub.
type Paths struct {
	State string // also working directory and output of a detached hub; made 0700 when absent

	runtime string // of a hub of an older build; empty: the usual folder
}

// Runtime is the directory of the sockets and of hub.json, which the hub puts back if
// they are removed; made 0700 when absent.
func (p Paths) Runtime() string { return cmp.Or(p.runtime, filepath.Join(p.State, "run")) }

// Discovery is the path of hub.json, where people and other programs
// find the hub. It is valid only while hub.lock is held.
func (p Paths) Discovery() string { return filepath.Join(p.Runtime(), "hub.json") }

// Output is where a detached hub's stdout and stderr go.
func (p Paths) Output() string { return filepath.Join(p.State, "hub.out") }

// Locks are the paths of the lock files. Neither is ever unlinked: a lock on a file
// that another process has unlinked excludes no process.
func (p Paths) Locks() []string { return []string{p.hubLock(), p.startLock()} }

func (p Paths) hubLock() string   { return filepath.Join(p.State, "hub.lock") }
func (p Paths) startLock() string { return filepath.Join(p.State, "start.lock") }

// prepare makes both directories, and refuses a runtime directory in which
// another user could plant sockets and a state directory in which they could
// put other files in the place of ours.
func (p Paths) prepare() error {
	if !filepath.IsAbs(p.State) {
		return fmt.Errorf("prepare directory %q: not an absolute path", p.State)
	}
	if err := os.MkdirAll(p.Runtime(), 0o700); err != nil {
		return fmt.Errorf("prepare directory: %w; make the folder writable for you, or set LECTERN_HOME to another one", err)
	}
	if err := errors.Join(loopnet.CheckPrivateDir(p.Runtime()), loopnet.CheckOwnDir(p.State)); err != nil {
		return fmt.Errorf("check directory: %w", err)
	}
	return nil
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
	if s.Version != old.Version {
		a, aok := parseVersion(s.Version)
		b, bok := parseVersion(old.Version)
		if order := semver.Compare(a, b); !aok || !bok || order != 0 {
			return aok && bok && order > 0
		}
	}
	return s.Build != old.Build && s.Built != 0 && old.Built != 0 && s.Built > old.Built
}

// parseVersion returns the version as package semver writes it. It accepts
// whole versions only.
func parseVersion(text string) (version string, ok bool) {
	text = "v" + strings.TrimPrefix(text, "v")
	version = semver.Canonical(text)
	return version, version != "" && strings.HasPrefix(text, version) // "v1.2" becomes "v1.2.0"
}

// newInstanceID identifies one run of a hub, so that a client notices when another
// hub serves the same socket.
func newInstanceID() string { return rand.Text() }
