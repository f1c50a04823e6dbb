package sandbox

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// maxEntries is how many entries stay when a new one is made, that one included: a
	// few builds that are used in turns find theirs. Each has four megabytes.
	maxEntries = 4
	// maxUnused is how long an entry stays that no sandbox was opened with.
	maxUnused = 90 * 24 * time.Hour
	// maxUnfinished is how long an entry can take to be made; what is older was left
	// behind by a process that ended.
	maxUnfinished = time.Hour
)

// markUsed keeps the entry from being removed by other builds for a while.
func (c *diskCache) markUsed() { _ = os.Chtimes(c.dir, time.Time{}, time.Now()) } // else it is made again one day

// removeOld removes entries of other builds, the longest unused first. It may remove one
// whose build runs now: the code of a sandbox is in memory, and who opens another one
// makes the entry again. How old they are is compared with this entry, which is new.
func (c *diskCache) removeOld() error {
	own, err := os.Stat(c.dir)
	if err != nil {
		return err
	}
	folders, err := os.ReadDir(c.parent)
	if err != nil {
		return err
	}
	type entry struct {
		name string
		used time.Time
	}
	var others []entry
	var failed error
	remove := func(name string) { failed = errors.Join(failed, os.RemoveAll(filepath.Join(c.parent, name))) }
	for _, f := range folders {
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) || f.Name() == filepath.Base(c.dir) || !f.IsDir() {
			continue
		}
		if err != nil {
			return err
		}
		switch age := own.ModTime().Sub(info.ModTime()); {
		case strings.HasPrefix(f.Name(), newPrefix):
			if age > maxUnfinished {
				remove(f.Name())
			}
		case !strings.HasPrefix(f.Name(), entryPrefix):
		case age > maxUnused:
			remove(f.Name())
		default:
			others = append(others, entry{f.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(others, func(a, b entry) int { return cmp.Or(b.used.Compare(a.used), cmp.Compare(a.name, b.name)) })
	for _, old := range others[min(len(others), maxEntries-1):] {
		remove(old.name)
	}
	return failed
}
