package folder

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A Listing is the names of a folder, in the order of a walk: folders before what
// they hold, names in byte order. Dot files, temporary files, links and devices
// are not in it.
type Listing struct {
	Folders, Files []string
	// Skipped are folders that could not be read, and Unnamed files and folders whose
	// names [CheckName] refuses, so that nobody could ask for them. Where something may
	// be hidden, they are.
	Skipped, Unnamed []string
	// Ignored is for the caller of [View.List]: what it has skipped and wants to name.
	Ignored []string
}

// walk adds what is in dir and below to l. It does not enter a folder for which
// skip returns true, nor lists a file for which it does.
func (f *Folder) walk(ctx context.Context, dir string, l *Listing, skip func(name string, dir bool) bool) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("walk folder: %w", err)
	}
	entries, err := f.entries(dir)
	if err != nil {
		l.Skipped = append(l.Skipped, dir)
		return nil //nolint:nilerr // listed in Skipped; one unreadable folder does not end a walk
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if IsHidden(e.Name()) || !e.IsDir() && !e.Type().IsRegular() || skip(name, e.IsDir()) {
			continue
		}
		if CheckName(name) != nil {
			l.Unnamed = append(l.Unnamed, name)
			continue
		}
		if !e.IsDir() {
			l.Files = append(l.Files, name)
			continue
		}
		l.Folders = append(l.Folders, name)
		if err := f.walk(ctx, name, l, skip); err != nil {
			return err
		}
	}
	return nil
}

// names lists all names in a folder, dot files included.
func (f *Folder) names(dir string) ([]string, error) {
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

// entries lists a folder in byte order, dot files included.
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

// ForEach calls f for 0 to count-1 on all processors until ctx ends.
func ForEach(ctx context.Context, count int, f func(i int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), count) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < count && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("read files: %w", err)
	}
	return nil
}
