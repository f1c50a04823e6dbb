package orgexport

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

type node = orgelement.Node

// A heading is one that is exported.
type heading struct {
	index    int // in the file
	level    int // from 1, counted from the section
	number   []int
	title    orgfile.Span
	todo     string
	done     bool
	priority string
	tags     []string
	archived bool // of whose content nothing is written
	anchor   string
	ref      string // a name of our own, anchor where there is no CUSTOM_ID
	custom   bool   // anchor is the CUSTOM_ID
	noTOC    bool
	hasText  bool // something stands below the heading line
	body     []*node
	children []*heading
	parent   *heading
}

// numberText returns "1.2".
func (h *heading) numberText() string {
	var parts []string
	for _, n := range h.number {
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, ".")
}

// A document is a file or section, read and cut down to what is exported.
type document struct {
	file      *orgfile.File
	text      []byte // with LF as line breaks
	o         Options
	set       exportOptions
	first     []*node // above the first heading
	headings  []*heading
	byTitle   map[string]*heading // without case, blanks and cookies
	byID      map[string]*heading // by "custom-id:x" and "id:x"
	title     string              // as Org text
	macros    map[string]string
	counters  map[string]int
	links     map[string]string // abbreviations
	notes     map[string][]*node
	noteOrder []*footnote
	noteByKey map[string]*footnote
	targets   map[string]*target
	refs      map[string]codeReference
	home      *heading // of what is read now
	anchors   int
	expanded  int // bytes that macros became
	sourceLen int // lines numbered by blocks so far, for "+n"
}

type footnote struct {
	number   int
	label    string
	elements []*node      // of a definition
	inline   orgfile.Span // of an inline one
	isInline bool
}

// A target is what a fuzzy link may mean besides a heading.
type target struct {
	anchor  string
	heading *heading
	ordinal int
	caption bool
	node    *node
}

type codeReference struct {
	line  int
	label string
}

// newDocument reads a file. Files with CR LF are read as if they had LF.
func newDocument(f *orgfile.File, o Options) *document {
	if f.CRLF {
		text := strings.ReplaceAll(string(f.Source), "\r\n", "\n")
		if again, err := orgfile.Parse([]byte(text), f.Path, f.Settings, nil); err == nil && len(again.Headlines) == len(f.Headlines) {
			f = again
		}
	}
	d := &document{
		file: f, text: f.Source, o: o, set: defaultOptions(), byTitle: map[string]*heading{}, byID: map[string]*heading{},
		macros: map[string]string{}, counters: map[string]int{},
		links: map[string]string{}, notes: map[string][]*node{}, noteByKey: map[string]*footnote{}, targets: map[string]*target{},
		refs: map[string]codeReference{},
	}
	first := orgfile.Span{Start: 0, End: int32(len(f.Source))}
	if strings.HasPrefix(string(f.Source[:min(3, len(f.Source))]), "\xef\xbb\xbf") {
		first.Start = 3
	}
	if f.Drawer.End > 0 {
		first.Start = int32(min(int(f.Drawer.End)+1, len(f.Source)))
	}
	if len(f.Headlines) > 0 {
		first.End = f.Headlines[0].Begin
	}
	first.Start = min(first.Start, first.End)
	bodies := make([][]*node, len(f.Headlines))
	top := orgelement.Elements(d.text, first, f.Settings.InlineStars())
	d.readKeywords(top)
	for i := range f.Headlines {
		h := &f.Headlines[i]
		if f.InCommented(i) {
			continue
		}
		bodies[i] = orgelement.Elements(d.text, orgfile.Span{Start: h.Body, End: int32(f.EntryEnd(i))}, f.Settings.InlineStars())
		d.readKeywords(bodies[i])
	}
	d.title = d.set.keywords["TITLE"]
	d.build(top, bodies)
	d.collectTargets()
	return d
}

