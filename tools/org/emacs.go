package org

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/emacs"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgvars"
)

// openBuffers is what the person has open in Emacs. A file whose buffer has unsaved
// changes is read from the buffer and written into it, by compare and swap; any other
// goes to the disk, and a buffer that visits it follows. Paths are absolute, without
// symbolic links.
type openBuffers struct {
	client   *emacs.Client // nil: Emacs is not asked, lock files count
	required bool          // nothing is written while Emacs does not answer
	log      *slog.Logger
	lockless atomic.Bool // Emacs makes no lock files, so that it must be asked about each file

	mu       sync.Mutex
	unsaved  map[string]bufferWrite // by path
	outdated map[string]bool        // paths of files that were written while Emacs was busy
	texts    map[string]textHash    // of the buffers that were read last, by path
}

// A bufferWrite is the last change that went into a buffer. While the file holds what
// it held then, the change is not saved.
type bufferWrite struct{ text, file textHash }

type textHash = [sha256.Size]byte

// followTime bounds how long a write waits until Emacs shows what is on the disk.
const followTime = 250 * time.Millisecond

func newOpenBuffers(c Config, env tools.Env) *openBuffers {
	b := &openBuffers{
		required: emacsPolicy(c.Emacs) == emacsRequired, log: env.Log, unsaved: map[string]bufferWrite{}, outdated: map[string]bool{},
		texts: map[string]textHash{},
	}
	if emacsPolicy(c.Emacs) != emacsOff {
		home, _ := os.UserHomeDir() // without it, Emacs is not found by its server file
		b.client = emacs.NewClient(emacs.Options{Socket: c.EmacsSocket, Getenv: env.Getenv, Home: home, Now: env.Now})
	}
	return b
}

// refresh finds out whether lock files tell of unsaved changes, and makes up for what
// Emacs was too busy for.
func (b *openBuffers) refresh(ctx context.Context) {
	if b.client == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, followTime)
	defer cancel()
	if s, err := b.client.Status(ctx); err == nil {
		b.lockless.Store(!s.LockFiles)
		b.follow(ctx, "")
	}
}

// mayHold reports whether an editor may hold another text than the file.
func (b *openBuffers) mayHold(path string) bool {
	return b.lockless.Load() || emacs.CheckLock(path) != nil
}

