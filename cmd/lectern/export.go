package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/logs"
	"github.com/lectern-mcp/lectern/supervisor"
)

// savedDir is where the panel leaves what a person saves without naming a file.
func (w *world) savedDir() string { return filepath.Join(w.places.Data, "saved") }

// exportLog writes the whole log on disk, oldest line first, to a new file that
// is private to the person, and returns its path and how many lines it has. An
// empty name is a new file among those the panel saves; a name that is no path
// from the root is one in the home directory. The log is redacted when it is
// written, and so is what comes of it.
func (w *world) exportLog(ctx context.Context, name string) (path string, lines int, err error) {
	if _, err := os.Stat(w.logFile()); err != nil {
		return "", 0, fmt.Errorf("export log: there is none yet: %s begins when a hub first runs", w.logFile())
	}
	put := func(out io.Writer) error {
		lines = 0 // a name that was taken is tried with another number
		buffered := bufio.NewWriterSize(out, 64<<10)
		err := logs.ReadAll(w.logFile(), func(l logs.Line) error {
			lines++
			if err := writeLine(buffered, supervisor.StatusLine(l)); err != nil {
				return err
			}
			return ctx.Err()
		})
		return errors.Join(err, buffered.Flush())
	}
	if strings.TrimSpace(name) == "" {
		path, err = saveNew(w.savedDir(), "lectern-log.txt", put)
	} else {
		path, err = w.exportTo(strings.TrimSpace(name), put)
	}
	if err != nil {
		return "", 0, fmt.Errorf("export log: %w", err)
	}
	return path, lines, nil
}

// exportTo writes a file that a person named and that is not there yet.
func (w *world) exportTo(name string, put func(io.Writer) error) (string, error) {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		name = filepath.Join(w.home, name[1:])
	case !filepath.IsAbs(name):
		name = filepath.Join(w.home, name)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return saveNew(name, "lectern-log.txt", put)
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s: no such directory; make it, or name another", filepath.Dir(name))
	}
	if err != nil {
		return "", err
	}
	defer root.Close() //nolint:errcheck // opened only to name the file
	err = atomicfile.Stream(root, filepath.Base(name), put, atomicfile.Options{Perm: 0o600, Create: true})
	if errors.Is(err, atomicfile.ErrExists) {
		return "", fmt.Errorf("%s is there already; name another file", name)
	}
	return name, err
}
