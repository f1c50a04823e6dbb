package org

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// duplicateIDs is raised while two headlines have one ID: links lead to either.
var duplicateIDs = status.ProblemType{
	Code: "org.duplicates", Severity: status.Notice,
	Description: "Two headlines or files of a source have the same ID, as after a copy. Links and URIs by that ID lead to the first.",
	Title:       "{count} IDs in {source} are used twice",
	Fix:         "Run `lectern doctor org` to see where; remove the ID property of the copy.",
}

// missingFiles is raised while the key files names what is not there.
var missingFiles = status.ProblemType{
	Code: "org.missing", Severity: status.Warning,
	Description: "The key `files` of a source names a file or folder that does not exist. The others are served, and this one as soon as it " +
		"is there.",
	Title: "{source} has no {files}",
	Fix:   "Restore it, or correct `files` by `lectern source set` or by e in Sources of the panel.",
}

// watchEvery is how often files are looked at for edits by other programs. A look
// that takes long is made less often, so that it costs a fiftieth of the time.
const watchEvery = 2 * time.Second

// Run implements [tools.Runner]: it removes what killed writers left, reads all files
// once for their IDs, and then tells subscribers what other programs change.
func (s *Source) Run(ctx context.Context) error {
	if err := s.sweep(ctx); err != nil {
		return err
	}
	s.reportMissing()
	if err := s.index(ctx); err != nil {
		return err
	}
	for pause := watchEvery; ; {
		next := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			next.Stop()
			return nil
		case <-next.C:
		}
		began := s.now()
		if err := s.look(ctx); err != nil {
			return err
		}
		pause = max(watchEvery, 50*s.now().Sub(began))
	}
}

// index reads every file once and reports IDs that stand twice.
func (s *Source) index(ctx context.Context) error {
	release := s.report.BlockIdleExit("reads Org files")
	defer release()
	names, err := s.fileNames(ctx)
	if err != nil {
		return err
	}
	for n, name := range names {
		if err := ctx.Err(); err != nil {
			return nil
		}
		if f, err := s.file(name); err == nil {
			s.ids.add(f)
			s.watched.set(name, s.stat(name))
		}
		s.report.Progress("read Org files", int64(n+1), int64(len(names)))
	}
	s.reportDuplicates()
	return nil
}

// reportMissing opens what is there by now, and reports what is not.
func (s *Source) reportMissing() {
	s.opened.openMissing()
	if missing := s.config.missingFiles(); len(missing) > 0 {
		s.report.Raise(missingFiles, status.Args{"files": strings.Join(missing[:min(3, len(missing))], ", ")})
	} else {
		s.report.Clear(missingFiles)
	}
}

func (s *Source) reportDuplicates() {
	if n := len(s.ids.duplicates()); n > 0 {
		s.report.Raise(duplicateIDs, status.Args{"count": strconv.Itoa(n)})
	} else {
		s.report.Clear(duplicateIDs)
	}
}

// look announces what has changed since the last look.
func (s *Source) look(ctx context.Context) error {
	s.reportMissing()
	names, err := s.fileNames(ctx)
	if err != nil {
		return err
	}
	var changed []string
	for _, name := range names {
		now := s.stat(name)
		if s.watched.same(name, now) {
			continue
		}
		f, err := s.file(name)
		if err != nil {
			continue // another look may read it
		}
		s.watched.set(name, now)
		s.ids.add(f)
		changed = append(changed, name)
	}
	for _, name := range s.watched.removeOthers(names) {
		s.ids.remove(name)
		changed = append(changed, name)
	}
	if len(changed) > 0 {
		s.reportDuplicates()
		s.announce(ctx, changed...)
	}
	s.observe(ctx)
	return nil
}

// A fileStamp is what tells that a file has changed.
type fileStamp struct {
	size     int64
	modified time.Time
}

func (s *catalog) stat(name string) fileStamp {
	r, rel, ok := s.locate(name)
	if !ok {
		return fileStamp{}
	}
	size, modified := r.view.Stat(rel)
	return fileStamp{size, modified}
}

// A watchList remembers how files were at the last look.
type watchList struct {
	mu     sync.Mutex
	stamps map[string]fileStamp
}

func newWatchList() *watchList { return &watchList{stamps: map[string]fileStamp{}} }

// same reports whether a file is as it was at the last look.
func (w *watchList) same(name string, now fileStamp) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	at, ok := w.stamps[name]
	return ok && at.size == now.size && at.modified.Equal(now.modified)
}

func (w *watchList) set(name string, stamp fileStamp) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stamps[name] = stamp
}

// removeOthers forgets all files but those of these names and returns their names.
func (w *watchList) removeOthers(names []string) (gone []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range w.stamps {
		if _, found := slices.BinarySearch(names, name); !found {
			delete(w.stamps, name)
			gone = append(gone, name)
		}
	}
	return gone
}
