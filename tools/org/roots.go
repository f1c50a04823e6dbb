package org

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// maxFile is the maximum size of a file that is read, in bytes.
const maxFile = 50 << 20

// A root is one open folder with the files in it that are allowed. A file goes by
// its path in the folder; where there are several roots, by the root's name and
// that path.
type root struct {
	prefix string // "work/"; empty where there is one root
	dir    string // the real path
	globs  []string
	view   *folder.View // all that tools see of it
	store  store
	disk   *folder.Committer // also of a draft: what is hidden is the same
	rules  folder.Rules      // nil: nothing is hidden
	modes  func() (file, folder uint32, err error)
	close  func() error
	sweep  func(func(*os.Root) error) error // nil: it is a draft, which has no files
}

// A store carries out what tools have drafted and takes Changes back: on disk, or
// in a draft of the source.
type store interface {
	State(target string) (folder.State, error)
	Look(file string) (exists, hidden bool)
	Commit(d *folder.Draft, report func([]folder.Change) error) (written []folder.Change, err error)
	Restore(changes []folder.Change, report func([]folder.Change) error) (written []folder.Change, err error)
}

// allows reports whether a path in the folder is that of an Org file that the
// configuration opens. Where something may be hidden, what is attached to a headline is
// no file of its own, unless the configuration names it.
func (r *root) allows(rel string) bool {
	return isOrg(rel) && r.serves(rel) && (r.rules == nil || len(r.globs) > 0 || !attachmentFolder.MatchString(rel))
}

// hidesParts reports whether rules may hide a part of a file.
func (r *root) hidesParts() bool {
	rules, ok := r.rules.(privacyRules)
	return ok && rules.NeedsContent()
}

// serves reports whether the configuration opens a file, of whatever kind.
func (r *root) serves(rel string) bool {
	return len(r.globs) == 0 || slices.ContainsFunc(r.globs, func(g string) bool { return tools.MatchGlob(g, rel) })
}

// isOrg reports whether a file is one of Org's by its name.
func isOrg(name string) bool { return strings.HasSuffix(name, ".org") || isArchive(name) }

// isArchive reports whether all of a file is archived.
func isArchive(name string) bool { return strings.HasSuffix(name, "_archive") }

// A rootSpec is a folder to open, with the globs of the files in it; none: all.
type rootSpec struct {
	dir   string
	names []string // dir, as the configuration has it
	globs []string
	all   bool
}

