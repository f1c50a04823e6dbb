package org

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// A rootSpec is a folder to open, with the globs of the files in it; none: all.
type rootSpec struct {
	dir    string
	names  []string // dir, as the configuration has it
	globs  []string
	all    bool
	prefix string
	order  int
}

// rootSpecs works out which folders the configuration opens: by real path, each
// once. except are globs of absolute paths that it leaves out.
func (c Config) rootSpecs() (specs []rootSpec, except []string, err error) {
	add := func(dir, glob string) {
		name := dir
		dir = realPath(dir)
		i := slices.IndexFunc(specs, func(s rootSpec) bool { return s.dir == dir })
		if i < 0 {
			i = len(specs)
			specs = append(specs, rootSpec{dir: dir})
		}
		specs[i].names = append(specs[i].names, name)
		if glob == "" {
			specs[i].all = true
		} else {
			specs[i].globs = append(specs[i].globs, glob)
		}
	}
	opened, except, err := c.fileGlobs()
	if err != nil {
		return nil, nil, err
	}
	relative := slices.ContainsFunc(opened, func(f string) bool { return !filepath.IsAbs(f) })
	switch {
	case c.Path == "" && (relative || len(opened) == 0):
		return nil, nil, tools.Errorf(tools.Invalid, "path: missing, the folder that holds the Org files").
			WithHint("Set path, or name files by absolute paths.")
	case c.Path != "" && !relative:
		add(string(c.Path), "")
	}
	for _, glob := range opened {
		addFiles(add, string(c.Path), glob)
	}
	for i := range specs {
		if specs[i].order = i; specs[i].all {
			specs[i].globs = nil
		}
		if len(specs) > 1 {
			specs[i].prefix = prefixFor(filepath.Base(specs[i].dir), specs[:i])
		}
	}
	return specs, except, nil
}

// fileGlobs are the entries of the key files: what they open, and as absolute paths what
// they leave out.
func (c Config) fileGlobs() (opened, except []string, err error) {
	for _, file := range c.Files {
		pattern, isException := strings.CutPrefix(file, "!")
		glob, err := parseGlob(pattern)
		switch {
		case err != nil:
			return nil, nil, err
		case !isException:
			opened = append(opened, glob)
		default:
			if !filepath.IsAbs(pattern) {
				glob = escapeGlob(filepath.ToSlash(string(c.Path))) + "/" + glob
			}
			dir, rest := splitGlob(glob)
			except = append(except, path.Join(escapeGlob(filepath.ToSlash(realPath(dir))), rest))
		}
	}
	return opened, except, nil
}

// parseGlob reads an entry of the key files. As in a shell, [!a] is what is not a.
func parseGlob(file string) (glob string, err error) {
	glob = strings.ReplaceAll(strings.TrimPrefix(filepath.ToSlash(file), "./"), "[!", "[^")
	if _, err := path.Match(glob, ""); err != nil || glob == "" || slices.Contains(strings.Split(glob, "/"), "..") {
		return "", tools.Errorf(tools.Invalid, "files: %q is not a path or glob", file).
			WithHint("Write a path without .., with * for a part of a name and ** for any folders, and ! in front to leave files out.")
	}
	return glob, nil
}

const globLetters = "*?["

// splitGlob splits a glob behind the last folder that it names without one of its
// letters; glob is empty if there is none of them.
func splitGlob(pattern string) (dir, glob string) {
	at := strings.IndexAny(pattern, globLetters)
	if at < 0 {
		return filepath.FromSlash(pattern), ""
	}
	at = strings.LastIndexByte(pattern[:at], '/') + 1
	return filepath.Clean(filepath.FromSlash(pattern[:at])), pattern[at:]
}

// addFiles adds one entry of the key files. What is not there is a file or a folder by
// its name.
func addFiles(add func(dir, glob string), base, file string) {
	if !filepath.IsAbs(file) {
		if add(base, file); !strings.ContainsAny(file, globLetters) && !isOrg(file) {
			add(base, file+"/**")
		}
		return
	}
	dir, glob := splitGlob(file)
	if glob != "" {
		add(dir, glob)
		return
	}
	real := realPath(dir)
	info, err := os.Stat(real)
	if err == nil && info.IsDir() || err != nil && !isOrg(real) {
		add(real, "")
		return
	}
	add(filepath.Dir(real), escapeGlob(filepath.Base(real)))
}

// realPath is a path without symbolic links, as far as it is there.
func realPath(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	if dir := filepath.Dir(file); dir != file {
		return filepath.Join(realPath(dir), filepath.Base(file))
	}
	return file
}

func escapeGlob(name string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(name)
}

