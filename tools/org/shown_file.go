package org

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A shownFile is a file as agents may see it: parsed from its bytes without hidden
// subtrees, with statistics cookies counted over what is left. So nothing that is
// worked out from it can tell of what is hidden. Edits find their headline in the
// whole file by wholeIndex.
type shownFile struct {
	*orgfile.File
	name     string
	archived bool // all of it is: its name says so
	unsaved  bool // it is the text of a buffer, which the disk does not have
	depends  bool // what is hidden of it depends on other files
	whole    *orgfile.File
	index    []int // headline in whole by headline; nil: nothing is hidden
	dates    lazyCalendar
}

// A found is a headline of a file before it is described: describing costs more than
// finding, and is done for the page of the results that is answered. It is described from
// the bytes in which it was found, whatever the file has become since.
type found struct {
	in *shownFile
	i  int
}

// wholeIndex returns the index in the whole file of headline i; -1 is the file.
func (f *shownFile) wholeIndex(i int) int {
	if i < 0 || f.index == nil {
		return i
	}
	return f.index[i]
}

// shownIndex returns the headline that is headline i of the whole file; ok is false
// if that is hidden.
func (f *shownFile) shownIndex(i int) (shown int, ok bool) {
	if i < 0 || f.index == nil {
		return i, i < len(f.Headlines)
	}
	for n, at := range f.index {
		if at == i {
			return n, true
		}
	}
	return 0, false
}

// hidden counts the headlines that are not shown.
func (f *shownFile) hidden() int { return len(f.whole.Headlines) - len(f.Headlines) }

// text returns the bytes of a headline's subtree, or of the file for -1.
func (f *shownFile) text(i int) []byte {
	s := f.Subtree(i)
	return f.Source[s.Start:s.End]
}

// etag identifies what is shown of a headline's subtree, or of the file for -1.
func (f *shownFile) etag(i int) string {
	sum := sha256.Sum256(f.text(i))
	return hex.EncodeToString(sum[:8])
}

// isArchived reports whether headline i is archived, with its file, by its tag or an
// ancestor's.
func (f *shownFile) isArchived(i int) bool { return f.archived || i >= 0 && f.InArchived(i) }

// parse parses a file as it is shown.
func (s *catalog) parse(name string, r *root, rel string, data []byte) (*shownFile, error) {
	whole, err := s.parseWhole(r, rel, data)
	if err != nil {
		return nil, err
	}
	f := &shownFile{File: whole, name: name, archived: isArchive(name), whole: whole, unsaved: s.buffers.holds(r.path(rel), data)}
	rules, ok := r.rules.(privacyRules)
	rules.found = newFoundOrigins()
	header := ok && rules.hidesHeader(rel, whole)
	if !ok || !header && !rules.NeedsContent() && !bytes.Contains(bytes.ToUpper(data), []byte("ARCHIVE_FILE")) {
		return f, nil
	}
	view := orgfile.NewView(whole, func(i int) bool { return rules.hidesHeadline(rel, whole, i) })
	preamble := header || rules.hidesHeadline(rel, whole, -1)
	f.depends = len(rules.found.files) > 0
	index := []int{}
	counted := map[int]bool{} // parents of hidden headlines, by their index in shown
	last := map[int]int{}     // index in shown by index in whole
	for i := range whole.Headlines {
		if !view.Hidden(i) {
			last[i] = len(index)
			index = append(index, i)
			continue
		}
		for p := int(whole.Headlines[i].Parent); p >= 0 && !view.Hidden(p); p = int(whole.Headlines[p].Parent) {
			counted[last[p]] = true
		}
	}
	if len(index) == len(whole.Headlines) && !preamble {
		return f, nil
	}
	span := whole.Subtree(-1)
	if preamble {
		span.Start = int32(whole.EntryEnd(-1))
	}
	shown, err := s.recount(view.Text(span), r.path(rel), counted)
	if err != nil {
		return nil, err
	}
	if f.File, err = orgfile.Parse(shown, r.path(rel), s.settings, s.readSetup); err != nil {
		return nil, err
	}
	if preamble { // the file's own keywords hold for what is below
		f.Settings = whole.Settings
	}
	f.index = index
	return f, nil
}

// recount counts the statistics cookies of headlines below which something was cut
// out.
func (s *catalog) recount(text []byte, path string, headlines map[int]bool) ([]byte, error) {
	d, err := orgedit.NewDraft(text, path, s.settings, s.readSetup, orgedit.Env{})
	if err != nil {
		return nil, err
	}
	for i := range headlines {
		if i < len(d.File().Headlines) && cookie.MatchString(d.File().Text(d.File().Headlines[i].Title)) {
			orgedit.CountTasks(d, i) // nothing else may leave the count of what is hidden
			d.UpdateStatistics(i)
		}
	}
	out := orgedit.Apply(text, d.Edits())
	if !bytes.HasSuffix(text, []byte("\n")) { // a changed draft ends in a line break
		out = bytes.TrimSuffix(bytes.TrimSuffix(out, []byte("\n")), []byte("\r"))
	}
	return out, nil
}

func (s *catalog) parseWhole(r *root, rel string, data []byte) (*orgfile.File, error) {
	return orgfile.Parse(data, r.path(rel), s.settings, s.readSetup)
}

// readSetup implements [orgfile.SetupReader]: it reads what lies in an open folder
// and is not hidden.
func (s *catalog) readSetup(path string) ([]byte, bool) {
	for _, r := range s.roots() {
		if rel, ok := r.relative(expandHome(path)); ok {
			if data, err := r.view.Read(rel); err == nil {
				return data, true
			}
		}
	}
	return nil, false
}