// readKeywords reads the keyword lines that configure the export.
func (d *document) readKeywords(nodes []*node) {
	d.walk(nodes, func(n *node) {
		switch {
		case n.Kind == orgelement.FootnoteDefinition:
			if _, ok := d.notes[n.Key]; !ok {
				d.notes[n.Key] = n.Children
			}
		case n.Kind != orgelement.KeywordLine:
		case n.Key == "MACRO":
			name, body, _ := strings.Cut(n.Value, " ")
			d.macros[strings.ToLower(name)] = strings.TrimSpace(body)
		case n.Key == "LINK":
			name, url, _ := strings.Cut(n.Value, " ")
			d.links[name] = strings.TrimSpace(url)
		default:
			d.set.keyword(n.Key, n.Value)
		}
	})
}

func (d *document) walk(nodes []*node, visit func(*node)) {
	for _, n := range nodes {
		visit(n)
		d.walk(n.Children, visit)
	}
}

// build makes the tree of headings that are exported.
func (d *document) build(top []*node, bodies [][]*node) {
	f, from, to := d.file, 0, len(d.file.Headlines)
	section := d.o.Headline
	base := 0
	if section >= 0 {
		from, to, base = section, f.AfterSubtree(section), f.ReducedLevel(section)
		d.sectionKeywords(section)
		d.title = f.Text(f.Headlines[section].Title)
		if v, ok := f.Property(section, "EXPORT_TITLE"); ok {
			d.title = v
		}
	}
	selected := d.selectedTrees(from, to)
	switch {
	case section >= 0:
		d.first = bodies[section]
		from++
	case selected == nil:
		d.first = top
	}
	if d.o.NoSubheadings {
		to = from
	}
	if minimum := d.minimumLevel(from, to, selected); section < 0 || minimum > 0 {
		base = max(minimum-1, 0)
	}
	var open []*heading
	counts := []int{}
	for i := from; i < to; i++ {
		if !d.exports(i, selected) {
			i = f.AfterSubtree(i) - 1
			continue
		}
		h := d.newHeading(i, f.ReducedLevel(i)-base, bodies[i])
		open = d.place(h, open)
		if d.numbered(h) {
			counts = countHeading(counts, h.level)
			h.number = slices.Clone(counts)
		}
		d.register(h)
		if h.archived {
			i = f.AfterSubtree(i) - 1
		}
	}
}

// minimumLevel returns the least level of the headings that are exported, 0 if
// there are none.
func (d *document) minimumLevel(from, to int, selected map[int]bool) int {
	minimum := 0
	for i := from; i < to; i++ {
		if level := d.file.ReducedLevel(i); d.exports(i, selected) && (minimum == 0 || level < minimum) {
			minimum = level
		}
	}
	return minimum
}

// place puts a heading into the tree. open is the last heading and those that it
// is in; place returns the same for h.
func (d *document) place(h *heading, open []*heading) []*heading {
	for len(open) > 0 && open[len(open)-1].level >= h.level {
		open = open[:len(open)-1]
	}
	if len(open) > 0 {
		h.parent = open[len(open)-1]
		h.parent.children = append(h.parent.children, h)
	} else {
		d.headings = append(d.headings, h)
	}
	return append(open, h)
}

// countHeading returns the number of a heading that follows the one with the
// number counts. Levels that the file skips count as 0.
func countHeading(counts []int, level int) []int {
	for len(counts) < level {
		counts = append(counts, 0)
	}
	counts = counts[:level]
	counts[level-1]++
	return counts
}

// register makes a heading known to links.
func (d *document) register(h *heading) {
	name := normalName(cookieText.ReplaceAllString(d.file.Text(h.title), " "))
	if d.byTitle[name] == nil {
		d.byTitle[name] = h
	}
	for key, kind := range map[string]string{"CUSTOM_ID": "custom-id:", "ID": "id:"} {
		if v, ok := d.file.Property(h.index, key); ok && d.byID[kind+v] == nil {
			d.byID[kind+v] = h
		}
	}
}

