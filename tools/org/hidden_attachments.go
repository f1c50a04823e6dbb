package org

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// hiddenAttachments tells what is attached to something hidden, by the folder that it
// lies in, and what was exported from it, by its name.
type hiddenAttachments struct {
	ids     map[string]bool // each makes a folder below one that only Emacs knows
	folders map[string]bool // absolute paths
	exports map[string]bool // absolute paths without extension
}

func newHiddenAttachments() hiddenAttachments {
	return hiddenAttachments{map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

// findHiddenAttachments reads all files, hidden ones too: any may name a folder.
func (s *catalog) findHiddenAttachments(ctx context.Context) (hiddenAttachments, error) {
	h := newHiddenAttachments()
	if !s.privacy.Any() {
		return h, nil
	}
	for _, r := range s.roots() {
		all, err := r.disk.List(ctx, func(name string, dir bool) bool { return !dir && !r.allows(name) })
		if err != nil {
			return h, s.toolError(r.prefix, err)
		}
		found := make([]hiddenAttachments, len(all.Files))
		if err := folder.ForEach(ctx, len(all.Files), func(n int) { found[n] = s.hiddenAttachmentsOf(r, all.Files[n]) }); err != nil {
			return h, err
		}
		for _, one := range found {
			maps.Copy(h.ids, one.ids)
			maps.Copy(h.folders, one.folders)
			maps.Copy(h.exports, one.exports)
		}
	}
	return h, nil
}

// hiddenAttachmentsOf are those of what is hidden of one file.
func (s *catalog) hiddenAttachmentsOf(r *root, rel string) hiddenAttachments {
	h := newHiddenAttachments()
	if f, err := s.file(r.prefix + rel); err == nil {
		for i := range f.whole.Headlines {
			if _, shown := slices.BinarySearch(f.index, i); f.index != nil && !shown {
				h.add(f.whole, i)
			}
		}
		if f.index != nil {
			h.addExports(f.Path, exportNames(f.whole.Source)...) // of all of it
		}
		if f.index != nil && f.Drawer.Empty() {
			h.add(f.whole, -1)
		}
		return h
	}
	st, err := r.disk.State(rel)
	if err != nil {
		return h
	}
	text, _ := decodeText(st.Data)
	f, err := s.parseWhole(r, rel, text)
	if err != nil {
		return h
	}
	h.addExports(f.Path, exportNames(text)...)
	for i := -1; i < len(f.Headlines); i++ {
		h.add(f, i)
	}
	for _, p := range f.Settings.Properties {
		if slices.Contains(attachmentKeys(), strings.ToUpper(p.Key)) {
			h.addFolder(f.Path, p.Value)
		}
	}
	return h
}

// attachmentKeys are the properties that name a folder of attachments. The first that
// is there counts.
func attachmentKeys() []string { return []string{"DIR", "ATTACH_DIR"} }

// add notes the folders and exports of headline i, or of the file for -1. Those that it only takes
// over are its own if Emacs has tagged it as having attachments: otherwise it has none,
// and they are those of a headline above it, which may be visible.
func (h hiddenAttachments) add(f *orgfile.File, i int) {
	if name, ok := f.Property(i, exportKey); ok && name != "" {
		h.addExports(f.Path, name)
	}
	all := append(attachmentKeys(), "ID")
	keys := slices.DeleteFunc(slices.Clone(all), func(key string) bool { _, own := f.Property(i, key); return !own })
	if len(keys) == 0 && i >= 0 && slices.Contains(f.LocalTags(i), attachedTag) {
		keys = all
	}
	for _, key := range keys {
		switch value, _ := f.InheritedProperty(i, key); {
		case value == "":
		case key == "ID":
			h.ids[folder.FoldName(value)] = true
		default:
			h.addFolder(f.Path, value)
		}
	}
}

// exportKey names what a headline or file is exported to, instead of the file's own name.
const exportKey = "EXPORT_FILE_NAME"

var exportKeyword = regexp.MustCompile(`(?im)^[ \t]*#\+` + exportKey + `:(.+)$`)

func exportNames(text []byte) (names []string) {
	for _, m := range exportKeyword.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

// addExports notes what a file is exported to: beside it with its own name, and with these.
func (h hiddenAttachments) addExports(file string, names ...string) {
	for _, name := range append(names, filepath.Base(file)) {
		name = absoluteName(file, strings.TrimSpace(name))
		h.exports[foldPath(strings.TrimSuffix(name, filepath.Ext(name)))] = true
		h.exports[foldPath(name)] = true
	}
}

// attachedTag is org-attach-auto-tag.
const attachedTag = "ATTACH"

// addFolder notes the folder that a property of a file names, and where it leads.
func (h hiddenAttachments) addFolder(file, dir string) {
	dir = absoluteName(file, dir)
	h.folders[foldPath(dir)] = true
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		h.folders[foldPath(real)] = true
	}
}

// absoluteName is the absolute path of a name as a file has it.
func absoluteName(file, name string) string {
	if name = expandHome(filepath.FromSlash(name)); !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(file), name)
	}
	return filepath.Clean(name)
}

func foldPath(path string) string { return folder.FoldName(filepath.ToSlash(path)) }

// hold reports whether a file, by its absolute path, lies in one of the folders or below
// it. Those of an ID are one folder named by it, or two that share its characters.
func (h hiddenAttachments) hold(file string) bool {
	parts := strings.Split(foldPath(filepath.Dir(file)), "/")
	for n := range parts {
		if h.ids[parts[n]] || n > 0 && h.ids[parts[n-1]+parts[n]] || h.folders[strings.Join(parts[:n+1], "/")] {
			return true
		}
	}
	return false
}

// holdExport reports whether a file, by its path in a root, may have been exported or
// copied from something hidden: it has the name of that with another extension.
func (h hiddenAttachments) holdExport(r *root, rel string) bool {
	rules, ok := r.rules.(privacyRules)
	if !ok || isOrg(rel) {
		return false
	}
	for name, more := rel, true; more; name, more = folder.OriginalName(name) {
		for at := len(name); at > strings.LastIndexByte(name, '/')+1; at = strings.LastIndexByte(name[:at], '.') {
			hidden, _ := rules.excluding().HidesName(name[:at] + ".org")
			if hidden || h.exports[foldPath(r.path(name[:at]))] {
				return true
			}
		}
	}
	return false
}

// attachmentFolder matches the path of a file in a folder that Emacs has made for the
// attachments of an ID.
var attachmentFolder = regexp.MustCompile(`(?i)(?:^|/)(?:data/(?:[^/]{2}|[^/]{6})/[^/]+|` +
	`[0-9a-f]{2}/[0-9a-f]{6}-[0-9a-f]{4}-[0-9a-f-]+|[0-9]{6}/[0-9]{2}T[0-9]{6}[^/]*)/`)

// expandHome replaces the ~ that Emacs writes for the user's home folder.
func expandHome(path string) string {
	rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~/")
	if !ok {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, filepath.FromSlash(rest))
}
