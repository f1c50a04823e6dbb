// Package discover finds the knowledge bases of this machine: it tells what
// kind a folder is of, searches the usual places for folders that are not
// sources yet, and writes the sample that a System brings. It
// looks at names and markers and reads no note; it opens no source and edits
// no configuration. Imported by cmd/lectern. Start at [Search.Run].
package discover

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A person waits for the search, so it is bounded.
const (
	maxCandidates = 400 // folders that are looked into
	maxResults    = 20
)

// minMarkerScore is the lowest score that a [tools.Detection] has when the folder
// holds something that only such a knowledge base has.
const minMarkerScore = 90

// A Search knows where to look.
type Search struct {
	Home  string // of the user; empty: nothing is found
	Env   func(string) string
	Kinds []tools.Kind
}

// A candidate is a folder that may be a knowledge base.
type candidate struct {
	path     string
	reason   string // empty: the reason of the detection is shown
	minScore int    // a lower score of the detection rules it out
}

// Run lists the knowledge bases that are no sources yet, the most likely first:
// the vaults that Obsidian lists, the folders that the applications of Systems
// have opened, and those where people usually keep notes. A folder that several kinds claim
// with about the same score is listed once for each.
func (s Search) Run(sources []config.Source) []status.Discovered {
	results := []status.Discovered{}
	if s.Home == "" {
		return results
	}
	opened, names := map[string]bool{}, map[string]bool{}
	for _, source := range sources {
		opened[resolveLinks(source.Path)], names[source.Name] = true, true
	}
	type ranked struct {
		status.Discovered
		score int
	}
	var list []ranked
	seen := map[string]bool{}
	candidates := slices.Concat(s.obsidianVaults(), s.openedFolders(), s.usualFolders())
	for _, c := range candidates[:min(len(candidates), maxCandidates)] {
		path := resolveLinks(c.path)
		if path == s.Home || seen[path] || opened[path] || liesBelow(path, opened) {
			continue
		}
		seen[path] = true
		for _, claim := range selectAmbiguousClaims(detectKinds(s.Kinds, os.DirFS(path))) {
			if claim.Score >= c.minScore {
				found := status.Discovered{Kind: claim.Kind, Location: path, Reason: cmp.Or(c.reason, claim.Reason)}
				list = append(list, ranked{found, claim.Score + 100 - c.minScore})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	chosen := map[string]bool{}
	for _, r := range list {
		if len(results) == maxResults || liesBelow(r.Location, chosen) {
			continue // the folder around it is offered already
		}
		chosen[r.Location] = true
		r.Name = config.NameFor(r.Location, r.Kind, func(name string) bool { return names[name] })
		names[r.Name] = true
		results = append(results, r.Discovered)
	}
	return results
}

// resolveLinks makes paths comparable.
func resolveLinks(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

// SameFolder reports whether two paths lead to the same folder: by links, in
// another case on a disk that ignores it, or as a volume that is mounted twice.
// Folders that are gone are the same if their paths are.
func SameFolder(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	return resolveLinks(filepath.Clean(a)) == resolveLinks(filepath.Clean(b))
}

// liesBelow reports whether path is inside one of the folders.
func liesBelow(path string, folders map[string]bool) bool {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return false
}

// obsidianVaults reads the list that Obsidian keeps of its vaults.
func (s Search) obsidianVaults() []candidate {
	dirs := []string{
		filepath.Join(cmp.Or(s.Env("XDG_CONFIG_HOME"), filepath.Join(s.Home, ".config")), "obsidian"),
		filepath.Join(s.Home, ".var", "app", "md.obsidian.Obsidian", "config", "obsidian"),
		filepath.Join(s.Home, "snap", "obsidian", "current", ".config", "obsidian"),
		filepath.Join(s.Home, "Library", "Application Support", "obsidian"),
	}
	if roaming := s.Env("APPDATA"); runtime.GOOS == "windows" && roaming != "" {
		dirs = append(dirs, filepath.Join(roaming, "obsidian"))
	}
	var list []candidate
	for _, dir := range dirs {
		b, err := os.ReadFile(filepath.Join(dir, "obsidian.json"))
		if err != nil || len(b) > 1<<20 {
			continue
		}
		var file struct {
			Vaults map[string]struct {
				Path string `json:"path"`
			} `json:"vaults"`
		}
		if json.Unmarshal(b, &file) != nil {
			continue
		}
		var vaults []candidate
		for _, v := range file.Vaults {
			if filepath.IsAbs(v.Path) {
				vaults = append(vaults, candidate{v.Path, "Obsidian lists it", 1})
			}
		}
		slices.SortFunc(vaults, func(a, b candidate) int { return cmp.Compare(a.path, b.path) }) // a map has no order
		list = append(list, vaults...)
	}
	return list
}

// openedFolders are those that the applications of Systems have opened, or where
// Systems say that files usually are.
func (s Search) openedFolders() (list []candidate) {
	for _, kind := range s.Kinds {
		if peer := kind.Peer(); peer != nil && peer.Opened != nil {
			for _, path := range peer.Opened(os.DirFS(s.Home)) {
				list = append(list, candidate{path, kind.Manifest().Title + " has opened it", 1})
			}
		}
		if usual := kind.Manifest().UsualFolders; usual != nil {
			for _, path := range usual(os.DirFS(s.Home)) {
				if below, ok := strings.CutPrefix(path, "~/"); ok {
					path = filepath.Join(s.Home, filepath.FromSlash(below))
				}
				if filepath.IsAbs(path) {
					list = append(list, candidate{path, "", 1})
				}
			}
		}
	}
	return list
}

// usualFolders are those where people keep notes, and their subfolders.
func (s Search) usualFolders() []candidate {
	var list []candidate
	for _, name := range []string{
		"Notes", "notes", "Obsidian", "Documents/Obsidian", "Documents/Notes", "vault", "wiki",
		"Library/Mobile Documents/iCloud~md~obsidian/Documents",
	} {
		dir := filepath.Join(s.Home, filepath.FromSlash(name))
		list = append(append(list, candidate{dir, "", 50}), subfolders(dir)...)
	}
	// These hold much that is not notes: only their subfolders are candidates.
	for _, name := range []string{"Documents", "Dropbox", "Sync", "Nextcloud", "."} {
		list = append(list, subfolders(filepath.Join(s.Home, name))...)
	}
	return list
}

// subfolders are the folders in dir. They count only if they hold a marker.
func subfolders(dir string) []candidate {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []candidate
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			list = append(list, candidate{filepath.Join(dir, e.Name()), "", minMarkerScore})
		}
	}
	return list
}
