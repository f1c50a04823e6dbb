package main

import (
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
)

// A world is what the process was given: every command is made from it, so
// that none reaches for the process itself.
type world struct {
	in       io.Reader
	out, err io.Writer
	environ  []string
	now      func() time.Time
	exe      string // absolute path of this binary
	home     string // empty: there is none
	places   config.Paths
	// began is the stamp of the binary that runs here. Its file may be replaced
	// while this process lives, and is then no build of this process.
	began func() daemon.Stamp
	// kinds are made when they are asked for: `lectern serve` has no need of
	// them, and every client runs one.
	kinds func() []tools.Kind
	// plugin is the Logseq plugin that this build carries, or why there is none.
	plugin func() (fs.FS, error)
}

func newWorld(stdin io.Reader, stdout, stderr io.Writer, environ []string) (*world, error) {
	w := &world{in: stdin, out: stdout, err: stderr, environ: environ, now: time.Now, kinds: sync.OnceValue(all.Systems), plugin: plugin.Files}
	w.began = sync.OnceValue(w.stamp)
	var err error
	if w.exe, err = os.Executable(); err != nil {
		return nil, fmt.Errorf("find own binary: %w", err)
	}
	if w.home, err = os.UserHomeDir(); err != nil {
		w.home = "" // LECTERN_HOME may make up for it
	}
	if w.places, err = config.PathsFor(w.env, runtime.GOOS, w.home); err != nil {
		return nil, fmt.Errorf("find directories: %w", err)
	}
	return w, nil
}

// env looks a variable up; the last one of a name counts, as in a process.
func (w *world) env(name string) string {
	value := ""
	for _, entry := range w.environ {
		if k, v, ok := strings.Cut(entry, "="); ok && (k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name)) {
			value = v
		}
	}
	return value
}

// schema is what the configuration may say of the kinds in this build.
func (w *world) schema() config.Schema {
	s := config.Schema{Home: w.home, Kinds: map[string][]string{}, Effects: effectNames(), CheckPrivacyRule: checkMark}
	for _, v := range policy.Verdicts() {
		s.Verdicts = append(s.Verdicts, string(v))
	}
	for _, k := range w.kinds() {
		m := k.Manifest()
		keys := []string{}
		for key := range m.Config.Properties {
			keys = append(keys, key)
		}
		s.Kinds[m.Name] = keys
	}
	return s
}

// effectNames are the effects in the order shown to people.
func effectNames() (names []string) {
	for _, e := range tools.Effects() {
		names = append(names, string(e))
	}
	return names
}

func (w *world) config() (config.Config, error) {
	return config.Load(w.places.File(), w.schema())
}

func (w *world) hubPaths() daemon.Paths {
	return daemon.Paths{Runtime: w.places.Runtime, State: w.places.State}
}

// connecting is how this process reaches the hub, and starts it.
func (w *world) connecting(log *slog.Logger) daemon.ConnectConfig {
	stamp := w.began()
	environ := slices.DeleteFunc(slices.Clone(w.environ), func(v string) bool { return strings.HasPrefix(v, clientTokenEnv+"=") })
	return daemon.ConnectConfig{
		Paths: w.hubPaths(), Stamp: stamp, Command: []string{w.exe, "hub", "--detached"},
		Stale: func() bool { return w.stamp() != stamp },
		Env:   environ, Log: log, Now: w.now,
	}
}

// say writes to stdout. Who closed it knows; there is nobody else to tell.
func (w *world) say(format string, args ...any) { _, _ = fmt.Fprintf(w.out, format, args...) }

// note writes to stderr.
func (w *world) note(format string, args ...any) { _, _ = fmt.Fprintf(w.err, format, args...) }

// stderrLog is for processes whose stderr a person or a client may read:
// warnings and worse.
func (w *world) stderrLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(w.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func (w *world) logFile() string   { return filepath.Join(w.places.State, "lectern.log") }
func (w *world) tokenFile() string { return filepath.Join(w.places.State, "client.token") }
