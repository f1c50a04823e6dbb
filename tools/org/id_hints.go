package org

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	_ "modernc.org/sqlite" // the format of org-roam's database

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/lispdata"
)

// idHints are what Emacs has written about where IDs are: the file of org-id, and the
// database of org-roam. Both may be old; the files tell.
type idHints struct {
	locations, roam []string // paths; the first that exists counts
}

func newIDHints(c Config) idHints {
	home, err := os.UserHomeDir()
	if err != nil {
		return idHints{nonEmpty(c.IDLocations), nonEmpty(c.RoamDB)}
	}
	usual := func(configured, name string) []string {
		if configured != "" {
			return []string{configured}
		}
		return []string{filepath.Join(home, ".emacs.d", name), filepath.Join(home, ".config", "emacs", name)}
	}
	return idHints{usual(c.IDLocations, ".org-id-locations"), usual(c.RoamDB, "org-roam.db")}
}

func nonEmpty(path string) []string {
	return slices.DeleteFunc([]string{path}, func(p string) bool { return p == "" })
}

// firstFile returns the first of some paths that is a file; "": none is.
func firstFile(paths []string) string {
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return p
		}
	}
	return ""
}

// maxLocations bounds the file of org-id that is read.
const maxLocations = 64 << 20

// filesOf returns the paths of the files that may have an ID.
func (h idHints) filesOf(ctx context.Context, id string) (paths []string) {
	if path := firstFile(h.locations); path != "" {
		if at := readLocations(path)[id]; at != "" {
			paths = append(paths, at)
		}
	}
	if path := firstFile(h.roam); path != "" {
		if at, err := readRoamNodes(ctx, path, id); err == nil && at[id] != "" {
			paths = append(paths, at[id])
		}
	}
	return paths
}

// readLocations reads the list of org-id: (("FILE" "ID" …) …), files relative to it or
// absolute. What cannot be read is empty.
func readLocations(path string) map[string]string {
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxLocations {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	list, err := lispdata.Read(string(text))
	if err != nil {
		return nil
	}
	at := map[string]string{}
	for _, entry := range list.Items {
		if len(entry.Items) == 0 {
			continue
		}
		file := expandHome(entry.Items[0].Text)
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(path), file)
		}
		for _, id := range entry.Items[1:] {
			at[id.Text] = file
		}
	}
	return at
}

// readRoamNodes returns the files of org-roam's nodes by ID: of one ID, or all for "".
// The database is opened for reading only. Its values are printed Lisp.
func readRoamNodes(ctx context.Context, path, id string) (at map[string]string, err error) {
	db, err := sql.Open("sqlite", (&url.URL{
		Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=ro&_pragma=query_only(on)&_pragma=busy_timeout(500)",
	}).String())
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, db.Close()) }()
	query, args := "SELECT id, file FROM nodes", []any{}
	if id != "" {
		query, args = query+" WHERE id = ?", []any{lispString(id)}
	}
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, rows.Close()) }()
	at = map[string]string{}
	for rows.Next() {
		var printed [2]string
		if err := rows.Scan(&printed[0], &printed[1]); err != nil {
			return nil, err
		}
		values := [2]string{}
		for i, p := range printed {
			v, err := lispdata.Read(p)
			if err != nil {
				return nil, fmt.Errorf("read %q: %w", p, err)
			}
			values[i] = v.Text
		}
		at[values[0]] = values[1]
	}
	return at, rows.Err()
}

// checkRoam compares org-roam's database with the files.
func (s *Source) checkRoam(ctx context.Context, _ tools.Doctor) status.Check {
	path := firstFile(s.hints.roam)
	if path == "" {
		return status.Check{Result: status.CheckSkipped, Detail: "org-roam has no database in its usual places"}
	}
	stored, err := readRoamNodes(ctx, path, "")
	if err != nil {
		return status.Check{Result: status.CheckSkipped, Detail: fmt.Sprintf("%s cannot be read: %v", path, err)}
	}
	names, err := s.fileNames(ctx)
	if err != nil {
		return status.Check{Result: status.CheckSkipped, Detail: "the files cannot be listed: " + tools.AsError(err).Message}
	}
	here, missing := 0, []string{}
	for id, file := range stored {
		if _, ok := s.nameAt(file); !ok {
			delete(stored, id) // it is of a file that is not open
		}
	}
	for _, name := range slices.DeleteFunc(names, isArchive) {
		f, err := s.file(name)
		if err != nil {
			continue
		}
		for i := -1; i < len(f.Headlines); i++ {
			if !f.isNode(i) {
				continue
			}
			here++
			id, _ := f.Property(i, "ID")
			if _, ok := stored[id]; !ok {
				missing = append(missing, id)
			}
			delete(stored, id)
		}
	}
	if len(missing)+len(stored) == 0 || len(missing) == here {
		return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf("%d nodes in the files, %d of them in %s", here, here-len(missing), path)}
	}
	return status.Check{
		Result: status.CheckWarn, Detail: fmt.Sprintf("of %d nodes in the files %s lacks %d; %d that it has are in no file. Agents see the files",
			here, path, len(missing), len(stored)),
		Fix: "In Emacs, run M-x org-roam-db-sync.",
	}
}
