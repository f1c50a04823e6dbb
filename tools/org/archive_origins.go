package org

import (
	"cmp"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// archiveOrigins are the files of all roots, hidden ones too, that something may have
// been archived from. What was archived is hidden if its file is hidden, or a headline
// that it stood below, as they are now; what is not there any more is judged by its name.
type archiveOrigins struct{ opened *rootSet }

// foundOrigins is what was found out of origins while one file is judged.
type foundOrigins struct {
	files    map[string]*originFile
	archives map[string]outlineIndex
	hidden   map[[3]string]bool // by archive, ARCHIVE_FILE and ARCHIVE_OLPATH; false meanwhile
}

// An originFile is a file that something was archived from; file is nil if it is not
// there.
type originFile struct {
	file   *orgfile.File
	hidden bool // all of it
	paths  outlineIndex
}

// An outlineIndex has headlines by the titles from the top down to them, as
// ARCHIVE_OLPATH has them.
type outlineIndex map[string][]int

func newFoundOrigins() *foundOrigins {
	return &foundOrigins{map[string]*originFile{}, map[string]outlineIndex{}, map[[3]string]bool{}}
}

// An originName is a path in a folder that may be that of an origin. With named only its
// name matters: it is that of a symbolic link.
type originName struct {
	root  *root
	rel   string
	named bool
}

// names are the files that ARCHIVE_FILE may mean. One in none of the folders is looked
// for by the end of its path: it may have been archived on another machine.
func (o *archiveOrigins) names(file string) (names []originName) {
	name := filepath.ToSlash(expandHome(strings.ReplaceAll(file, `\`, "/")))
	real, err := filepath.EvalSymlinks(filepath.FromSlash(name))
	for _, r := range o.opened.roots() {
		rules, _ := r.rules.(privacyRules)
		if rel, ok := rules.relative(name); ok {
			names = append(names, originName{r, rel, err == nil && foldPath(real) != foldPath(name)})
		}
		if rel, ok := rules.relative(real); ok && err == nil {
			names = append(names, originName{r, rel, false})
		}
	}
	if len(names) > 0 {
		return names
	}
	name = strings.TrimLeft(path.Clean(name), "/.")
	for more := name != ""; more; _, name, more = strings.Cut(name, "/") {
		if folder.CheckName(name) != nil {
			continue
		}
		for _, r := range o.opened.roots() {
			names = append(names, originName{r, name, false})
		}
	}
	return names
}

// hidesOrigins reports whether headline i, or the file for -1, was archived from
// something hidden, itself or as a part of something. files are the ARCHIVE_FILE of all of
// them.
func (r privacyRules) hidesOrigins(file string, f *orgfile.File, i int, files []string) bool {
	if slices.ContainsFunc(files, func(from string) bool { return r.hidesOrigin(file, f, from, "") }) {
		return true
	}
	for ; i >= 0 && r.found != nil; i = int(f.Headlines[i].Parent) {
		from, _ := f.Property(i, "ARCHIVE_FILE")
		if titles, _ := f.Property(i, "ARCHIVE_OLPATH"); titles != "" && r.hidesOrigin(file, f, from, titles) {
			return true
		}
	}
	return false
}

// hidesOrigin reports whether a file, or a headline of it that has one of these titles
// from the top down, is hidden. Of an archive without ARCHIVE_FILE it is the file that its
// name tells, or the archive itself.
func (r privacyRules) hidesOrigin(archive string, f *orgfile.File, from, titles string) bool {
	key := [3]string{r.prefix + archive, from, titles}
	if r.found != nil {
		if hidden, known := r.found.hidden[key]; known {
			return hidden
		}
		r.found.hidden[key] = false
	}
	hidden := r.findHidden(archive, f, from, titles)
	if r.found != nil {
		r.found.hidden[key] = hidden
	}
	return hidden
}

func (r privacyRules) findHidden(archive string, f *orgfile.File, from, titles string) bool {
	source, _ := archivedFile(archive)
	names := r.origins.names(cmp.Or(from, filepath.Join(r.dirs[0], filepath.FromSlash(cmp.Or(source, archive)))))
	for _, n := range names {
		rules, _ := n.root.rules.(privacyRules)
		rules = rules.excluding()
		if rules.hidesPath(n.rel) {
			return true
		}
		if rules.found = r.found; n.named || r.found == nil || !rules.NeedsContent() {
			continue
		}
		origin := r.found.open(n, rules)
		if origin.hidden || origin.file != nil && rules.hidesAlong(n.rel, origin.file, origin.paths, titles) {
			return true
		}
	}
	if titles == "" || r.found == nil {
		return false
	}
	own, ok := r.found.archives[r.prefix+archive]
	if !ok { // the headline that it stood below may have been archived, too
		own = archivedOutlines(f)
		r.found.archives[r.prefix+archive] = own
	}
	return r.excluding().hidesAlong(archive, f, own, titles)
}

// hidesPath reports whether rules by path cover a file or a folder above it.
func (r privacyRules) hidesPath(file string) bool {
	for i := range len(file) {
		if file[i] == '/' && r.HidesFolder(file[:i]) {
			return true
		}
	}
	hidden, _ := r.HidesName(file)
	return hidden
}

// hidesAlong reports whether a headline on the way down these titles is hidden.
func (r privacyRules) hidesAlong(file string, f *orgfile.File, paths outlineIndex, titles string) bool {
	for n := range len(titles) + 1 {
		if n > 0 && (n == len(titles) || titles[n] == '/') &&
			slices.ContainsFunc(paths[titles[:n]], func(i int) bool { return r.hidesHeadline(file, f, i) }) {
			return true
		}
	}
	return false
}

// open reads an origin. What is there and cannot be read is hidden.
func (o *foundOrigins) open(n originName, rules privacyRules) *originFile {
	key := n.root.prefix + n.rel
	if origin, ok := o.files[key]; ok {
		return origin
	}
	origin := &originFile{}
	o.files[key] = origin
	st, err := n.root.disk.State(n.rel)
	if err != nil || !st.Exists {
		origin.hidden = err != nil
		return origin
	}
	rules.found = nil
	all := rootFiles{n.root.disk}
	unknown := false
	origin.file, err = rules.read(n.root.path(n.rel), st.Data, rules.setupReader(all, &unknown))
	origin.hidden = err != nil || unknown || rules.HidesFile(all, n.rel)
	if err == nil {
		origin.paths = outlines(origin.file)
	}
	return origin
}

// rootFiles implements [folder.Files].
type rootFiles struct{ *folder.Committer }

// Exists implements [folder.Files].
func (f rootFiles) Exists(file string) bool {
	exists, _ := f.Look(file)
	return exists
}

// Read implements [folder.Files].
func (f rootFiles) Read(file string) ([]byte, error) {
	st, err := f.State(file)
	if err == nil && !st.Exists {
		err = fs.ErrNotExist
	}
	return st.Data, err
}

// outlines are the headlines of a file by their titles.
func outlines(f *orgfile.File) outlineIndex {
	paths := outlineIndex{}
	for i := range f.Headlines {
		titles := strings.Join(f.DisplayPath(i), "/")
		paths[titles] = append(paths[titles], i)
	}
	return paths
}

// archivedOutlines are the archived headlines of a file by the titles that they had where
// they were.
func archivedOutlines(f *orgfile.File) outlineIndex {
	paths := outlineIndex{}
	was := make([]string, len(f.Headlines))
	for i := range f.Headlines {
		title := f.DisplayPath(i)
		above, archived := f.Property(i, "ARCHIVE_OLPATH")
		if _, from := f.Property(i, "ARCHIVE_FILE"); !archived && !from {
			parent := f.Headlines[i].Parent
			if parent < 0 || was[parent] == "" {
				continue
			}
			above = was[parent]
		}
		was[i] = strings.TrimPrefix(above+"/"+title[len(title)-1], "/")
		paths[was[i]] = append(paths[was[i]], i)
	}
	return paths
}

// hidesHeader reports whether the text above the headlines of an archive names a hidden
// file as the one that they were in.
func (r privacyRules) hidesHeader(archive string, f *orgfile.File) bool {
	text := f.Text(orgfile.Span{End: int32(f.EntryEnd(-1))})
	for _, format := range []string{f.Settings.ArchiveHeader, orgfile.DefaultSettings().ArchiveHeader} {
		before, after, ok := strings.Cut(strings.Trim(format, "\n"), "%s")
		if before = before[strings.LastIndexByte(before, '\n')+1:]; !ok || !strings.Contains(text, before) {
			continue
		}
		after, _, _ = strings.Cut(after, "\n")
		line := regexp.MustCompile("(?m)^" + regexp.QuoteMeta(before) + "(.+?)" + regexp.QuoteMeta(after) + "[ \\t\\r]*$")
		for _, m := range line.FindAllStringSubmatch(text, -1) {
			if r.hidesOrigin(archive, f, m[1], "") {
				return true
			}
		}
	}
	return false
}
