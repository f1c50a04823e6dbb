package index

import (
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/inlinefield"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// A Page is what the index keeps of a page, besides the words of its text.
type Page struct {
	File  string
	Stamp Stamp
	Title string
	Head  Head
	Links []links.Link
	Names []Name
	// LinkKeys are the last parts of what its links call, folded, each once.
	LinkKeys []string
	// Tags are those of the front matter and the text, without #, each once.
	Tags       []string
	Properties []Property
	Tasks      []Task
	Headings   []Heading
	text       string // of the front matter and after it, where words are found
	row        *row   // nil until Prepare
}

// A Stamp says which state of a file was read.
type Stamp struct {
	Size     int64
	Modified int64 // Unix nanoseconds
	// Recent: the file was modified just before it was read. It may have been
	// modified again in the same tick of the file system's clock.
	Recent bool
}

// Matches reports whether a file with this size and time of modification has the
// contents that were read.
func (s Stamp) Matches(size int64, modified time.Time) bool {
	return !s.Recent && s.Size == size && s.Modified == modified.UnixNano()
}

// A Head is what lists show of a page, and what links may call it.
type Head struct {
	ID       string   `json:"id,omitempty"`
	Icon     string   `json:"icon,omitempty"`
	Position *float64 `json:"position,omitempty"`
	Aliases  []string `json:"aliases,omitempty"`
	Named    bool     `json:"named,omitempty"`   // the title is the name of the file
	Foreign  bool     `json:"foreign,omitempty"` // it is not UTF-8
}

// A Property is a value of a page; a list has several.
type Property struct{ Key, Value string }

// A Task is a line with a box to tick, or a block of Logseq with a word such as TODO.
type Task struct {
	Page  string
	Line  int // from 1
	Done  bool
	State string // the character in the box, or the word
	Word  bool
	Text  string
	// Planning are the dates of a block of Logseq, as its lines have them.
	Planning string
}

// A Heading is a heading of a page.
type Heading struct {
	Page  string
	Line  int // from 1
	Level int
	Text  string
}

// A Source is a page as package markdown has parsed it.
type Source struct {
	File   string
	Stamp  Stamp
	Title  string
	Head   Head
	Text   string // with LF line ends
	Body   int    // offset of the text after the front matter
	Front  string // what words find in the front matter, besides title and tags
	Fields frontmatter.Fields
	Lines  []structure.Line // after the front matter
	Links  []links.Link
	Tags   []string // in the text, without #
	Names  []Name
	// LinkKey returns the key of a link, or the two that it may have.
	LinkKey func(links.Link) []string
}

// Read makes a page of its source.
func Read(s Source) Page {
	p := Page{File: s.File, Stamp: s.Stamp, Title: s.Title, Head: s.Head, Links: s.Links, Names: s.Names, text: s.Front + s.Text[s.Body:]}
	if s.LinkKey != nil {
		for _, l := range p.Links {
			p.LinkKeys = append(p.LinkKeys, s.LinkKey(l)...)
		}
		slices.Sort(p.LinkKeys)
		p.LinkKeys = slices.Compact(p.LinkKeys)
	}
	for _, tag := range append(s.Fields.Texts("tags"), append(s.Fields.Texts("tag"), s.Tags...)...) {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "#")
		if tag != "" && !slices.ContainsFunc(p.Tags, func(t string) bool { return Fold(t) == Fold(tag) }) {
			p.Tags = append(p.Tags, tag)
		}
	}
	p.readProperties(s)
	for _, t := range structure.Tasks(s.Text, s.Lines) {
		p.Tasks = append(p.Tasks, Task{s.File, t.Line, t.Done, t.State, t.Word, t.Text, t.Planning})
	}
	for _, h := range structure.Headings(s.Text, s.Lines) {
		p.Headings = append(p.Headings, Heading{s.File, h.Line, h.Level, h.Text})
	}
	return p
}

// readProperties reads the values of the front matter and of Dataview's fields, each once.
// The key of a field has two names: as it is written, and with hyphens.
func (p *Page) readProperties(s Source) {
	seen := map[Property]bool{}
	add := func(key, value string) {
		if v := (Property{Fold(key), Fold(value)}); !seen[v] {
			seen[v] = true
			p.Properties = append(p.Properties, v)
		}
	}
	for _, v := range s.Fields.Properties() {
		add(v.Key, v.Value)
	}
	for _, f := range inlinefield.Find(s.Text, s.Lines) {
		values := []string{f.Value}
		if strings.Contains(f.Value, ",") {
			values = append(values, strings.Split(f.Value, ",")...)
		}
		for _, value := range values {
			add(f.Key, strings.TrimSpace(value))
			add(strings.Join(strings.Fields(f.Key), "-"), strings.TrimSpace(value))
		}
	}
}

// settled is how old a file must be for its time of modification to tell its
// contents: clocks of file systems are coarse.
const settled = 2 * time.Second

// StampOf is the stamp of a file that was read at a time.
func StampOf(size int64, modified, read time.Time) Stamp {
	return Stamp{size, modified.UnixNano(), read.Sub(modified) < settled}
}
