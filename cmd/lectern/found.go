package main

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
)

// Bounds of the search: a person waits for it.
const (
	foundFolders = 400 // that are looked into
	foundMost    = 20  // that are offered
)

// A hint is a folder where a knowledge base may be.
type hint struct {
	place string
	why   string // who says so; empty: it lies where people keep notes
	score int    // the least that its kind's claim must be
}

// found lists the knowledge bases of this machine that are not sources yet: the
// vaults that Obsidian lists, the graphs that Logseq has opened, and folders
// where people keep notes. It looks at names and marks, and reads no note.
func (w *world) found() []status.Discovered {
	conf, err := w.config()
	if err != nil || w.home == "" {
		return []status.Discovered{}
	}
	taken := map[string]bool{}
	names := map[string]bool{}
	for _, s := range conf.Sources {
		taken[real(s.Path)], names[s.Name] = true, true
	}
	type ranked struct {
		status.Discovered
		score int
	}
	var list []ranked
	seen := map[string]bool{}
	for i, h := range w.hints() {
		place := real(h.place)
		if i >= foundFolders || place == w.home || seen[place] || taken[place] || below(taken, place) {
			continue
		}
		seen[place] = true
		kind, match := detect(w.kinds(), os.DirFS(place))
		if match.Score == 0 || match.Score < h.score {
			continue
		}
		score := match.Score + 100 - h.score
		list = append(list, ranked{status.Discovered{Kind: kind, Place: place, Reason: cmp.Or(h.why, match.Reason)}, score})
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	out := []status.Discovered{}
	chosen := map[string]bool{}
	for _, r := range list {
		if len(out) == foundMost || below(chosen, r.Place) {
			continue // part of one that is offered as a whole
		}
		chosen[r.Place] = true
		r.Name = config.NameFor(r.Place, r.Kind, func(name string) bool { return names[name] })
		names[r.Name] = true
		out = append(out, r.Discovered)
	}
	return out
}

// real is the one name of a folder.
func real(place string) string {
	if r, err := filepath.EvalSymlinks(place); err == nil {
		return r
	}
	return place
}

// below says whether place lies in one of the folders.
func below(folders map[string]bool, place string) bool {
	for dir := filepath.Dir(place); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if folders[dir] {
			return true
		}
	}
	return false
}

// hints are the folders to look into, the surest first.
func (w *world) hints() []hint {
	list := w.obsidianVaults()
	list = append(list, w.logseqGraphs()...)
	return append(list, w.usualFolders()...)
}

// obsidianVaults reads the list that Obsidian keeps of its vaults.
func (w *world) obsidianVaults() []hint {
	dirs := []string{
		filepath.Join(cmp.Or(w.env("XDG_CONFIG_HOME"), filepath.Join(w.home, ".config")), "obsidian"),
		filepath.Join(w.home, ".var", "app", "md.obsidian.Obsidian", "config", "obsidian"),
		filepath.Join(w.home, "snap", "obsidian", "current", ".config", "obsidian"),
		filepath.Join(w.home, "Library", "Application Support", "obsidian"),
	}
	if roaming := w.env("APPDATA"); runtime.GOOS == "windows" && roaming != "" {
		dirs = append(dirs, filepath.Join(roaming, "obsidian"))
	}
	var list []hint
	for _, dir := range dirs {
		b, err := os.ReadFile(filepath.Join(dir, "obsidian.json"))
		if err != nil || len(b) > 1<<20 {
			continue
		}
		var known struct {
			Vaults map[string]struct {
				Path string `json:"path"`
				Time int64  `json:"ts"`
			} `json:"vaults"`
		}
		if json.Unmarshal(b, &known) != nil {
			continue
		}
		vaults := make([]hint, 0, len(known.Vaults))
		for _, v := range known.Vaults {
			if filepath.IsAbs(v.Path) {
				vaults = append(vaults, hint{v.Path, "Obsidian knows it", 1})
			}
		}
		slices.SortFunc(vaults, func(a, b hint) int { return cmp.Compare(a.place, b.place) }) // a map has no order
		list = append(list, vaults...)
	}
	return list
}

// logseqGraphs reads off the names of Logseq's caches which folders it has
// opened as file graphs.
func (w *world) logseqGraphs() []hint {
	entries, err := os.ReadDir(filepath.Join(w.home, ".logseq", "graphs"))
	if err != nil {
		return nil
	}
	var list []hint
	for _, e := range entries {
		name, found := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".transit"), "logseq_local_")
		place := filepath.FromSlash(strings.ReplaceAll(name, "++", "/"))
		if found && filepath.IsAbs(place) {
			list = append(list, hint{place, "Logseq has opened it", 1})
		}
	}
	return list
}

// usualFolders are those where people keep notes, and what lies in them.
func (w *world) usualFolders() []hint {
	var list []hint
	for _, name := range []string{"Notes", "notes", "Obsidian", "Documents", "Documents/Obsidian", "Documents/Notes", "Dropbox", "Sync", "Nextcloud", "vault", "wiki", "Library/Mobile Documents/iCloud~md~obsidian/Documents", "."} {
		dir := filepath.Join(w.home, filepath.FromSlash(name))
		if name != "." && name != "Documents" && name != "Dropbox" && name != "Sync" && name != "Nextcloud" {
			list = append(list, hint{dir, "", 50})
		}
		list = append(list, inside(dir)...)
	}
	return list
}

// inside are the folders in dir that bear a clear mark.
func inside(dir string) []hint {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []hint
	for _, e := range entries {
		if e.Type()&fs.ModeDir != 0 && !strings.HasPrefix(e.Name(), ".") {
			list = append(list, hint{filepath.Join(dir, e.Name()), "", clearMark})
		}
	}
	return list
}

// clearMark is the score of what only such a knowledge base would have.
const clearMark = 90

func sourceFindCommand(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "find",
		Short: "Find knowledge bases on this machine that are not open yet",
		Long: "Find knowledge bases on this machine that are not open yet: the vaults that\n" +
			"Obsidian lists, the graphs that Logseq has opened, and folders where people\n" +
			"keep notes. Names and marks are looked at, no note is read.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if _, err := w.config(); err != nil {
				return err
			}
			list := w.found()
			if asJSON {
				return writeJSON(w.out, list)
			}
			if len(list) == 0 {
				w.say("nothing found that is not open already; `lectern source add PATH` opens any folder\n")
				return nil
			}
			t := newTable(w.out)
			t.row("NAME", "KIND", "PLACE", "WHY")
			for _, f := range list {
				t.row(f.Name, f.Kind, f.Place, f.Reason)
			}
			if err := t.Flush(); err != nil {
				return err
			}
			w.say("\nTo open one:   lectern source add %s\n", safetext.Line(list[0].Place))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}
