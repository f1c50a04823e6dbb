package config

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/filelock"
	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// fileHeader is at the top of a file that we create.
const fileHeader = "# What Lectern opens. `lectern source add` and `lectern source remove` edit this\n" +
	"# file and keep what you write in it.\n"

// An Edit is a change of the file's text that has not been saved.
type Edit struct {
	Path   string
	Before []byte // nil if there is no file
	After  []byte
}

// HasChanges reports whether there is anything to save.
func (e Edit) HasChanges() bool { return !bytes.Equal(e.Before, e.After) }

// Unchanged is the Edit that leaves the file as it is.
func (c Config) Unchanged() Edit { return Edit{c.Path, c.text, c.text} }

// Diff returns the change as a unified diff; empty if there is none.
func (e Edit) Diff() string {
	from := e.Path
	if e.Before == nil {
		from = os.DevNull
	}
	return udiff.Unified(from, e.Path, string(e.Before), string(e.After))
}

// Save writes the file in one step, and creates its folder if it is missing.
// If the file is not what it was when the edit was made, Save leaves it
// unchanged and the error is atomicfile.ErrChanged or ErrExists.
func (e Edit) Save() error {
	if !e.HasChanges() {
		return nil
	}
	name := e.Path
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // a file that is kept elsewhere stays there
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("make configuration folder: %w", err)
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return fmt.Errorf("open configuration folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // opened only to name the file
	opt := atomicfile.Options{Perm: 0o600, Create: e.Before == nil}
	if !opt.Create {
		opt.IfHash = new(sha256.Sum256(e.Before))
	}
	if err := atomicfile.Write(root, filepath.Base(name), e.After, opt); err != nil {
		return fmt.Errorf("save configuration in %s: %w%s", filepath.Dir(name), err, saveAdvice(err))
	}
	return nil
}

// saveAdvice returns what a person can do so that the next Save works.
func saveAdvice(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "; nothing was changed. Make the folder and the file writable for you"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "; nothing was changed. Free some disk space and try again"
	}
	return ""
}

// Lock keeps other Lectern processes from editing the file at path until
// unlock is called. Hold it from Load to Save: an edit of a text that another
// process has just replaced would undo its change. People's editors take no
// lock; Save detects their changes. Lock creates a missing folder.
func Lock(path string) (unlock func() error, err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make configuration folder: %w", err)
	}
	lock, err := filelock.LockFolder(dir, filepath.Join(dir, "config.lock"), true)
	if err != nil {
		return nil, fmt.Errorf("lock configuration: %w", err)
	}
	return lock.Release, nil
}

// RemoveSource plans to remove a source from the file. Comments inside its
// table are removed too, and those directly above it unless they begin the
// file.
func (c Config) RemoveSource(name string) (Edit, error) {
	i := slices.IndexFunc(c.Sources, func(s Source) bool { return s.Name == name })
	if i < 0 {
		names := make([]string, len(c.Sources))
		for j, s := range c.Sources {
			names[j] = s.Name
		}
		return Edit{}, fmt.Errorf("%s has no source %s: %s", c.Path, name, unknownWord("source", name, names))
	}
	if slices.Contains(c.Listen.Sources, name) {
		return Edit{}, fmt.Errorf("listen.sources in %s names %s, which is served to other machines: take it off that list first", c.Path, name)
	}
	after, ok := tomltext.Cut(c.text, fmt.Sprintf("source[%d]", i))
	if !ok {
		return Edit{}, c.manualEdit("remove", "its sources are not written as [[source]] tables")
	}
	want := c
	want.Sources = slices.Delete(slices.Clone(c.Sources), i, i+1)
	if now, err := Parse(c.Path, after, c.schema); err != nil || !now.equal(want) {
		return Edit{}, c.manualEdit("remove", "the table of the source cannot be separated from the others")
	}
	return Edit{c.Path, c.text, after}, nil
}

// manualEdit is the error for an edit that would touch what else the user wrote.
func (c Config) manualEdit(verb, why string) error {
	return fmt.Errorf("%s source: %s cannot be edited safely, because %s; %s the source with an editor", verb, c.Path, why, verb)
}

// edited returns the edit that makes the text after, if that means what want
// says and nothing else. changed are the settings that the edit may have added
// or removed.
func (c Config) edited(after []byte, want Config, changed ...string) (Edit, error) {
	now, err := Parse(c.Path, after, c.schema)
	if err != nil {
		return Edit{}, err
	}
	if !now.equal(want, changed...) {
		return Edit{}, errManualEdit
	}
	return Edit{c.Path, c.text, after}, nil
}

var errManualEdit = errors.New("cannot be edited safely")

// equal reports whether two configurations mean the same, wherever their tables
// stand in the file. Settings that only one of the files has make a difference
// too, except those in changed.
func (c Config) equal(other Config, changed ...string) bool {
	return reflect.DeepEqual(c.withoutPositions(), other.withoutPositions()) &&
		slices.Equal(c.settingsInFile(changed), other.settingsInFile(changed))
}

func (c Config) withoutPositions() Config {
	c.text, c.schema, c.Notices = nil, Schema{}, nil
	c.Sources, c.Clients, c.Rules = append([]Source(nil), c.Sources...), append([]Client(nil), c.Clients...), append([]Rule(nil), c.Rules...)
	for i := range c.Sources {
		c.Sources[i].Line = 0
	}
	for i := range c.Clients {
		c.Clients[i].Line = 0
	}
	for i := range c.Rules {
		c.Rules[i].Line = 0
	}
	return c
}

func (c Config) settingsInFile(except []string) (keys []string) {
	for _, s := range c.Settings() {
		if s.Set && !slices.Contains(except, s.Key) {
			keys = append(keys, s.Key)
		}
	}
	return keys
}