// A rootSet is the folders that are open, and those that are opened when they are there.
type rootSet struct {
	all atomic.Pointer[[]*root]

	mu      sync.Mutex
	missing []rootSpec
	open    func(spec rootSpec) (*root, error)
}

func (s *rootSet) roots() []*root { return *s.all.Load() }

func (s *catalog) roots() []*root { return s.opened.roots() }

// openMissing opens the folders that were not there before and are now.
func (s *rootSet) openMissing() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing = slices.DeleteFunc(s.missing, func(spec rootSpec) bool {
		r, err := s.open(spec)
		if err == nil {
			s.add(r)
		}
		return err == nil
	})
}

// openRoots opens the folders. One that cannot be opened is opened later, unless it is
// path, or no other can be.
func openRoots(c Config, p tools.Privacy, buffers *openBuffers, read fileReader) (*rootSet, error) {
	specs, except, err := c.rootSpecs()
	if err != nil {
		return nil, err
	}
	set := &rootSet{}
	set.all.Store(new([]*root))
	origins := &archiveOrigins{set}
	set.open = func(spec rootSpec) (*root, error) {
		f, err := folder.Open(spec.dir, folder.Options{MaxBytes: maxFile, Unsaved: func(file string) ([]byte, bool) {
			return buffers.read(filepath.Join(spec.dir, filepath.FromSlash(file)))
		}})
		if err != nil {
			return nil, openError(spec.dir, err)
		}
		r := &root{prefix: spec.prefix, order: spec.order, dir: spec.dir, globs: spec.globs, except: except, close: f.Close, sweep: f.Sweep}
		if p.Any() {
			r.rules = privacyRules{Privacy: p, prefix: r.prefix, dirs: append([]string{spec.dir}, spec.names...), read: read, origins: origins}
		}
		r.view = folder.NewView(f, r.rules)
		r.disk = folder.NewCommitter(r.view, buffers.writer(spec.dir), probeModes, atomicfile.IsTemp)
		r.store, r.modes = r.disk, r.disk.Modes
		return r, nil
	}
	for _, spec := range specs {
		r, failure := set.open(spec)
		if failure == nil {
			set.add(r)
			continue
		}
		if err == nil {
			err = failure
		}
		if set.missing = append(set.missing, spec); slices.Contains(spec.names, string(c.Path)) {
			return nil, errors.Join(failure, set.close())
		}
	}
	missing := c.missingFiles()
	if err == nil && len(missing) > 0 {
		err = openError(missing[0], fs.ErrNotExist)
	}
	if len(set.roots()) == 0 || c.Path == "" && len(missing) == len(c.Files) {
		return nil, errors.Join(err, set.close())
	}
	return set, nil
}

// add adds a folder, in the order of the configuration.
func (s *rootSet) add(r *root) {
	all := append(slices.Clone(s.roots()), r)
	slices.SortFunc(all, func(a, b *root) int { return a.order - b.order })
	s.all.Store(&all)
}

func (s *rootSet) close() error {
	var errs []error
	for _, r := range s.roots() {
		errs = append(errs, r.close())
	}
	return errors.Join(errs...)
}

// missingFiles are the entries of files that name what is not there. The inbox is made
// when something goes into it.
func (c Config) missingFiles() (missing []string) {
	for _, file := range c.Files {
		if strings.HasPrefix(file, "!") || filepath.Clean(file) == filepath.Clean(c.Inbox) {
			continue
		}
		if dir, _ := splitGlob(filepath.ToSlash(file)); dir != "." {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(string(c.Path), dir)
			}
			if _, err := os.Stat(dir); err != nil {
				missing = append(missing, file)
			}
		}
	}
	return missing
}

// prefixFor makes the name of a root that no other has.
func prefixFor(base string, specs []rootSpec) string {
	name := base
	for n := 2; slices.ContainsFunc(specs, func(s rootSpec) bool { return s.prefix == name+"/" }); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name + "/"
}

func openError(where string, err error) error {
	wrong, hint := "cannot open it", "Restore it, or correct its path, by `lectern source set` or by e in Sources of the panel."
	switch {
	case errors.Is(err, fs.ErrNotExist):
		wrong = "no such file or folder"
	case errors.Is(err, fs.ErrPermission):
		wrong, hint = "permission denied", "Give the user that runs Lectern permission to read the folder and its files."
	case errors.Is(err, folder.ErrNotFolder):
		wrong = "not a folder"
	}
	return &tools.Error{Code: tools.Unavailable, Message: fmt.Sprintf("open Org files at %s: %s", where, wrong), Hint: hint, Cause: err}
}
