// Package installer puts Lectern where other programs look for it, and takes it
// away again: the entry in each MCP client's configuration, the skill, the
// service that keeps the hub running. What it would do is a [Proposal], whose
// Plan a person sees first; what it did is on record, so that all of it can be
// found and removed later, and nothing else.
//
// It must work when nothing of ours runs, so it knows files and programs and
// no hub. It starts no process itself: [Machine] brings what runs a client's
// own command, so that tests play any computer, and whoever reads cmd sees
// what may be started. cmd/lectern alone imports it. Start reading at
// [Machine], then clients.go; table.go holds what is known of each client.
package installer

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A Machine is the computer and the user that we install for.
type Machine struct {
	OS   string              // as GOOS spells it
	Home string              // the user's home directory
	Env  func(string) string // looks up the environment
	// State is our own folder for the record of what was put where.
	State string
	// Look is the path of a program that the user can start by name; empty:
	// there is none.
	Look func(name string) string
	// Run runs a program to its end and answers what it said.
	Run func(ctx context.Context, argv []string) (said string, err error)
	Now func() time.Time
}

// variable matches a variable with what holds where it is unset: {NAME|~/.name}.
var variable = regexp.MustCompile(`\{([A-Z_]+)\|([^}]*)\}`)

// The folders that differ from system to system.
const (
	xdg     = "{XDG_CONFIG_HOME|~/.config}"
	appData = "{APPDATA|~/AppData/Roaming}"
	local   = "{LOCALAPPDATA|~/AppData/Local}"
	library = "~/Library/Application Support"
)

// path fills a template of table.go in.
func (m Machine) path(template string) string {
	full := variable.ReplaceAllStringFunc(template, func(s string) string {
		part := variable.FindStringSubmatch(s)
		if v := m.Env(part[1]); filepath.IsAbs(v) {
			return filepath.ToSlash(v)
		}
		return part[2]
	})
	if rest, ok := strings.CutPrefix(full, "~"); ok {
		full = filepath.ToSlash(m.Home) + rest
	}
	return filepath.Clean(filepath.FromSlash(full))
}

// tildePath is a path as people write it: ~ for the home directory.
func (m Machine) tildePath(path string) string {
	if rest, ok := strings.CutPrefix(path, m.Home+string(filepath.Separator)); ok && m.Home != "" {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// query runs a program that only asks; false: it says no, or cannot be run.
func (m Machine) query(ctx context.Context, argv []string) (said string, ok bool) {
	said, err := m.Run(ctx, argv)
	return said, err == nil
}
