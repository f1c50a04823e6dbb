package discover

import (
	"cmp"
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

// ErrAmbiguousKind is wrapped by the error for a folder that several kinds claim with
// about the same score.
var ErrAmbiguousKind = errors.New("several kinds fit")

// A Folder exists, can be listed, and is of a known kind.
type Folder struct {
	Path   string // absolute
	Kind   string
	Reason string // why it is of that kind; empty: the person said so
	// Alternatives are further kinds that it may be of; none if the person said
	// its kind.
	Alternatives []KindClaim
}

// A KindClaim is what one kind says about a folder.
type KindClaim struct {
	Kind   string
	Score  int // of the [tools.Detection]
	Reason string
	ext    string
}

// ambiguousScoreGap is how much lower a score may be so that a person chooses.
const ambiguousScoreGap = 20

// InspectFolder checks that place is a folder that can be listed and detects its kind,
// unless kind names it.
func InspectFolder(kinds []tools.Kind, place, kind string) (Folder, error) {
	if kind != "" && !slices.ContainsFunc(kinds, func(k tools.Kind) bool { return k.Manifest().Name == kind }) {
		return Folder{}, fmt.Errorf("%w %q; this build opens %s", ErrUnknownKind, kind, kindList(kinds))
	}
	abs, err := filepath.Abs(place)
	if err != nil {
		return Folder{}, fmt.Errorf("find folder: %w", err)
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Folder{}, fmt.Errorf("open folder: %s does not exist; check the spelling, or create it first", abs)
	case errors.Is(err, fs.ErrPermission):
		return Folder{}, fmt.Errorf("open folder: permission denied: you cannot enter a parent folder of %s; give yourself access with chmod u+x",
			abs)
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
	claims := detectKinds(kinds, dir)
	decided := decideByFiles(claims, dir)
	switch {
	case len(claims) == 0:
		return Folder{}, fmt.Errorf("detect kind: %s; this build opens %s; if it is one of these, name it with --kind",
			undetectedKindReason(dir, abs), kindList(kinds))
	case !decided && len(selectAmbiguousClaims(claims)) > 1:
		var fits []string
		for _, c := range selectAmbiguousClaims(claims) {
			fits = append(fits, c.Kind+" ("+c.Reason+")")
		}
		return Folder{}, fmt.Errorf("detect kind: %w %s: %s; choose its kind, on the command line with --kind", ErrAmbiguousKind, abs,
			strings.Join(fits, ", "))
	}
	return Folder{abs, claims[0].Kind, claims[0].Reason, claims[1:]}, nil
}

// detectKinds returns the kinds that claim dir, the highest score first.
func detectKinds(kinds []tools.Kind, dir fs.FS) (claims []KindClaim) {
	for _, k := range kinds {
		if d := k.Detect(dir); d.Score > 0 {
			claims = append(claims, KindClaim{k.Manifest().Name, d.Score, d.Reason, d.Ext})
		}
	}
	slices.SortStableFunc(claims, func(a, b KindClaim) int { return cmp.Compare(b.Score, a.Score) })
	return claims
}

// maxCounted is how many files and folders are looked at to see which kind most files have.
const maxCounted = 20_000

// decideByFiles puts the claim first whose files are most, if all go by their files, and says how
// many each has. It is false if that decides nothing.
func decideByFiles(claims []KindClaim, dir fs.FS) bool {
	if len(claims) < 2 || slices.ContainsFunc(claims, func(c KindClaim) bool { return c.ext == "" }) {
		return false
	}
	counts, seen := map[string]int{}, 0
	_ = fs.WalkDir(dir, ".", func(name string, e fs.DirEntry, err error) error { // what cannot be read is not counted
		seen++
		switch {
		case seen > maxCounted:
			return fs.SkipAll
		case err != nil:
			return nil //nolint:nilerr // it is not counted
		case e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules"):
			return fs.SkipDir
		case e.Type().IsRegular():
			counts[strings.ToLower(path.Ext(name))]++
		}
		return nil
	})
	slices.SortStableFunc(claims, func(a, b KindClaim) int { return cmp.Compare(counts[b.ext], counts[a.ext]) })
	for i, c := range claims {
		claims[i].Reason += fmt.Sprintf("; %s files: %d", c.ext, counts[c.ext])
	}
	return counts[claims[0].ext] > counts[claims[1].ext]
}

// selectAmbiguousClaims are those of sorted claims among which only a person can choose.
func selectAmbiguousClaims(claims []KindClaim) []KindClaim {
	n := 0
	for n < len(claims) && claims[0].Score-claims[n].Score < ambiguousScoreGap {
		n++
	}
	return claims[:n]
}

// undetectedKindReason says what a folder of no known kind looks like.
func undetectedKindReason(dir fs.FS, place string) string {
	entries, err := fs.ReadDir(dir, ".")
	if err != nil || len(entries) == 0 {
		return place + " is empty, so its kind cannot be detected"
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
