package discover

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

// ErrUnknownKind is wrapped by the error for a kind that this build lacks.
var ErrUnknownKind = errors.New("unknown kind")

// A Folder exists, can be listed, and is of a known kind.
type Folder struct {
	Path   string // absolute
	Kind   string
	Reason string // why it is of that kind; empty: the person said so
}

// Inspect checks that path is a folder that can be listed and detects its kind,
// unless kind names it.
func Inspect(kinds []tools.Kind, path, kind string) (Folder, error) {
	if kind != "" && !slices.ContainsFunc(kinds, func(k tools.Kind) bool { return k.Manifest().Name == kind }) {
		return Folder{}, fmt.Errorf("%w %q; this build opens %s", ErrUnknownKind, kind, kindList(kinds))
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return Folder{}, fmt.Errorf("find folder: %w", err)
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Folder{}, fmt.Errorf("open folder: %s does not exist; check the spelling, or create it first", abs)
	case errors.Is(err, fs.ErrPermission):
		return Folder{}, fmt.Errorf("open folder: permission denied: you cannot enter a parent folder of %s; give yourself access with chmod u+x", abs)
	case err != nil:
		return Folder{}, fmt.Errorf("open folder: %w", err)
	case !info.IsDir():
		return Folder{}, fmt.Errorf("open folder: %s is a file; give the folder that contains it: %s", abs, filepath.Dir(abs))
	}
	dir := os.DirFS(abs)
	switch _, err := fs.ReadDir(dir, "."); {
	case errors.Is(err, fs.ErrPermission):
		return Folder{}, fmt.Errorf("open folder: permission denied: you cannot read %s. Run: chmod u+rx %s", abs, abs)
	case err != nil:
		return Folder{}, fmt.Errorf("open folder: %s: %w", abs, err)
	case abs == filepath.Dir(abs):
		return Folder{}, fmt.Errorf("open folder: %s is the whole file system; give the folder that your notes are in", abs)
	}
	if kind != "" {
		return Folder{Path: abs, Kind: kind}, nil
	}
	kind, match := detectKind(kinds, dir)
	if match.Score <= 0 {
		return Folder{}, fmt.Errorf("detect kind: %s; this build opens %s; if it is one of these, name it with --kind", describeContents(dir, abs), kindList(kinds))
	}
	return Folder{abs, kind, match.Reason}, nil
}

// detectKind returns the kind whose detection has the highest score.
func detectKind(kinds []tools.Kind, dir fs.FS) (kind string, best tools.Detection) {
	for _, k := range kinds {
		if m := k.Detect(dir); m.Score > best.Score {
			kind, best = k.Manifest().Name, m
		}
	}
	return kind, best
}

// describeContents says what a folder of no known kind looks like.
func describeContents(dir fs.FS, place string) string {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil || len(entries) == 0 {
		return place + " is empty, so its kind cannot be detected"
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(path.Ext(e.Name()), ".org") }) {
		return place + " holds Org files, which this build cannot open"
	}
	return place + " looks like none of the known kinds"
}

func kindList(kinds []tools.Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = fmt.Sprintf("%s (%s)", k.Manifest().Name, k.Manifest().Title)
	}
	return strings.Join(names, ", ")
}
