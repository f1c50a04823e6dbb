package folder

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Rules decide which names a [View] leaves out. They are asked about a name before
// it is looked up, and about what a file holds only where the name is not enough.
type Rules interface {
	// HidesFolder decides by its name whether a folder is hidden with everything
	// below it.
	HidesFolder(dir string) bool
	// HidesName decides by its name whether a file is hidden; decided is false if
	// what the folder holds matters too.
	HidesName(file string) (hidden, decided bool)
	// HidesFile decides about a file that HidesName leaves open. What it cannot
	// read is hidden.
	HidesFile(all Files, file string) bool
	// HidesContent reports whether a file of this name would be hidden if it held
	// data. It looks nothing up.
	HidesContent(file string, data []byte) bool
}

// Files is a folder with its hidden names, for [Rules] only.
type Files interface {
	// Exists reports whether there is a regular file of this name.
	Exists(file string) bool
	// Read returns the content of a file.
	Read(file string) ([]byte, error)
}

// A filteredFolder is a [Folder] without what its rules hide. A folder exists in
// it only if it holds a visible file, at any depth: so whether an empty folder
// exists does not depend on what is hidden in it.
type filteredFolder struct {
	f     *Folder
	all   tree // f, or in tests what records how it is used
	rules Rules
}

// hidesPath decides by the name alone, and by every folder on the way to it.
func hidesPath(rules Rules, name string) (asFile, asFolder, decided bool) {
	for i := range len(name) {
		if name[i] == '/' && rules.HidesFolder(name[:i]) {
			return true, true, true
		}
	}
	asFile, decided = rules.HidesName(name)
	return asFile, rules.HidesFolder(name), decided
}

func (t *filteredFolder) lstat(name string) (fileInfo, error) {
	asFile, asFolder, decided := hidesPath(t.rules, name)
	if asFile && asFolder {
		return fileInfo{}, fs.ErrNotExist
	}
	info, err := t.all.lstat(name)
	if err != nil {
		return fileInfo{}, fs.ErrNotExist // why must not show: the way may be a hidden file, or a folder that cannot be read
	}
	hidden := asFile || !decided && t.hidesFile(name)
	if info.dir {
		hidden = asFolder || !isDotted(name) && !t.showsAny(name)
	}
	if hidden {
		return fileInfo{}, fs.ErrNotExist
	}
	return info, nil
}

// isDotted reports whether a name is among those that no tool shows, such as
// .obsidian: they are there or not, whatever is hidden.
func isDotted(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), IsHidden)
}

// hidesFile decides about a file by what the folder holds.
func (t *filteredFolder) hidesFile(name string) bool {
	return t.rules.HidesFile(allFiles{f: t.f}, name)
}

// showsAny reports whether a folder holds a file that is not hidden.
func (t *filteredFolder) showsAny(dir string) bool {
	entries, err := t.f.entries(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); e.Type().IsRegular() && !IsHidden(e.Name()) && t.showsFile(name) {
			return true
		}
	}
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); e.IsDir() && !IsHidden(e.Name()) && !t.rules.HidesFolder(name) && t.showsAny(name) {
			return true
		}
	}
	return false
}

func (t *filteredFolder) showsFile(name string) bool {
	hidden, decided := t.rules.HidesName(name)
	return !hidden && (decided || !t.hidesFile(name))
}

// names lists a folder without the names that are hidden whatever they are. Those
// that depend on more are looked at by lstat.
func (t *filteredFolder) names(dir string) ([]string, error) {
	if dir != "." {
		if _, asFolder, _ := hidesPath(t.rules, dir); asFolder {
			return nil, fs.ErrNotExist
		}
	}
	names, err := t.all.names(dir)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	return slices.DeleteFunc(names, func(name string) bool {
		hidden, _ := t.rules.HidesName(path.Join(dir, name))
		return hidden && t.rules.HidesFolder(path.Join(dir, name))
	}), nil
}

// read reads a file once and judges what it has read.
func (t *filteredFolder) read(name string, limit int64, head bool) ([]byte, error) {
	hidden, _, decided := hidesPath(t.rules, name)
	if hidden {
		return nil, fs.ErrNotExist
	}
	data, err := t.all.read(name, limit, head)
	switch {
	case decided:
		return data, err
	case err != nil && !errors.Is(err, ErrTooLarge),
		t.rules.HidesFile(allFiles{t.f, name, data, err == nil && (!head || int64(len(data)) < limit)}, name):
		return nil, fs.ErrNotExist
	}
	return data, err
}

func (t *filteredFolder) list(ctx context.Context, skip func(name string, dir bool) bool) (Listing, error) {
	var l Listing
	err := t.f.walk(ctx, &l, func(name string, dir bool) bool {
		return skip(name, dir) || dir && t.rules.HidesFolder(name)
	})
	if err != nil {
		return Listing{}, err
	}
	shown := make([]bool, len(l.Files))
	if err := ForEach(ctx, len(l.Files), func(i int) { shown[i] = t.showsFile(l.Files[i]) }); err != nil {
		return Listing{}, err
	}
	files, stats := l.Files[:0], l.Stats[:0]
	for i, file := range l.Files {
		if shown[i] {
			files, stats = append(files, file), append(stats, l.Stats[i])
		}
	}
	l.Files, l.Stats, l.Skipped, l.Unnamed = files, stats, nil, nil // what they hold may be hidden
	return l.withoutEmptyFolders(), nil
}

// withoutEmptyFolders drops the folders that hold no file.
func (l Listing) withoutEmptyFolders() Listing {
	holds := map[string]bool{}
	for _, file := range l.Files {
		for dir := path.Dir(file); dir != "." && !holds[dir]; dir = path.Dir(dir) {
			holds[dir] = true
		}
	}
	l.Folders = slices.DeleteFunc(l.Folders, func(dir string) bool { return !holds[dir] })
	return l
}

// allFiles implements [Files]. It does not read the file again that it already has.
type allFiles struct {
	f        *Folder
	file     string
	data     []byte
	complete bool
}

// Exists implements [Files].
func (a allFiles) Exists(file string) bool {
	info, err := a.f.lstat(file)
	return err == nil && info.regular
}

// Read implements [Files].
func (a allFiles) Read(file string) ([]byte, error) {
	if file == a.file && a.complete {
		return a.data, nil
	}
	return a.f.read(file, a.f.maxBytes, false)
}
