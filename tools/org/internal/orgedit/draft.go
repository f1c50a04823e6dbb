// Package orgedit changes Org files as Emacs would, byte for byte, without
// Emacs. A Draft holds one file; each operation (SetState, Schedule, SetTags,
// Refile and so on) changes its text where Emacs's command of that name does and
// nowhere else, and [Draft.Edits] gives the difference as spans of the original
// bytes. Nothing is ever printed back from a tree.
//
// Where Org's versions differ, Org main is followed; orgfile.Org95 in
// [orgfile.Settings.Quirks] asks for what Org 9.5 does. The clock and the source
// of IDs are handed in. It opens, locks and writes no files: who serves the files
// does, and hands in the Draft of a second file where an operation needs one.
// Start reading at [NewDraft].
package orgedit

import (
	"bytes"
	"math"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// Env is what an edit needs to know besides the file.
type Env struct {
	Now   time.Time     // in the user's time zone
	NewID func() string // for ID properties
}

// An Edit replaces Length bytes at Offset of the original file by New.
type Edit struct {
	Offset, Length int
	New            []byte
}

// A Draft is one file with the changes made to it so far. Its methods take
// headlines as indexes of [Draft.File], which changes with every operation: find
// the headline again after each. A method that returns an error may have changed
// the text in part; a caller who wants all or nothing drops the Draft. A Draft is
// used by one goroutine.
type Draft struct{ moveEdit }

// A buffer is the text of a Draft. The types that embed it, each in the next,
// are its vocabulary from the ground up: lines, the outline, then what Emacs's
// commands do to headings, properties, records, planning lines, statistics,
// clocks, states and whole subtrees. Positions are offsets in text.
type buffer struct {
	env      Env
	path     string
	settings orgfile.Settings // as read when the file was opened; an edit does not change them
	heads    orgfile.Settings // how headings are taken apart: all commands agree with Org main on that
	original []byte           // without byte order mark, its line breaks LF
	size     int              // of the source
	mark     int              // length of the byte order mark
	crlf     bool
	text     []byte
	pieces   []piece
	parsed   *orgfile.File
	anchors  []*int // positions in text that move with it
	clock    *int   // the open clock line, as Emacs remembers it
	unsaid   bool   // a record that asks for a note has none
}

// A piece is a part of the text: bytes of the original, or new ones.
type piece struct{ from, length int } // from is -1 for new bytes

// NewDraft parses source, the bytes of the file at path; source must not change
// while the Draft is used. A file that does not exist yet has no bytes.
func NewDraft(source []byte, path string, defaults orgfile.Settings, setup orgfile.SetupReader, env Env) (*Draft, error) {
	f, err := orgfile.Parse(source, path, defaults, setup)
	if err != nil {
		return nil, err
	}
	d := new(Draft)
	d.env, d.path, d.settings, d.crlf, d.original = env, path, f.Settings, f.CRLF, source
	d.size = len(source)
	d.heads = orgfile.Settings{Todo: f.Settings.Todo, OddLevels: f.Settings.OddLevels, InlineTasks: f.Settings.InlineTasks}
	if bytes.HasPrefix(source, []byte("\xef\xbb\xbf")) {
		d.mark = 3
		d.original = source[3:]
	}
	if d.crlf {
		d.original = bytes.ReplaceAll(d.original, []byte("\r\n"), []byte("\n"))
	}
	d.text = slices.Clip(d.original)
	if len(d.text) > 0 {
		d.pieces = []piece{{0, len(d.text)}}
	}
	return d, nil
}

// File parses the present text. Its spans count in [Draft.Text]. It is valid
// until the next operation.
func (d *Draft) File() *orgfile.File { return d.file() }

func (d *buffer) file() *orgfile.File {
	if d.parsed == nil {
		// The text cannot have grown to 2 GiB: edits of a file of that size are
		// refused where it is read.
		f, err := orgfile.Parse(d.text, d.path, d.settings, nil)
		if err != nil {
			f = &orgfile.File{Path: d.path}
		}
		f.Settings = d.settings
		d.parsed = f
	}
	return d.parsed
}

// Text returns the present text with LF as line breaks and without byte order
// mark: what an Emacs buffer would show.
func (d *Draft) Text() string { return string(d.text) }

// Changed says whether the text differs from the original.
func (d *Draft) Changed() bool { return !bytes.Equal(d.text, d.original) }

// Edits returns the changes over the original bytes, from front to back and
// without overlap; none for an unchanged file. As when Emacs saves, a changed
// file that is not empty ends in a line break.
func (d *Draft) Edits() []Edit {
	if !d.Changed() {
		return nil
	}
	switch n := len(d.text); {
	case n == 0:
		return []Edit{{Length: d.size}} // with its byte order mark
	case d.text[n-1] != '\n':
		d.replace(n, n, "\n")
	}
	var edits []Edit
	at, text := 0, 0 // positions in the original and in the text
	var added []byte
	flush := func(next int) {
		if next > at || len(added) > 0 {
			if e, ok := d.trimEdit(at, next, added); ok {
				edits = append(edits, e)
			}
		}
		added = nil
	}
	for _, p := range d.pieces {
		if p.from < 0 {
			added = append(added, d.text[text:text+p.length]...)
		} else {
			flush(p.from)
			at = p.from + p.length
		}
		text += p.length
	}
	flush(len(d.original))
	return edits
}

// trimEdit drops what an edit replaces by itself, and translates it to the bytes
// on the disk.
func (d *buffer) trimEdit(start, end int, added []byte) (Edit, bool) {
	old := d.original[start:end]
	n := 0
	for n < len(old) && n < len(added) && old[n] == added[n] {
		n++
	}
	start, old, added = start+n, old[n:], added[n:]
	n = 0
	for n < len(old) && n < len(added) && old[len(old)-1-n] == added[len(added)-1-n] {
		n++
	}
	old, added = old[:len(old)-n], added[:len(added)-n]
	if len(old) == 0 && len(added) == 0 {
		return Edit{}, false
	}
	e := Edit{Offset: d.mark + start, Length: len(old), New: slices.Clone(added)}
	if d.crlf {
		e.Offset += bytes.Count(d.original[:start], []byte("\n"))
		e.Length += bytes.Count(old, []byte("\n"))
		e.New = bytes.ReplaceAll(e.New, []byte("\n"), []byte("\r\n"))
	}
	return e, true
}

// Apply returns source with edits made: what the file will hold.
func Apply(source []byte, edits []Edit) []byte {
	out := make([]byte, 0, len(source)+64)
	at := 0
	for _, e := range edits {
		out = append(append(out, source[at:e.Offset]...), e.New...)
		at = e.Offset + e.Length
	}
	return append(out, source[at:]...)
}

// replace puts added where the bytes from start to end are. Anchors behind them
// move along; one at start stays in front of what is added.
func (d *buffer) replace(start, end int, added string) {
	if start == end && added == "" || string(d.text[start:end]) == added {
		return
	}
	text := make([]byte, 0, len(d.text)+len(added)-(end-start))
	text = append(append(append(text, d.text[:start]...), added...), d.text[end:]...)
	d.text, d.parsed = text, nil
	d.pieces = splicePieces(d.pieces, start, end, len(added))
	for _, a := range d.anchors {
		switch {
		case *a >= end && (*a > start || end > start):
			*a += len(added) - (end - start)
		case *a > start:
			*a = start
		}
	}
}

func (d *buffer) insert(at int, added string) { d.replace(at, at, added) }

func splicePieces(pieces []piece, start, end, added int) []piece {
	out := make([]piece, 0, len(pieces)+2)
	take := func(from, to int) {
		at := 0
		for _, p := range pieces {
			low, high := max(from, at), min(to, at+p.length)
			if low < high {
				q := piece{-1, high - low}
				if p.from >= 0 {
					q.from = p.from + low - at
				}
				out = append(out, q)
			}
			at += p.length
		}
	}
	take(0, start)
	if added > 0 {
		out = append(out, piece{-1, added})
	}
	take(end, math.MaxInt)
	return out
}

// anchor returns a position that moves with the text.
func (d *buffer) anchor(at int) (pos *int, release func()) {
	p := new(int)
	*p = at
	d.anchors = append(d.anchors, p)
	return p, func() { d.anchors = slices.DeleteFunc(d.anchors, func(q *int) bool { return q == p }) }
}
