package org

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// privacyRules are what the user hides. Rules by path and namespace are about files;
// those by tag and property are about headlines, which are hidden with all below
// them, and about whole files, by #+FILETAGS, #+PROPERTY and the file's own drawer.
// A rule of Only by tag or property shows the headlines at the top of a file that
// match, with all below them.
type privacyRules struct {
	tools.Privacy
	prefix string   // of the root
	dirs   []string // the root's folder, by each path that leads to it; the first has no symbolic links
	read   fileReader

	origins *archiveOrigins
	found   *foundOrigins // while a file is judged by its headlines; nil: names decide about origins
}

// A fileReader parses the bytes of the file at a path.
type fileReader func(path string, data []byte, setup orgfile.SetupReader) (*orgfile.File, error)

// excluding are only those rules that hide what they match.
func (r privacyRules) excluding() privacyRules {
	r.Only = nil
	return r
}

// pages are the file as rules by path judge it: by its path with and without the
// root's name.
func (r privacyRules) pages(file string) []tools.Page {
	stem := strings.TrimSuffix(file, path.Ext(file))
	pages := []tools.Page{{Path: stem, File: file}}
	if r.prefix != "" {
		pages = append(pages, tools.Page{Path: r.prefix + stem, File: r.prefix + file})
	}
	return pages
}

// hides judges a file or headline with these tags and properties: a rule of Exclude
// needs to match under one of the file's paths, and so does one of Only.
func (r privacyRules) hides(file string, tags []string, properties map[string][]string) bool {
	shown := len(r.Only) == 0
	for _, page := range r.pages(file) {
		page.Tags, page.Properties = tags, properties
		if (tools.Privacy{Exclude: r.Exclude}).Hides(page) {
			return true
		}
		shown = shown || !(tools.Privacy{Only: r.Only}).Hides(page)
	}
	return !shown
}

// HidesFolder implements [folder.Rules].
func (r privacyRules) HidesFolder(dir string) bool {
	if original, ok := folder.OriginalName(dir); ok && r.excluding().HidesFolder(original) {
		return true
	}
	if r.Privacy.HidesFolder(dir) {
		return r.prefix == "" || (tools.Privacy{Exclude: r.Exclude}).HidesFolder(dir) || r.Privacy.HidesFolder(r.prefix+dir)
	}
	return r.prefix != "" && (tools.Privacy{Exclude: r.Exclude}).HidesFolder(r.prefix+dir)
}

// HidesName implements [folder.Rules]. An archive or copy is hidden with the file that it
// is of.
func (r privacyRules) HidesName(file string) (hidden, decided bool) {
	for name, more := file, true; more; name, more = madeFrom(name) {
		if r.excluding().hides(name, nil, nil) {
			return true, true
		}
	}
	if r.NeedsContent() {
		return false, false
	}
	return r.hides(file, nil, nil), true
}

// madeFrom is the file that one of this name is an archive or a copy of.
func madeFrom(file string) (original string, ok bool) {
	if original, ok = archivedFile(file); ok {
		return original, true
	}
	return folder.OriginalName(file)
}

// archivedFile is the file that Emacs has archived to a file of this name.
func archivedFile(archive string) (file string, ok bool) {
	return strings.CutSuffix(archive, "_archive")
}

// HidesFile implements [folder.Rules]. A file is hidden if one that sets it up cannot be
// read: its tags are not known.
func (r privacyRules) HidesFile(all folder.Files, file string) bool {
	data, err := all.Read(file)
	if err != nil {
		return true
	}
	for source, more := madeFrom(file); more; source, more = madeFrom(source) {
		if all.Exists(source) && r.excluding().HidesFile(all, source) {
			return true
		}
	}
	unknown := false
	return r.hidesData(file, data, r.setupReader(all, &unknown)) || unknown
}

// setupReader reads the files that set up others. It notes one that cannot be read.
func (r privacyRules) setupReader(all folder.Files, unknown *bool) orgfile.SetupReader {
	return func(path string) ([]byte, bool) {
		rel, ok := r.relative(path)
		text, err := all.Read(rel)
		*unknown = *unknown || !ok || err != nil && !errors.Is(err, fs.ErrNotExist)
		return text, err == nil
	}
}

