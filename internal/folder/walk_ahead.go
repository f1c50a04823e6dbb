package folder

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A walker lists a folder and all below it. What takes the time is asking the system
// about each file, so the folders that come next are read meanwhile, on all processors.
// Everything else happens in order, in the goroutine that walks.
type walker struct {
	f    *Folder
	l    *Listing
	skip func(name string, dir bool) bool

	reads   sync.WaitGroup
	reading chan struct{} // as many folders are read at the same time
}

// walk adds what is below the folder to l. It does not enter a folder for which skip
// returns true, nor lists a file for which it does. It asks skip about one name after
// the other.
func (f *Folder) walk(ctx context.Context, l *Listing, skip func(name string, dir bool) bool) error {
	w := &walker{f: f, l: l, skip: skip, reading: make(chan struct{}, runtime.GOMAXPROCS(0))}
	defer w.reads.Wait()
	return w.walk(ctx, ".", w.read("."))
}

// A foundEntry is a file or a folder in a folder that was read.
type foundEntry struct {
	name string // its path
	key  string // its place in the byte order of paths
	dir  bool
	FileStat
}

// A folderRead is what a folder holds.
type folderRead struct {
	entries []foundEntry
	err     error
}

// read reads a folder beside the caller.
func (w *walker) read(dir string) <-chan folderRead {
	done := make(chan folderRead, 1)
	w.reads.Go(func() {
		w.reading <- struct{}{}
		defer func() { <-w.reading }()
		done <- w.f.readEntries(dir)
	})
	return done
}

// readEntries reads the files and folders in a folder, without those whose names begin
// with a dot.
func (f *Folder) readEntries(dir string) (r folderRead) {
	entries, err := f.entries(dir)
	if err != nil {
		return folderRead{err: err}
	}
	for _, e := range entries {
		if IsHidden(e.Name()) || !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		found := foundEntry{name: path.Join(dir, e.Name()), key: e.Name(), dir: e.IsDir()}
		if found.dir {
			found.key += "/" // as what it holds begins
		} else {
			info, err := e.Info() // which a folder opened below a root has looked up already
			if err != nil {
				continue // it has gone
			}
			found.FileStat = FileStat{info.Size(), info.ModTime()}
		}
		r.entries = append(r.entries, found)
	}
	slices.SortFunc(r.entries, func(a, b foundEntry) int { return strings.Compare(a.key, b.key) })
	return r
}

// walk adds what is in dir, which is being read, and below it.
func (w *walker) walk(ctx context.Context, dir string, reading <-chan folderRead) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("walk folder: %w", err)
	}
	read := <-reading
	if read.err != nil {
		w.l.Skipped = append(w.l.Skipped, dir)
		return nil //nolint:nilerr // listed in Skipped; one unreadable folder does not end a walk
	}
	listed := slices.DeleteFunc(read.entries, func(e foundEntry) bool {
		if w.skip(e.name, e.dir) {
			return true
		}
		unnamed := CheckName(e.name) != nil
		if unnamed {
			w.l.Unnamed = append(w.l.Unnamed, e.name)
		}
		return unnamed
	})
	ahead := readAhead{w: w, listed: listed}
	for _, e := range listed {
		if !e.dir {
			w.l.Files, w.l.Stats = append(w.l.Files, e.name), append(w.l.Stats, e.FileStat)
			continue
		}
		w.l.Folders = append(w.l.Folders, e.name)
		if err := w.walk(ctx, e.name, ahead.next()); err != nil {
			return err
		}
	}
	return nil
}

// A readAhead reads the folders among some entries, in order, before they are walked.
type readAhead struct {
	w       *walker
	listed  []foundEntry // after those that are being read
	reading []<-chan folderRead
}

// next is the folder to walk now. A few after it are read from then on: what was read
// and not walked is in memory.
func (r *readAhead) next() (reading <-chan folderRead) {
	for len(r.listed) > 0 && len(r.reading) < 2*cap(r.w.reading) {
		if e := r.listed[0]; e.dir {
			r.reading = append(r.reading, r.w.read(e.name))
		}
		r.listed = r.listed[1:]
	}
	reading, r.reading = r.reading[0], r.reading[1:]
	return reading
}
