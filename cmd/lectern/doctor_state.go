package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

func stateChecks() []check {
	return []check{
		{name: "state.folder", title: "Lectern may write its own files", look: lookAtState},
		{name: "state.disk", title: "There is room on the disk", look: lookAtDisk},
		{name: "state.clock", title: "The clock can be right", look: lookAtClock},
	}
}

// lookAtState writes a file as Lectern does, and removes it.
func lookAtState(_ context.Context, v *visit) status.Check {
	const mend = "Give yourself the right to write there, or set LECTERN_HOME to a folder that you may write to."
	if _, err := os.Stat(v.places.State); errors.Is(err, fs.ErrNotExist) {
		return good("%s is made when the hub starts", v.places.State)
	}
	if _, err := v.tryWriting(); err != nil {
		return bad(err.Error(), mend)
	}
	return good("%s", v.places.State)
}

// tryWriting writes a small file to the state directory, removes it, and says
// when it was written by the clock of the disk.
func (v *visit) tryWriting() (when time.Time, err error) {
	root, err := os.OpenRoot(v.places.State)
	if err != nil {
		return when, fmt.Errorf("open state: %w", err)
	}
	defer root.Close() //nolint:errcheck // nothing was written by it
	name := fmt.Sprintf("doctor-%d", os.Getpid())
	if err := atomicfile.Write(root, name, []byte("doctor\n"), atomicfile.Options{Perm: 0o600}); err != nil {
		return when, fmt.Errorf("write to state: %w", err)
	}
	info, err := root.Stat(name)
	return info.ModTime(), errors.Join(err, root.Remove(name))
}

// Below these a hub is about to run out of room, or could soon.
const (
	tooLittle = 20 << 20
	getsTight = 500 << 20
)

func lookAtDisk(_ context.Context, v *visit) status.Check {
	dir := v.places.State
	for !isFolder(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	free, err := freeBytes(dir)
	if err != nil {
		return skipped("%s: %v", dir, err)
	}
	left := fmt.Sprintf("%d MB are free where %s is", free>>20, dir)
	switch {
	case free < tooLittle:
		return bad(left, "Make room: a log, a journal and every write of an agent need it.")
	case free < getsTight:
		return doubt(left, "Make room before it runs out.")
	default:
		return good("%s", left)
	}
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// drift is how far two clocks may be apart.
const drift = 2 * time.Minute

// lookAtClock compares the clock with what it cannot be before, and with the
// clock of the disk, which may be another machine's.
func lookAtClock(_ context.Context, v *visit) status.Check {
	now := v.now()
	const mend = "Set the clock, or have the system keep it."
	if info, err := os.Stat(v.exe); err == nil && info.ModTime().Sub(now) > drift {
		return bad(fmt.Sprintf("it is %s, yet this binary was written at %s", stampTime(now), stampTime(info.ModTime())), mend)
	}
	if !isFolder(v.places.State) {
		return good("it is %s", stampTime(now))
	}
	when, err := v.tryWriting()
	if err != nil {
		return skipped("%v", err)
	}
	if apart := when.Sub(v.now()); apart.Abs() > drift {
		return doubt(fmt.Sprintf("the clock of the disk is %s apart: files of now are from %s", apart.Abs().Round(time.Second), stampTime(when)), mend)
	}
	return good("it is %s, on the disk as well", stampTime(now))
}

func stampTime(t time.Time) string { return t.Format("2006-01-02 15:04") }

func tokenChecks() []check {
	return []check{
		{name: "token.clients", title: "The token of HTTP clients is private", look: func(_ context.Context, v *visit) status.Check {
			return lookAtToken(v.tokenFile(), tokenRefused)
		}},
		{name: "token.plugins", title: "The token of plugins is private", look: func(_ context.Context, v *visit) status.Check {
			return lookAtToken(v.pluginTokenFile(), pluginToken)
		}},
	}
}

// lookAtToken reads a token as the hub does. wrong is what is the matter when
// that fails.
func lookAtToken(file string, wrong status.ProblemType) status.Check {
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return good("%s is made when it is needed", file)
	}
	if _, err := loopnet.LoadOrCreateToken(file); err != nil {
		return from(wrong.New(hubPart, status.Args{"why": err.Error()}))
	}
	return good("%s", file)
}
