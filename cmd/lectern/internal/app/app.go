// Package app is what a Lectern process was given (environment, clock, paths,
// the Systems of this build) and what follows from that alone: the
// configuration, the sources that it names, and where Lectern's files are. It
// talks to no hub, and standard streams belong to the commands.
//
// The commands make one [App] and hand it to the rooms beside this package.
package app

import (
	"cmp"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools"
)

// Name is what Lectern is called in other programs: its entry in MCP clients,
// and its skill.
const Name = "lectern"

// An App is what a process was given. All fields are required, except Home.
type App struct {
	Environ []string // of the form of os.Environ
	Now     func() time.Time
	Exe     string // absolute path of this binary
	Home    string // empty: the user has no home directory
	Paths   Paths

	Version  string // of this build
	Revision string // of its source; empty: unknown

	// Started is the stamp of the binary when this process started. Its file may
	// be replaced while the process lives.
	Started func() daemon.BuildInfo
	// Systems is a function because `lectern serve` does not need them, and every
	// client runs one.
	Systems func() []tools.Kind
	// Environment are the variables of the Systems, by name of the System. They
	// are apart because `lectern serve` does need them.
	Environment func() map[string][]tools.EnvironmentVariable
	// Plugin is the plugin for an application, as this build carries it.
	Plugin fs.FS
}

// Getenv looks a variable up. The last of several entries counts, as in a
// process.
func (a *App) Getenv(name string) string {
	value := ""
	for _, entry := range a.Environ {
		if k, v, ok := strings.Cut(entry, "="); ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			value = v
		}
	}
	return value
}

// ConfigSchema says what the configuration may hold about the Systems of this build.
func (a *App) ConfigSchema() config.Schema {
	s := config.Schema{
		Home: a.Home, Kinds: map[string][]config.Key{}, Roles: map[string][]string{}, Tools: map[string][]string{}, Effects: EffectNames(),
		CheckPrivacyRule: CheckPrivacyRuleForFolder,
		CheckSecret:      checkSecretReference,
		CheckAddress:     loopnet.CheckAddress, CheckNetwork: loopnet.CheckNetwork,
	}
	for _, v := range policy.Verdicts() {
		s.Verdicts = append(s.Verdicts, string(v))
	}
	for _, k := range a.Systems() {
		m := k.Manifest()
		s.Kinds[m.Name] = ConfigKeys(m)
		for _, t := range m.Tools {
			if !t.Unlisted {
				s.Tools[m.Name] = append(s.Tools[m.Name], t.Name)
			}
		}
		for _, role := range m.Roles {
			s.Roles[m.Name] = append(s.Roles[m.Name], role.Name)
		}
	}
	return s
}

// CheckPrivacyRule says what is wrong with a rule of exclude or only.
func CheckPrivacyRule(rule string) error {
	_, err := tools.ParsePrivacyRule(rule)
	return err
}

// CheckPrivacyRuleForFolder is CheckPrivacyRule for a source that opens a folder, or none:
// a path that begins with that folder's is not seen from it, and matches nothing.
func CheckPrivacyRuleForFolder(rule, folder string) error {
	if err := CheckPrivacyRule(rule); err != nil || folder == "" {
		return err
	}
	path := filepath.ToSlash(strings.TrimPrefix(rule, "path:"))
	folders := []string{folder}
	if resolved, err := filepath.EvalSymlinks(folder); err == nil {
		folders = append(folders, resolved)
	}
	for _, dir := range folders {
		if inside, ok := strings.CutPrefix(path+"/", filepath.ToSlash(dir)+"/"); ok && filepath.IsAbs(dir) {
			return fmt.Errorf("the path of the privacy rule %q is absolute; write %s, as seen from %s", rule,
				cmp.Or(strings.Trim(inside, "/"), "**"), folder)
		}
	}
	return nil
}

func checkSecretReference(reference string) error {
	_, err := tools.ParseSecret(reference)
	return err
}

// Config reads the configuration file.
func (a *App) Config() (config.Config, error) {
	return config.Load(a.Paths.File(), a.ConfigSchema())
}

// Settings are the keys of the configuration file with their present values.
func (a *App) Settings() ([]status.Setting, error) {
	c, err := a.Config()
	if err != nil {
		return nil, err
	}
	list := []status.Setting{}
	for _, s := range c.Settings() {
		list = append(list, status.Setting(s))
	}
	return list, nil
}

// BuildInfo tells this binary from others. Size and time of the file stand for its
// content: reading it whole would cost more than starting does.
func (a *App) BuildInfo() daemon.BuildInfo {
	s := daemon.BuildInfo{Version: a.Version, Build: a.Revision}
	if info, err := os.Stat(a.Exe); err == nil {
		s.Build = fmt.Sprintf("%.12s.%x.%x", s.Build, info.Size(), info.ModTime().UnixNano())
		s.Built = info.ModTime().Truncate(time.Second).Unix()
	}
	return s
}

// HubConnectConfig says how this process finds the hub, and starts one. Its
// connections are probes; `lectern serve` connects an agent.
func (a *App) HubConnectConfig(log *slog.Logger) daemon.ConnectConfig {
	stamp := a.Started()
	environ := slices.DeleteFunc(slices.Clone(a.Environ), func(v string) bool { return strings.HasPrefix(v, ClientTokenEnv+"=") })
	return daemon.ConnectConfig{
		Paths: a.Paths.Daemon(), Self: stamp, Probe: true, Command: []string{a.Exe, "hub", "--detached"},
		Stale: func() bool { return a.BuildInfo() != stamp },
		Env:   environ, SecretNames: a.secretVariables, Log: log, Now: a.Now,
	}
}

// A UsageError says that the command line or a form was filled in wrongly.
type UsageError struct{ Cause error }

func (e *UsageError) Error() string { return e.Cause.Error() }

func (e *UsageError) Unwrap() error { return e.Cause }

// UsageErrorf makes a UsageError.
func UsageErrorf(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}