// relative returns the path in the root's folder of an absolute path in it.
func (r privacyRules) relative(file string) (rel string, ok bool) {
	for _, dir := range r.dirs {
		if rel, err := filepath.Rel(dir, expandHome(file)); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// HidesContent implements [folder.Rules].
func (r privacyRules) HidesContent(file string, data []byte) bool {
	return r.hidesData(file, data, nil)
}

func (r privacyRules) hidesData(file string, data []byte, setup orgfile.SetupReader) bool {
	if hidden, decided := r.HidesName(file); decided {
		return hidden
	}
	f, err := r.read(filepath.Join(r.dirs[0], filepath.FromSlash(file)), data, setup)
	if err != nil || r.hidesDecoded(file, data, setup) {
		return true
	}
	if !r.hidesHeadline(file, f, -1) {
		return false
	}
	if r.excluding().hidesHeadline(file, f, -1) {
		return true
	}
	return !slices.ContainsFunc(f.Children(-1), func(i int) bool { return !r.hidesHeadline(file, f, i) })
}

// hidesDecoded reports whether anything is hidden in a file that is not UTF-8. Agents see
// its bytes, in which nothing can be found to be cut out.
func (r privacyRules) hidesDecoded(file string, data []byte, setup orgfile.SetupReader) bool {
	text, decoded := decodeText(data)
	if !decoded {
		return false
	}
	f, err := r.read(filepath.Join(r.dirs[0], filepath.FromSlash(file)), text, setup)
	if err != nil {
		return true
	}
	for i := -1; i < len(f.Headlines); i++ {
		if r.excluding().hidesHeadline(file, f, i) {
			return true
		}
	}
	return false
}

// setupFiles are the files that set up one with these bytes, as it names them.
func (r privacyRules) setupFiles(data []byte) (names []string) {
	_, _ = r.read("", data, func(name string) ([]byte, bool) { // of what cannot be parsed there are none
		names = append(names, name)
		return nil, false
	})
	return names
}

// hidesHeadline judges headline i by its tags and properties and those of all above
// it, or the file for -1.
func (r privacyRules) hidesHeadline(file string, f *orgfile.File, i int) bool {
	tags, properties := inheritedFacts(f, i)
	if r.hides(file, tags, properties) || r.hidesOrigins(file, f, i, properties["ARCHIVE_FILE"]) {
		return true
	}
	tasks := f.InlineTasks(i)
	if len(tasks) == 0 {
		return false
	}
	for _, task := range tasks { // what is hidden in it hides the text that it stands in
		tags = append(tags, permissiveTags(f.Text(task.Line))...)
		for _, p := range f.PropertyLines(task.Drawer) {
			key := strings.ToUpper(strings.TrimSuffix(p.Key, "+"))
			properties[key] = append(properties[key], p.Value)
		}
	}
	return r.excluding().hides(file, tags, properties)
}

// inheritedFacts are the tags and properties of headline i and of all above it, or of
// the file for -1. It reads tags as permissively as some program may. Those that an
// archived headline has inherited where it was count as its own.
func inheritedFacts(f *orgfile.File, i int) (tags []string, properties map[string][]string) {
	tags, properties = slices.Clone(f.Settings.FileTags), map[string][]string{}
	add := func(list []orgfile.Property) {
		for _, p := range list {
			properties[p.Key] = append(properties[p.Key], p.Value)
		}
	}
	add(f.Settings.Properties)
	add(f.Properties(-1))
	for at := i; at >= 0; at = int(f.Headlines[at].Parent) {
		h := &f.Headlines[at]
		tags = append(tags, permissiveTags(f.Text(orgfile.Span{Start: h.Begin, End: h.LineEnd}))...)
		add(f.Properties(at))
	}
	for _, list := range properties["ARCHIVE_ITAGS"] {
		tags = append(tags, strings.FieldsFunc(list, func(r rune) bool { return r == ':' || unicode.IsSpace(r) })...)
	}
	return tags, properties
}

// permissiveTags are the words between colons at the end of a heading line, whatever
// characters they have.
func permissiveTags(line string) []string {
	line = strings.TrimRight(line, " \t\r")
	word := line[strings.LastIndexAny(line, " \t")+1:]
	if !strings.HasPrefix(word, ":") || !strings.HasSuffix(word, ":") {
		return nil
	}
	return strings.FieldsFunc(word, func(r rune) bool { return r == ':' })
}

// hiddenError refuses a write that would touch what is hidden, or hide or show
// something. All have the same message, which reveals nothing.
func hiddenError() error {
	return tools.HiddenError("Headlines like this one are hidden from agents").WithHint("Choose another place or content, or ask the user.")
}

// HidesChange implements [tools.ChangeFilter]. A Change of a file with hidden
// headlines is hidden, because it has all of the file's bytes.
func (s *Source) HidesChange(_ context.Context, c tools.Change) (bool, error) {
	if !s.privacy.Any() {
		return false, nil
	}
	name, isFolder := folder.ParseTarget(c.Target)
	for _, r := range s.roots() {
		rel, ok := strings.CutPrefix(name, r.prefix)
		if !ok {
			continue
		}
		if isFolder {
			return r.rules.HidesFolder(rel), nil
		}
		known, hidden := r.store.Look(rel)
		hidden = known && hidden
		states := []tools.State{c.Before, c.After}
		if now, err := r.store.State(rel); err == nil {
			states = append(states, toolState(now))
		}
		for _, st := range states {
			if st.Exists {
				known, hidden = true, hidden || r.view.Hides(rel, st.Data) || s.hidesPart(name, r, rel, st.Data)
			}
		}
		if known {
			return hidden, nil
		}
		hidden, decided := r.rules.HidesName(rel)
		return hidden || !decided, nil
	}
	return true, nil
}

// hidesPart reports whether a part of a file is hidden.
func (s *catalog) hidesPart(name string, r *root, rel string, data []byte) bool {
	f, err := s.parse(name, r, rel, data)
	return err != nil || f.index != nil
}

// CountHiddenPages implements [tools.HiddenPageCounter]: files and headlines count.
func (s *Source) CountHiddenPages(ctx context.Context) (status.HiddenPages, error) {
	count := tools.NewPrivacyCount(s.privacy)
	for _, r := range s.roots() {
		all, err := r.disk.List(ctx, func(name string, dir bool) bool { return !dir && !r.allows(name) })
		if err != nil {
			return status.HiddenPages{}, s.toolError(r.prefix, err)
		}
		for _, rel := range all.Files {
			_, hidden := r.disk.Look(rel)
			st, err := r.disk.State(rel)
			if err != nil {
				continue
			}
			s.countHidden(count, r, rel, st.Data, hidden)
		}
	}
	return count.Pages(), nil
}

// countHidden counts a file and its headlines.
func (s *catalog) countHidden(count *tools.PrivacyCount, r *root, rel string, data []byte, hidden bool) {
	rules, ok := r.rules.(privacyRules)
	if !ok {
		rules = privacyRules{prefix: r.prefix}
	}
	rules.found = newFoundOrigins()
	for _, page := range rules.pages(rel)[1:] {
		count.Match(page)
	}
	f, err := s.parseWhole(r, rel, data)
	if err != nil {
		count.Add(rules.pages(rel)[0], hidden)
		return
	}
	gone := make([]bool, len(f.Headlines))
	for i := -1; i < len(f.Headlines); i++ {
		page := rules.pages(rel)[0]
		page.Tags, page.Properties = inheritedFacts(f, i)
		if i < 0 {
			count.Add(page, hidden)
			continue
		}
		parent := int(f.Headlines[i].Parent)
		gone[i] = hidden || parent >= 0 && gone[parent] || r.rules != nil && rules.hidesHeadline(rel, f, i)
		count.Add(page, gone[i])
	}
}
