package org

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// maxCached bounds the bytes of files that are kept parsed. More files than that
// are read each time, which takes a millisecond for a megabyte.
const maxCached = 12 << 20

// A fileCache keeps parsed files while they have not changed.
type fileCache struct {
	mu      sync.Mutex
	entries map[string]cachedFile
	bytes   int
}

type cachedFile struct {
	size     int64
	modified time.Time
	file     *shownFile
}

func newFileCache() *fileCache { return &fileCache{entries: map[string]cachedFile{}} }

func (c *fileCache) get(name string, size int64, modified time.Time) (*shownFile, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[name]
	return e.file, ok && e.size == size && e.modified.Equal(modified)
}

func (c *fileCache) put(name string, size int64, modified time.Time, f *shownFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeLocked(name)
	for other := range c.entries { // any: which one hardly matters
		if c.bytes+len(f.whole.Source) <= maxCached {
			break
		}
		c.removeLocked(other)
	}
	if c.bytes+len(f.whole.Source) <= maxCached {
		c.entries[name] = cachedFile{size, modified, f}
		c.bytes += len(f.whole.Source)
	}
}

func (c *fileCache) remove(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeLocked(name)
}

func (c *fileCache) removeLocked(name string) {
	if e, ok := c.entries[name]; ok {
		c.bytes -= len(e.file.whole.Source)
		delete(c.entries, name)
	}
}

// settled is how old a file's time must be before equal size and time mean equal
// bytes: file systems may give edits of the same moment the same time.
const settled = 2 * time.Second

// file reads the file of that name as it is shown. A hidden or foreign file is
// NotFound, like a missing one.
func (s *catalog) file(name string) (*shownFile, error) {
	r, rel, ok := s.locate(name)
	if !ok {
		return nil, notAllowedError(name)
	}
	if s.cache == nil || s.buffers.mayHold(r.path(rel)) {
		return s.readFile(name, r, rel)
	}
	began := s.now()
	size, modified := r.view.Stat(rel)
	if f, ok := s.cache.get(name, size, modified); ok {
		return f, nil
	}
	f, err := s.readFile(name, r, rel)
	if err != nil {
		s.cache.remove(name)
		return nil, err
	}
	if !f.depends && began.Sub(modified) > settled && int64(len(f.whole.Source)) == size &&
		!bytes.Contains(bytes.ToUpper(f.whole.Source[:min(4096, len(f.whole.Source))]), []byte("#+SETUPFILE")) {
		s.cache.put(name, size, modified, f)
	}
	return f, nil
}

func (s *catalog) readFile(name string, r *root, rel string) (*shownFile, error) {
	data, err := r.view.Read(rel)
	if err != nil {
		return nil, s.toolError(name, err)
	}
	return s.parse(name, r, rel, data)
}

// eachFile calls do for the files of these names on all processors, with the index
// of its name. A file that cannot be read is left out.
func (s *catalog) eachFile(ctx context.Context, names []string, do func(n int, f *shownFile)) error {
	return folder.ForEach(ctx, len(names), func(n int) {
		if f, err := s.file(names[n]); err == nil {
			do(n, f)
		}
	})
}

// chosenFiles are the names of the files that an argument names, in any spelling;
// all of them if it names none.
func (s *catalog) chosenFiles(ctx context.Context, files []string) ([]string, error) {
	if len(files) == 0 {
		return s.fileNames(ctx)
	}
	var names []string
	seen := map[string]bool{}
	for _, file := range files {
		name, err := s.findFile(ctx, file)
		if err != nil {
			return nil, err
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, nil
}

// findFile returns the name of the file that an agent means: by its name, by a name
// without its root's that fits one file only, by its absolute path, or by a URI.
func (s *catalog) findFile(ctx context.Context, file string) (string, error) {
	if strings.Contains(file, "://") || strings.HasPrefix(file, "file:") {
		t, err := s.parseTarget(ctx, file)
		if err != nil {
			return "", err
		}
		if t.file == "" {
			return "", tools.Errorf(tools.Invalid, "%.200q names no file", file)
		}
		return t.file, nil
	}
	return s.resolveFile(ctx, strings.TrimPrefix(file, "./"))
}

func (s *catalog) resolveFile(ctx context.Context, file string) (string, error) {
	if strings.HasSuffix(file, ".gpg") {
		return "", tools.Errorf(tools.Denied, "'%.200s' is encrypted; Lectern holds no keys and does not open such files", file).
			WithHint("Ask the user to decrypt it into a file that is open to agents.")
	}
	name := file
	if at, ok := s.nameAt(file); ok {
		name = at
	}
	if r, rel, ok := s.locate(name); ok && r.view.Exists(rel) && !r.view.IsDir(rel) {
		return name, nil
	}
	if len(s.roots()) > 1 {
		var fits []string
		for _, r := range s.roots() {
			if other := r.prefix + file; folder.CheckName(file) == nil && r.allows(file) && r.view.Exists(file) && !r.view.IsDir(file) {
				fits = append(fits, other)
			}
		}
		switch {
		case len(fits) == 1:
			return fits[0], nil
		case len(fits) > 1:
			return "", tools.Errorf(tools.Conflict, "'%.200s' may be one of %d files", file, len(fits)).
				WithHint("Name one of %s.", strings.Join(fits, ", "))
		}
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	return "", notAllowedError(file)
}
