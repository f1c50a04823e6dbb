// Package installer installs Lectern into other programs, and removes it again:
// the entry in each MCP client's configuration, the plugin, the skill, the
// service that keeps the hub running. It makes a [Proposal], whose Plan a person
// sees first; what was installed has a receipt, so that exactly that can be found
// and removed later.
//
// It must work when no hub is running, so it knows only files and programs. It starts
// no process itself: [Machine] has the function that runs a client's own command,
// so that tests can stand in for any computer. cmd/lectern imports it. Start
// reading at [Machine], then clients.go; table.go holds the facts about each
// client.
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
	// State is our own folder, where the receipts are.
	State string
	// LookPath is the path of a program on the user's PATH; empty: there is none.
	LookPath func(name string) string
	// Run runs a program to its end and returns its output.
	Run func(ctx context.Context, argv []string) (output string, err error)
	Now func() time.Time
}

// variable matches a variable with its default: {NAME|~/.name}.
var variable = regexp.MustCompile(`\{([A-Z_]+)\|([^}]*)\}`)

// The folders that differ from system to system.
const (
	xdg     = "{XDG_CONFIG_HOME|~/.config}"
	appData = "{APPDATA|~/AppData/Roaming}"
	local   = "{LOCALAPPDATA|~/AppData/Local}"
	library = "~/Library/Application Support"
)

// path substitutes the variables in a template of table.go.
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

// tildePath writes ~ for the home directory.
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
func (m Machine) query(ctx context.Context, argv []string) (output string, ok bool) {
	output, err := m.Run(ctx, argv)
	return output, err == nil
}