func (d *document) sectionKeywords(section int) {
	for _, key := range []string{"OPTIONS", "TITLE", "AUTHOR", "DATE", "EMAIL", "LANGUAGE", "SUBTITLE", "EXCLUDE_TAGS", "SELECT_TAGS"} {
		if v, ok := d.file.InheritedProperty(section, "EXPORT_"+key); ok {
			if key != "OPTIONS" {
				delete(d.set.keywords, key)
			}
			d.set.keyword(key, v)
		}
	}
}

// selectedTrees returns the headings that are exported because one has a tag that
// selects, nil if there is none.
func (d *document) selectedTrees(from, to int) map[int]bool {
	var out map[int]bool
	for i := from; i < to; i++ {
		if !d.hasTag(i, d.set.selected) {
			continue
		}
		if out == nil {
			out = map[int]bool{}
		}
		for at := i; at >= 0; at = int(d.file.Headlines[at].Parent) {
			out[at] = true
		}
		for at := i; at < d.file.AfterSubtree(i); at++ {
			out[at] = true
		}
	}
	return out
}

func (d *document) hasTag(i int, tags []string) bool {
	return slices.ContainsFunc(d.file.LocalTags(i), func(t string) bool { return slices.Contains(tags, t) })
}

// exports says whether heading i is exported, given that its parent is.
func (d *document) exports(i int, selected map[int]bool) bool {
	h := &d.file.Headlines[i]
	title := d.file.Text(h.Title)
	switch {
	case h.Commented, d.hasTag(i, d.set.exclude), d.file.Settings.Footnotes != "" && title == d.file.Settings.Footnotes:
		return false
	case selected != nil && !selected[i]:
		return false
	}
	return d.set.archived != "nil" || !slices.Contains(d.file.LocalTags(i), orgfile.ArchiveTag)
}

func (d *document) newHeading(i, level int, body []*node) *heading {
	f := d.file
	record := f.Headlines[i]
	h := &heading{
		index: i, level: level, title: record.Title, tags: f.LocalTags(i), todo: f.Text(record.Keyword), done: record.Done,
		priority: f.Text(record.Priority), body: body,
	}
	h.archived = d.set.archived == "headline" && slices.Contains(h.tags, orgfile.ArchiveTag)
	h.hasText = len(bytes.TrimSpace(d.text[record.LineEnd:f.EntryEnd(i)])) > 0
	if h.archived {
		h.body, h.hasText = nil, false
	}
	h.ref = d.newAnchor(strings.Join(f.OutlinePath(i), "/"))
	h.anchor = h.ref
	if id, ok := f.Property(i, "CUSTOM_ID"); ok && id != "" {
		h.anchor, h.custom = id, true
	}
	return h
}

// newAnchor returns a name for what path describes: the same at each export as
// long as the outline is.
func (d *document) newAnchor(path string) string {
	d.anchors++
	sum := fnv.New32a()
	_, _ = fmt.Fprintf(sum, "%d/%s", d.anchors, path) // a hash takes whatever it is given
	return fmt.Sprintf("org%07x", sum.Sum32()&0xfffffff)
}

func (d *document) numbered(h *heading) bool {
	if d.set.numbers == 0 || d.set.numbers > 0 && h.level > d.set.numbers {
		return false
	}
	for i := h.index; i >= 0 && i != d.o.Headline; i = int(d.file.Headlines[i].Parent) {
		if v, ok := d.file.Property(i, "UNNUMBERED"); ok && v != "nil" && v != "" {
			h.noTOC = v == "notoc"
			return false
		}
	}
	return true
}

// lowLevel says that a heading is deeper than what is written as one.
func (d *document) lowLevel(h *heading) bool { return h.level > d.set.levels }

// inTOC returns the headings of the table of contents below a list of them.
func (d *document) inTOC(list []*heading) []*heading {
	depth := d.set.levels
	if d.set.toc > 0 {
		depth = min(depth, d.set.toc)
	}
	return slices.DeleteFunc(slices.Clone(list), func(h *heading) bool { return h.level > depth || h.noTOC })
}
