package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A folder is a place that exists and whose kind is known.
type folder struct {
	place string // absolute
	kind  string
	why   string // why it is of that kind; empty: the person said so
}

// look checks that place is a folder we can list and finds its kind, unless
// asked names it.
func look(kinds []tools.Kind, place, asked string) (folder, error) {
	if err := known(kinds, asked); err != nil {
		return folder{}, err
	}
	abs, err := filepath.Abs(place)
	if err != nil {
		return folder{}, fmt.Errorf("find folder: %w", err)
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return folder{}, fmt.Errorf("open folder: %s is not there; check the spelling, or make it first", abs)
	case errors.Is(err, fs.ErrPermission):
		return folder{}, fmt.Errorf("open folder: a folder on the way to %s may not be entered by you; give yourself the right to", abs)
	case err != nil:
		return folder{}, fmt.Errorf("open folder: %w", err)
	case !info.IsDir():
		return folder{}, fmt.Errorf("open folder: %s is a file; give the folder that it is in: %s", abs, filepath.Dir(abs))
	}
	dir := os.DirFS(abs)
	switch _, err := fs.ReadDir(dir, "."); {
	case errors.Is(err, fs.ErrPermission):
		return folder{}, fmt.Errorf("open folder: %s may not be read by you; give yourself the right to", abs)
	case err != nil:
		return folder{}, fmt.Errorf("open folder: %s: %w", abs, err)
	case abs == filepath.Dir(abs):
		return folder{}, fmt.Errorf("open folder: %s is the whole file system; give the folder that your notes are in", abs)
	}
	if asked != "" {
		return folder{place: abs, kind: asked}, nil
	}
	kind, match := detect(kinds, dir)
	if match.Score <= 0 {
		return folder{}, fmt.Errorf("detect kind: %s; this build opens %s; if it is one of these, say so with --kind", holds(dir, abs), opens(kinds))
	}
	return folder{abs, kind, match.Reason}, nil
}

func known(kinds []tools.Kind, asked string) error {
	if asked == "" || slices.ContainsFunc(kinds, func(k tools.Kind) bool { return k.Manifest().Name == asked }) {
		return nil
	}
	return usagef("unknown kind %q; this build opens %s", asked, opens(kinds))
}

// detect returns the kind with the surest claim on dir.
func detect(kinds []tools.Kind, dir fs.FS) (kind string, best tools.Detection) {
	for _, k := range kinds {
		if m := k.Detect(dir); m.Score > best.Score {
			kind, best = k.Manifest().Name, m
		}
	}
	return kind, best
}

// holds says what is in a folder that nobody claims.
func holds(dir fs.FS, place string) string {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil || len(entries) == 0 {
		return place + " is empty, so its kind cannot be told"
	}
	org := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(path.Ext(e.Name()), ".org") })
	if org {
		return place + " holds Org files, which this build does not open"
	}
	return place + " looks like none of the kinds we know"
}

func opens(kinds []tools.Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = fmt.Sprintf("%s (%s)", k.Manifest().Name, k.Manifest().Title)
	}
	return strings.Join(names, ", ")
}
