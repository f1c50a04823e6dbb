package org

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	order  int    // in the configuration
	globs  []string
	except []string     // globs of absolute paths
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

// serves reports whether the configuration opens a file, of whatever kind. The archive
// of a file is open or left out with it.
func (r *root) serves(rel string) bool {
	file := strings.TrimSuffix(rel, archiveEnding)
	return !r.excepts(rel) && !r.excepts(file) && (r.includes(rel) || isOrg(file) && r.includes(file))
}

func (r *root) includes(rel string) bool {
	return len(r.globs) == 0 || slices.ContainsFunc(r.globs, func(g string) bool { return tools.MatchGlob(g, rel) })
}

func (r *root) excepts(rel string) bool {
	return slices.ContainsFunc(r.except, func(g string) bool {
		path := filepath.ToSlash(r.path(rel))
		return tools.MatchGlob(g, path) || tools.MatchGlob(g+"/**", path)
	})
}

// isOrg reports whether a file is one of Org's by its name.
func isOrg(name string) bool { return strings.HasSuffix(name, ".org") || isArchive(name) }

// isArchive reports whether all of a file is archived.
func isArchive(name string) bool { return strings.HasSuffix(name, archiveEnding) }

const archiveEnding = "_archive"

// locate finds the root of a file by the file's name. ok is false if the name is
// that of no allowed file, whether or not it exists.
func (s *catalog) locate(name string) (r *root, rel string, ok bool) {
	for _, r := range s.roots() {
		if rel, ok := strings.CutPrefix(name, r.prefix); ok && folder.CheckName(rel) == nil && r.allows(rel) {
			return r, rel, true
		}
	}
	return nil, "", false
}

// nameAt returns the name of the file at an absolute path; ok is false if it is in
// no root, or not allowed there.
func (s *catalog) nameAt(file string) (name string, ok bool) {
	for _, r := range s.roots() {
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
	for n, r := range s.roots() {
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
	file := s.roots()[n].path(rel)
	return slices.ContainsFunc(s.roots()[:n], func(r *root) bool {
		rel, ok := r.relative(file)
		return ok && r.allows(rel)
	})
}
