package hubproc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// sourceFolders are the folders that sources have of their own, named KIND.NAME:
// the dot keeps them apart from the device names of Windows. Both are this
// machine's, and only their owner can enter them.
type sourceFolders struct {
	caches, data string
	now          func() time.Time
}

func newSourceFolders(a *app.App) sourceFolders {
	return sourceFolders{a.Paths.SourceCaches(), a.Paths.SourceData(), a.Now}
}

func sourceFolderNames(sources []hub.Source) []string {
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = app.SourceFolderName(s.Kind, s.Name)
	}
	return names
}

// cacheRetention is how long the cache of a source stays after its name has left the
// configuration. Its data stays until a person removes it.
const cacheRetention = 24 * time.Hour

// createFolders makes the folders of a source. It is [hub.Config].Folders.
func (f sourceFolders) createFolders(kind, name string) (cache, data string, err error) {
	cache, data = filepath.Join(f.caches, app.SourceFolderName(kind, name)), filepath.Join(f.data, app.SourceFolderName(kind, name))
	for _, dir := range []string{cache, data} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", "", fmt.Errorf("make the source's own folder: %w", err)
		}
	}
	now := f.now()
	return cache, data, os.Chtimes(cache, now, now) // the time of its last use: see sweep
}

// rename moves the folders of a source to another name; undo moves them back. A
// data folder that has the name already belongs to a former source, whose data
// is nowhere else.
func (f sourceFolders) rename(kind, from, to string) (undo func() error, err error) {
	former := filepath.Join(f.data, app.SourceFolderName(kind, to))
	if entries, err := os.ReadDir(former); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%s still holds data of a former source %s. To remove it, run: lectern source remove %s --data",
			former, to, to)
	}
	var moved [][2]string
	undo = func() (err error) {
		for _, m := range slices.Backward(moved) {
			err = errors.Join(err, os.Rename(m[1], m[0]))
		}
		return err
	}
	for _, dir := range []string{f.caches, f.data} {
		before, after := filepath.Join(dir, app.SourceFolderName(kind, from)), filepath.Join(dir, app.SourceFolderName(kind, to))
		if _, err := os.Lstat(before); err != nil {
			continue // it has none
		}
		err := os.RemoveAll(after) // empty, or a cache, which can be made again
		if err == nil {
			err = os.Rename(before, after)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("move the source's own folder: %w", err), undo())
		}
		moved = append(moved, [2]string{before, after})
	}
	return undo, nil
}

// removeExpiredCaches removes the caches of sources that are not in names, KIND.NAME each, and
// have not been opened for a day.
func (f sourceFolders) removeExpiredCaches(names []string, log *slog.Logger) {
	entries, err := os.ReadDir(f.caches)
	if err != nil && !os.IsNotExist(err) {
		log.Warn("read the caches of sources", "component", "hub", "err", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || slices.Contains(names, e.Name()) || !isOldFolder(info, f.now()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(f.caches, e.Name())); err != nil {
			log.Warn("remove the cache of a former source", "component", "hub", "cache", e.Name(), "err", err)
		}
	}
}

func isOldFolder(info fs.FileInfo, now time.Time) bool {
	return info.IsDir() && now.Sub(info.ModTime()) >= cacheRetention
}

// sweepTempFiles removes temporary files that killed processes left in Lectern's own
// folders.
func (h *hubProcess) sweepTempFiles(ctx context.Context) {
	var sweeps sync.WaitGroup
	for _, dir := range []string{h.Paths.Config, h.Paths.Data, h.Paths.State} {
		sweeps.Go(func() {
			if removed, err := atomicfile.SweepFolder(ctx, dir, h.Now); removed > 0 || err != nil {
				h.log.Info("removed temporary files that killed writers left", "component", "hub", "folder", dir, "removed", removed, "err", err)
			}
		})
	}
	sweeps.Wait()
}