// rootSpecs works out which folders the configuration opens: by real path, each
// once.
func (c Config) rootSpecs() ([]rootSpec, error) {
	var specs []rootSpec
	add := func(dir, glob string) {
		name := dir
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
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
	relative := slices.ContainsFunc(c.Files, func(f string) bool { return !filepath.IsAbs(f) })
	switch {
	case c.Path == "" && (relative || len(c.Files) == 0):
		return nil, tools.Errorf(tools.Invalid, "path: missing, the folder that holds the Org files").
			WithHint("Set path, or name files by absolute paths.")
	case c.Path != "" && !relative:
		add(string(c.Path), "")
	}
	for _, file := range c.Files {
		if err := addFiles(add, string(c.Path), file); err != nil {
			return nil, err
		}
	}
	for i := range specs {
		if specs[i].all {
			specs[i].globs = nil
		}
	}
	return specs, nil
}

// addFiles adds one entry of the key files.
func addFiles(add func(dir, glob string), base, file string) error {
	glob := filepath.ToSlash(file)
	if _, err := path.Match(glob, ""); err != nil || slices.Contains(strings.Split(glob, "/"), "..") {
		return tools.Errorf(tools.Invalid, "files: %q is not a path or glob", file).
			WithHint("Write a path without .., with * for a part of a name and ** for any folders.")
	}
	switch {
	case !filepath.IsAbs(file):
		add(base, strings.TrimPrefix(glob, "./"))
		return nil
	case strings.ContainsAny(glob, "*?["):
		at := strings.IndexAny(glob, "*?[")
		dir := glob[:strings.LastIndexByte(glob[:at], '/')+1]
		add(filepath.Clean(filepath.FromSlash(dir)), glob[len(dir):])
		return nil
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return openError(file, err)
	}
	if info, err := os.Stat(real); err == nil && info.IsDir() {
		add(real, "")
		return nil
	}
	add(filepath.Dir(real), escapeGlob(filepath.Base(real)))
	return nil
}

func escapeGlob(name string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(name)
}

// openRoots opens the folders. If one cannot be opened, none stays open.
func openRoots(c Config, p tools.Privacy, buffers *openBuffers, read fileReader) ([]*root, error) {
	specs, err := c.rootSpecs()
	if err != nil {
		return nil, err
	}
	var roots []*root
	origins := &archiveOrigins{}
	for _, spec := range specs {
		f, err := folder.Open(spec.dir, folder.Options{MaxBytes: maxFile, Unsaved: func(file string) ([]byte, bool) {
			return buffers.read(filepath.Join(spec.dir, filepath.FromSlash(file)))
		}})
		if err != nil {
			for _, r := range roots {
				err = errors.Join(err, r.close())
			}
			return nil, openError(spec.dir, err)
		}
		r := &root{dir: spec.dir, globs: spec.globs, close: f.Close, sweep: f.Sweep}
		if len(specs) > 1 {
			r.prefix = prefixFor(filepath.Base(spec.dir), roots)
		}
		if p.Any() {
			r.rules = privacyRules{Privacy: p, prefix: r.prefix, dirs: append([]string{spec.dir}, spec.names...), read: read, origins: origins}
		}
		r.view = folder.NewView(f, r.rules)
		r.disk = folder.NewCommitter(r.view, buffers.writer(spec.dir), probeModes, atomicfile.IsTemp)
		r.store, r.modes = r.disk, r.disk.Modes
		roots = append(roots, r)
	}
	origins.roots = roots
	return roots, nil
}

// prefixFor makes the name of a root that no other has.
func prefixFor(base string, roots []*root) string {
	name := base
	for n := 2; slices.ContainsFunc(roots, func(r *root) bool { return r.prefix == name+"/" }); n++ {
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

// locate finds the root of a file by the file's name. ok is false if the name is
// that of no allowed file, whether or not it exists.
func (s *catalog) locate(name string) (r *root, rel string, ok bool) {
	for _, r := range s.roots {
		if rel, ok := strings.CutPrefix(name, r.prefix); ok && folder.CheckName(rel) == nil && r.allows(rel) {
			return r, rel, true
		}
	}
	return nil, "", false
}

// nameAt returns the name of the file at an absolute path; ok is false if it is in
// no root, or not allowed there.
func (s *catalog) nameAt(file string) (name string, ok bool) {
	for _, r := range s.roots {
		if rel, ok := r.relative(file); ok && r.allows(rel) {
			return r.prefix + rel, true
		}
	}
	return "", false
}

// relative returns the path in the folder of an absolute path that is below it.
func (r *root) relative(file string) (rel string, ok bool) {
	rel, err := filepath.Rel(r.dir, file)
	if err != nil || !filepath.IsAbs(file) || !filepath.IsLocal(rel) {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	return rel, folder.CheckName(rel) == nil
}

// path is the absolute path of a file.
func (r *root) path(rel string) string { return filepath.Join(r.dir, filepath.FromSlash(rel)) }

// fileNames lists the names of all allowed files, in order.
func (s *catalog) fileNames(ctx context.Context) ([]string, error) {
	var names []string
	for n, r := range s.roots {
		l, err := r.view.List(ctx, func(name string, dir bool) bool { return !dir && !r.allows(name) })
		if err != nil {
			return nil, s.toolError(r.prefix, err)
		}
		for _, rel := range l.Files {
			if !s.servedBefore(n, rel) {
				names = append(names, r.prefix+rel)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// servedBefore reports whether a file of root n is also a file of one before it,
// whose folder contains that of n.
func (s *catalog) servedBefore(n int, rel string) bool {
	if n == 0 {
		return false
	}
	file := s.roots[n].path(rel)
	return slices.ContainsFunc(s.roots[:n], func(r *root) bool {
		rel, ok := r.relative(file)
		return ok && r.allows(rel)
	})
}