// read returns the text of the buffer of a file with unsaved changes. Without an
// answer the file is what can be read.
func (b *openBuffers) read(path string) (text []byte, ok bool) {
	if b.client == nil || !b.mayHold(path) {
		return nil, false
	}
	text, err := b.client.Read(context.Background(), path)
	if err != nil && !errors.Is(err, emacs.ErrNoUnsavedChanges) {
		b.log.Warn("the file is read without its unsaved changes", "err", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		delete(b.texts, path)
		return nil, false
	}
	b.texts[path] = sha256.Sum256(text)
	return text, true
}

// holds reports whether a text of a file is what an editor held when it was read last,
// and has not saved.
func (b *openBuffers) holds(path string, text []byte) bool {
	b.mu.Lock()
	held, ok := b.texts[path]
	b.mu.Unlock()
	return ok && b.mayHold(path) && held == sha256.Sum256(text)
}

// write takes a file from before to after: in the buffer if that has unsaved changes,
// else by toDisk.
func (b *openBuffers) write(path, file string, before, after []byte, toDisk func() error) error {
	unlock, err := emacs.Lock(path)
	locked, isLocked := errors.AsType[*emacs.LockError](err)
	switch {
	case isLocked && b.client == nil:
		return unsavedError(file, locked)
	case isLocked:
		return b.swap(path, file, before, after)
	case err != nil:
		return err
	}
	if b.client != nil && (b.required || b.lockless.Load()) {
		buffer, err := b.client.Buffer(context.Background(), path)
		switch {
		case err == nil && buffer.State == emacs.Modified:
			return errors.Join(unlock(), b.swap(path, file, before, after))
		case err != nil && b.required:
			return errors.Join(unlock(), &tools.Error{
				Code: tools.Unavailable, Message: "Emacs does not answer, and the user has set that nothing is written without it",
				Hint: "Ask the user to start Emacs with a server (M-x server-start), or to answer what it asks.", Cause: err,
			})
		}
	}
	old, _ := os.Stat(path)
	err = toDisk()
	if err == nil {
		setNewer(path, old)
		b.follow(context.Background(), path) // while Emacs would ask before it changes its buffer
	}
	return errors.Join(err, unlock())
}

// setNewer gives a file that was written another time than it had. In the same tick
// of the clock it may have got the same, and then Emacs would not notice.
func setNewer(path string, old os.FileInfo) {
	if now, err := os.Stat(path); err == nil && old != nil && now.ModTime().Equal(old.ModTime()) {
		_ = os.Chtimes(path, time.Time{}, old.ModTime().Add(time.Millisecond)) // Emacs shows the file in any case
	}
}

// follow makes the buffer of a file that was written show it, and those of files that
// Emacs was too busy for. path may be empty.
func (b *openBuffers) follow(ctx context.Context, path string) {
	if b.client == nil {
		return
	}
	b.mu.Lock()
	paths := slices.Collect(maps.Keys(b.outdated))
	b.mu.Unlock()
	if path != "" && !slices.Contains(paths, path) {
		paths = append(paths, path)
	}
	ctx, cancel := context.WithTimeout(ctx, followTime)
	defer cancel()
	for _, path := range paths {
		state, err := b.client.Revert(ctx, path)
		if err == nil && state == emacs.Modified {
			b.log.WarnContext(ctx, "a file was written while the user began to change its buffer; Emacs asks before it saves")
		}
		b.mu.Lock()
		if errors.Is(err, emacs.ErrBusy) || errors.Is(err, emacs.ErrOutcomeUnknown) {
			b.outdated[path] = true
		} else {
			delete(b.outdated, path)
		}
		b.mu.Unlock()
	}
}

// swap writes into the buffer with unsaved changes.
func (b *openBuffers) swap(path, file string, before, after []byte) error {
	onDisk, _ := os.ReadFile(path) // what is missing is empty
	err := b.client.Swap(context.Background(), path, before, after)
	if errors.Is(err, emacs.ErrOutcomeUnknown) {
		now, readErr := b.client.Read(context.Background(), path)
		switch {
		case readErr != nil:
			return &folder.OutcomeUnknownError{Target: file, Err: &tools.Error{
				Code: tools.Timeout, Message: fmt.Sprintf("Emacs did not say whether it changed its buffer of %s", file),
				Hint: "Read the file before you write again.", Cause: errors.Join(tools.ErrOutcomeUnknown{}, err),
			}}
		case bytes.Equal(now, after):
			err = nil
		case bytes.Equal(now, before):
			err = fmt.Errorf("%w: it did not make the change", emacs.ErrBusy)
		default:
			err = emacs.ErrConflict
		}
	}
	switch {
	case err == nil:
		b.mu.Lock()
		defer b.mu.Unlock()
		b.unsaved[path] = bufferWrite{sha256.Sum256(after), sha256.Sum256(onDisk)}
		return nil
	case errors.Is(err, emacs.ErrConflict):
		return &folder.ConflictError{Target: file}
	case errors.Is(err, emacs.ErrRefused):
		return &tools.Error{
			Code: tools.Conflict, Message: fmt.Sprintf("Cannot write %s: an Emacs buffer visiting this file has unsaved changes, and it cannot be "+
				"changed: %v", file, err),
			Hint: "Ask the user to save it (C-x C-s), then call again.", Cause: err,
		}
	}
	return unsavedError(file, err)
}

func unsavedError(file string, cause error) error {
	return &tools.Error{
		Code: tools.Conflict, Message: fmt.Sprintf("Cannot write %s: an editor has unsaved changes of this file", file),
		Hint: "Ask the user to save it (C-x C-s in Emacs), then call again.", Cause: cause,
	}
}

// isLost reports whether a change that left text went into a buffer and never
// reached the disk: the buffer was reverted or closed, and the file is what it was.
func (b *openBuffers) isLost(path string, text []byte) bool {
	b.mu.Lock()
	w, ok := b.unsaved[path]
	b.mu.Unlock()
	if !ok || w.text != sha256.Sum256(text) {
		return false
	}
	if _, held := b.read(path); held {
		return false
	}
	onDisk, _ := os.ReadFile(path) // what is missing is empty
	return w.file == sha256.Sum256(onDisk) && w.file != w.text
}

// importedVariables is what was taken over from Emacs when the source was opened.
type importedVariables struct {
	set, failed []string // names; failed are of values that are not understood
	err         error    // why none was
}

// importVariables sets the settings that Emacs's variables stand for.
func (b *openBuffers) importVariables(ctx context.Context, s *orgfile.Settings) (done importedVariables) {
	if b.client == nil {
		return importedVariables{err: errors.New("emacs = off")}
	}
	values, err := b.client.Variables(ctx, orgvars.Names())
	if err != nil {
		return importedVariables{err: err}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		try := *s
		if err := orgvars.Set(&try, name, values[name]); err != nil {
			done.failed = append(done.failed, name)
			continue
		}
		*s = try
		done.set = append(done.set, name)
	}
	return done
}

// writer returns the [folder.Writer] of a root.
func (b *openBuffers) writer(dir string) folder.Writer {
	return func(root *os.Root, file string, before, after folder.State) error {
		if !after.Exists {
			return writeFile(root, file, before, after)
		}
		path := filepath.Join(dir, filepath.FromSlash(file))
		return b.write(path, file, before.Data, after.Data, func() error { return writeFile(root, file, before, after) })
	}
}
