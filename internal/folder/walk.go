package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// An Entry is a folder or a regular file that [Folder.Walk] visits.
type Entry struct {
	Path string // slash-separated, relative to the folder
	Dir  bool
}

// Name is the last component of the path.
func (e Entry) Name() string { return path.Base(e.Path) }

// SkipDir skips what a folder contains, if its visit returns it.
var SkipDir = fs.SkipDir

// Walk visits every folder and regular file below dir ("." for all), folders
// before their contents, names in byte order. Hidden names, links and devices are
// not visited. A folder that cannot be read is skipped and listed in skipped.
// Walk ends early when ctx ends or visit returns an error other than SkipDir; it
// returns ErrGone if the folder no longer exists.
func (f *Folder) Walk(ctx context.Context, dir string, visit func(Entry) error) (skipped []string, err error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	if dir != "." {
		if err := CheckName(dir); err != nil {
			return nil, err
		}
	}
	if _, err := f.entries(dir); err != nil {
		return nil, f.wrapError("list", dir, err)
	}
	err = f.walk(ctx, dir, &skipped, visit)
	return skipped, err
}

func (f *Folder) walk(ctx context.Context, dir string, skipped *[]string, visit func(Entry) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("walk folder: %w", err)
	}
	entries, err := f.entries(dir)
	if err != nil {
		*skipped = append(*skipped, dir)
		return nil //nolint:nilerr // listed in skipped; one unreadable folder does not end a walk
	}
	for _, e := range entries {
		if IsHidden(e.Name()) || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		entry := Entry{Path: path.Join(dir, e.Name()), Dir: e.IsDir()}
		err := visit(entry)
		switch {
		case errors.Is(err, SkipDir) && entry.Dir:
			continue
		case err != nil:
			return err
		}
		if entry.Dir {
			if err := f.walk(ctx, entry.Path, skipped, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// Names lists all names in a folder, hidden ones included.
func (f *Folder) Names(dir string) ([]string, error) {
	entries, err := f.entries(dir)
	if err != nil {
		return nil, f.wrapError("list", dir, err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// entries lists a folder in byte order, hidden names included.
func (f *Folder) entries(dir string) ([]fs.DirEntry, error) {
	if dir != "." {
		info, err := f.root.Lstat(dir)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, fmt.Errorf("%s: not a folder: %w", dir, fs.ErrNotExist)
		}
	}
	file, err := f.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	entries, err := file.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}
