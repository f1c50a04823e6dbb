package orgfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// A View is a File without the subtrees that someone may not see. What it shows
// is the file's bytes with those cut out; nothing else about them remains, no
// count and no gap. Positions in what is shown are mapped back to the file for
// edits.
type View struct {
	File    *File
	hidden  []bool // by headline, inherited by all below
	visible []Span // what is shown, in order
}

// NewView hides the headlines that hide names, with all below them. hide is
// asked in the order of the file and not about what is hidden already; nil hides
// nothing.
func NewView(f *File, hide func(i int) bool) *View {
	v := &View{File: f, hidden: make([]bool, len(f.Headlines))}
	at := int32(0)
	for i := range f.Headlines {
		h := &f.Headlines[i]
		if h.Parent >= 0 && v.hidden[h.Parent] {
			v.hidden[i] = true
			continue
		}
		if hide == nil || !hide(i) {
			continue
		}
		v.hidden[i] = true
		if h.Begin > at {
			v.visible = append(v.visible, Span{at, h.Begin})
		}
		at = h.End
	}
	if end := int32(len(f.Source)); end > at {
		v.visible = append(v.visible, Span{at, end})
	}
	return v
}

// Hidden says whether headline i is hidden.
func (v *View) Hidden(i int) bool { return v.hidden[i] }

// Text returns what is shown of a span of the file.
func (v *View) Text(s Span) []byte {
	var out []byte
	for _, part := range v.visible {
		if low, high := max(s.Start, part.Start), min(s.End, part.End); low < high {
			out = append(out, v.File.Source[low:high]...)
		}
	}
	return out
}

// Subtree returns the span of headline i with all below it, hidden ones too; the
// whole file for -1.
func (f *File) Subtree(i int) Span {
	if i < 0 {
		return Span{0, int32(len(f.Source))}
	}
	return Span{f.Headlines[i].Begin, f.Headlines[i].End}
}

// Etag identifies what is shown of the subtree of headline i, or of the file for
// -1: it changes when those bytes do and not when hidden ones do.
func (v *View) Etag(i int) string {
	sum := sha256.Sum256(v.Text(v.File.Subtree(i)))
	return hex.EncodeToString(sum[:8])
}

// Original maps a range of what is shown of s back to the file. ok is false if
// something hidden lies within it, or if it leaves s.
func (v *View) Original(s Span, from, to int) (original Span, ok bool) {
	at := 0 // the shown position where part starts
	for _, part := range v.visible {
		low, high := max(s.Start, part.Start), min(s.End, part.End)
		if low >= high {
			continue
		}
		if n := int(high - low); from >= at && to <= at+n && (from < at+n || from == to) {
			return Span{low + int32(from-at), low + int32(to-at)}, from <= to
		}
		at += int(high - low)
	}
	return Span{}, false
}

// Lines returns how many lines of what is shown lie in front of byte at of the
// file.
func (v *View) Lines(at int) int {
	return bytes.Count(v.Text(Span{0, int32(at)}), []byte("\n"))
}
