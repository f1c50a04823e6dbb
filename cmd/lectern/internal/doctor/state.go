package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

var stateChecks = []check{
	{name: "state.folder", title: "Lectern can write its own files", look: checkStateFolder},
	{name: "state.disk", title: "There is free disk space", look: checkDisk},
	{name: "state.clock", title: "The clock is plausible", look: checkClock},
}

var tokenChecks = []check{
	{name: "token.clients", title: "The token of HTTP clients is private", look: func(_ context.Context, r *checkRun) status.Check {
		return checkToken(r.Paths.SharedClientToken(), problems.ClientTokenRefused)
	}},
	{name: "token.plugins", title: "The token of plugins is private", look: func(_ context.Context, r *checkRun) status.Check {
		return checkToken(r.Paths.PluginToken(), problems.PluginTokenRefused)
	}},
}

func checkStateFolder(_ context.Context, r *checkRun) status.Check {
	if _, err := os.Stat(r.Paths.State); errors.Is(err, fs.ErrNotExist) {
		return okResult("the hub creates %s when it starts", r.Paths.State)
	}
	if _, err := writeTestFile(r.Paths.State); err != nil {
		return failResult(err.Error(), "Give yourself permission to write there, or set LECTERN_HOME to a folder that you can write to.")
	}
	return okResult("%s", r.Paths.State)
}

// writeTestFile writes a small file to dir as Lectern does, removes it, and
// returns its time by the clock of the disk.
func writeTestFile(dir string) (modified time.Time, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return modified, fmt.Errorf("open state: %w", err)
	}
	defer root.Close() //nolint:errcheck // nothing was written by it
	name := fmt.Sprintf("doctor-%d", os.Getpid())
	if err := atomicfile.Write(root, name, []byte("doctor\n"), atomicfile.Options{Perm: 0o600}); err != nil {
		return modified, fmt.Errorf("write to state: %w", err)
	}
	info, err := root.Stat(name)
	return info.ModTime(), errors.Join(err, root.Remove(name))
}

// With less free space than failBelowFreeBytes a hub is about to run out of it; with less
// than warnBelowFreeBytes it soon could.
const (
	failBelowFreeBytes = 20 << 20
	warnBelowFreeBytes = 500 << 20
)

func checkDisk(_ context.Context, r *checkRun) status.Check {
	dir := r.Paths.State
	for !isFolder(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	free, err := freeBytes(dir)
	if err != nil {
		return skipResult("%s: %v", dir, err)
	}
	detail := fmt.Sprintf("%d MB free for %s", free>>20, dir)
	switch {
	case free < failBelowFreeBytes:
		return failResult(detail, "Free disk space: the log, the journal and every write of an agent need it.")
	case free < warnBelowFreeBytes:
		return warnResult(detail, "Free disk space before it runs out.")
	default:
		return okResult("%s", detail)
	}
}

// maxClockDrift is how far two clocks may be apart.
const maxClockDrift = 2 * time.Minute

// checkClock compares the clock with the age of this binary, and with the clock
// of the disk, which may be another machine's.
func checkClock(_ context.Context, r *checkRun) status.Check {
	const fix = "Set the clock, or have the system keep it."
	now := r.Now()
	if info, err := os.Stat(r.Exe); err == nil && info.ModTime().Sub(now) > maxClockDrift {
		return failResult(fmt.Sprintf("it is %s, but this binary was written at %s", formatMinute(now), formatMinute(info.ModTime())), fix)
	}
	if !isFolder(r.Paths.State) {
		return okResult("it is %s", formatMinute(now))
	}
	modified, err := writeTestFile(r.Paths.State)
	if err != nil {
		return skipResult("%v", err)
	}
	if drift := modified.Sub(r.Now()).Abs(); drift > maxClockDrift {
		return warnResult(fmt.Sprintf("the clock of the disk is %s apart: a new file has the time %s", drift.Round(time.Second),
			formatMinute(modified)), fix)
	}
	return okResult("it is %s, on the disk as well", formatMinute(now))
}

func formatMinute(t time.Time) string { return t.Format("2006-01-02 15:04") }

// checkToken reads a token file as the hub does.
func checkToken(file string, refused status.ProblemType) status.Check {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return okResult("%s is created when it is needed", file)
	}
	if _, err := loopnet.LoadOrCreateToken(file); err != nil {
		return fromProblem(refused.New(problems.HubComponent, status.Args{"why": err.Error()}))
	}
	return okResult("%s", file)
}
