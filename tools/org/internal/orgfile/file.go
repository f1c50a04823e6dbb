// Package orgfile reads Org files without changing a byte: where each headline,
// planning line and drawer lies, which keywords and settings the file declares,
// and what tags and properties an entry inherits. It keeps spans, not copies;
// the file's bytes stay the only truth and nothing is ever printed back from a
// tree.
//
// It reads what Emacs reads: its rules follow Org main, and Org 9.5's where
// [Settings.Quirks] asks for them. It does not edit (package orgedit does), opens
// no files (a [SetupReader] is handed in for #+SETUPFILE) and evaluates no Lisp.
// What serves Org files imports it. Start reading at [Parse].
package orgfile

import (
	"bytes"
	"errors"
	"math"
)

// A Span is a range of bytes of the file as it lies on the disk, byte order mark
// and carriage returns included. An absent part has Start == End.
type Span struct{ Start, End int32 }

// Empty says that the span holds no bytes.
func (s Span) Empty() bool { return s.Start >= s.End }

// A Headline is one heading and where its parts lie. A record is small, because
// a large vault has millions of them.
type Headline struct {
	Begin   int32 // of the first star
	LineEnd int32 // end of the heading line, without its line break
	Body    int32 // first byte after heading, planning line and property drawer
	End     int32 // end of the subtree, with its trailing blank lines
	Parent  int32 // index in File.Headlines, -1 at the top
	Level   int32 // number of stars

	Keyword  Span // the TODO keyword
	Priority Span // the letter or number between "[#" and "]"
	Title    Span // without keyword, priority, COMMENT, tags and blanks around it
	Tags     Span // with the first and last colon
	Planning Span // the whole planning line, without its line break
	Drawer   Span // the property drawer, from its first line's start to the end of ":END:"

	Commented bool // the title starts with COMMENT
	Done      bool // Keyword is a final state
}

// A File is a parsed Org file. It refers to the bytes that it was parsed from,
// which must not change while the File is used. A File is read-only and may be
// used by several goroutines.
type File struct {
	Source    []byte
	Path      string // for CATEGORY and for %s in archive locations; may be empty
	Settings  Settings
	Headlines []Headline // in the order of the file
	Drawer    Span       // the property drawer above the first headline
	CRLF      bool       // every line ends in CR LF
	start     int        // behind the byte order mark
}

// ErrTooLarge is returned for a file of 2 GiB or more.
var ErrTooLarge = errors.New("org file is 2 GiB or larger")

var byteOrderMark = []byte("\xef\xbb\xbf")

// Parse scans source, which belongs to the file at path, once and in linear
// time. Whatever the bytes are, the result is well-formed; only a file of 2 GiB
// or more is an error. defaults hold outside of what the file's own keywords
// say. setup reads the files that #+SETUPFILE names; nil leaves them out.
func Parse(source []byte, path string, defaults Settings, setup SetupReader) (*File, error) {
	if len(source) > math.MaxInt32 {
		return nil, ErrTooLarge
	}
	f := &File{Source: source, Path: path, CRLF: UsesCRLF(source)}
	if bytes.HasPrefix(source, byteOrderMark) {
		f.start = len(byteOrderMark)
	}
	s := scanner{src: source, pos: f.start, crlf: f.CRLF, inline: defaults.InlineStars()}
	s.run()
	f.Settings = defaults.withKeywords(collectSetup(s.keywords, path, setup))
	if inline := f.Settings.InlineStars(); inline != s.inline { // the file says whether levels are odd; more than once it is not asked
		s = scanner{src: source, pos: f.start, crlf: f.CRLF, inline: inline}
		s.run()
	}
	f.Headlines = s.headlines
	f.fillHeadlines()
	f.Drawer = f.fileDrawer()
	return f, nil
}

// UsesCRLF says whether every line break of src is CR LF. A file with both kinds
// is one of LF, whose carriage returns are text, as in Emacs.
func UsesCRLF(src []byte) bool {
	lines := 0
	for {
		i := bytes.IndexByte(src, '\n')
		if i < 0 {
			return lines > 0
		}
		if i == 0 || src[i-1] != '\r' {
			return false
		}
		lines++
		src = src[i+1:]
	}
}

// Text returns the bytes of a span as a string.
func (f *File) Text(s Span) string {
	if s.Empty() {
		return ""
	}
	return string(f.Source[s.Start:s.End])
}

// fillHeadlines parses the heading lines, now that the keywords are known, finds
// parents and the ends of subtrees.
func (f *File) fillHeadlines() {
	var open []int32 // the ancestors of the present headline
	for i := range f.Headlines {
		h := &f.Headlines[i]
		for len(open) > 0 && f.Headlines[open[len(open)-1]].Level >= h.Level {
			f.Headlines[open[len(open)-1]].End = h.Begin
			open = open[:len(open)-1]
		}
		h.Parent = -1
		if len(open) > 0 {
			h.Parent = open[len(open)-1]
		}
		open = append(open, int32(i))
		f.parseHeadline(h, f.entryEnd(i))
	}
	for _, i := range open {
		f.Headlines[i].End = int32(len(f.Source))
	}
}

// entryEnd returns where the text of headline i ends: at the next headline.
func (f *File) entryEnd(i int) int {
	if i+1 < len(f.Headlines) {
		return int(f.Headlines[i+1].Begin)
	}
	return len(f.Source)
}

// EntryEnd returns where the text of headline i ends: at the next headline of
// any level, or at the end of the file.
func (f *File) EntryEnd(i int) int { return f.entryEnd(i) }

func (f *File) parseHeadline(h *Headline, end int) {
	line := ParseHeading(f.Source[h.Begin:h.LineEnd], &f.Settings)
	at := func(s Span) Span {
		if s.Empty() {
			return Span{}
		}
		return Span{h.Begin + s.Start, h.Begin + s.End}
	}
	h.Keyword, h.Priority, h.Title, h.Tags = at(line.Keyword), at(line.Priority), at(line.Title), at(line.Tags)
	h.Commented, h.Done = line.Commented, line.Done
	meta := ParseMeta(f.Source[:end], f.nextLine(int(h.LineEnd)), f.CRLF, &f.Settings)
	h.Planning, h.Drawer, h.Body = meta.Planning, meta.Drawer, int32(meta.Body)
}

// nextLine returns the start of the line after the one that ends at end.
func (f *File) nextLine(end int) int {
	if i := bytes.IndexByte(f.Source[end:], '\n'); i >= 0 {
		return end + i + 1
	}
	return len(f.Source)
}

// fileDrawer finds the property drawer of the whole file: only comment lines may
// stand above it.
func (f *File) fileDrawer() Span {
	end := len(f.Source)
	if len(f.Headlines) > 0 {
		end = int(f.Headlines[0].Begin)
	}
	src := f.Source[:end]
	at := SkipComments(src, f.start)
	return propertyDrawer(src, at, f.CRLF, &f.Settings)
}
