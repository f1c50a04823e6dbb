package folder

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Listing is the names of a folder. Dot files, temporary files, links and devices
// are not in it.
type Listing struct {
	// Folders are in the order of a walk, before what they hold.
	Folders []string
	// Files are in the byte order of their paths.
	Files []string
	// Stats are those of Files, in their order, as the walk saw them; nil in a draft.
	Stats []FileStat
	// Skipped are folders that could not be read, and Unnamed files and folders whose
	// names [CheckName] refuses, so that nobody could ask for them. Where something may
	// be hidden, they are.
	Skipped, Unnamed []string
	// Ignored is for the caller of [View.List]: what it has skipped and wants to name.
	Ignored []string
}

// A FileStat tells states of a file from each other.
type FileStat struct {
	Size     int64
	Modified time.Time
}

// Sort orders folders and files by name.
func (l *Listing) Sort() {
	slices.Sort(l.Folders)
	if l.Stats == nil {
		slices.Sort(l.Files)
		return
	}
	sort.Sort(filesByName{l})
}

type filesByName struct{ *Listing }

// Len, Less and Swap implement [sort.Interface].
func (l filesByName) Len() int           { return len(l.Files) }
func (l filesByName) Less(i, j int) bool { return l.Files[i] < l.Files[j] }
func (l filesByName) Swap(i, j int) {
	l.Files[i], l.Files[j] = l.Files[j], l.Files[i]
	l.Stats[i], l.Stats[j] = l.Stats[j], l.Stats[i]
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
