package orgfile

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// ArchiveTag marks an archived subtree.
const ArchiveTag = "ARCHIVE"

// ReducedLevel returns the depth of headline i: half of its stars, rounded up,
// where the file uses odd levels only.
func (f *File) ReducedLevel(i int) int {
	level := int(f.Headlines[i].Level)
	if f.Settings.OddLevels {
		return level/2 + 1
	}
	return level
}

// InCommented says whether headline i or an ancestor starts with COMMENT.
func (f *File) InCommented(i int) bool {
	for ; i >= 0; i = int(f.Headlines[i].Parent) {
		if f.Headlines[i].Commented {
			return true
		}
	}
	return false
}

// InArchived says whether headline i or an ancestor has the tag ARCHIVE, or the
// whole file does.
func (f *File) InArchived(i int) bool {
	return slices.Contains(f.Settings.FileTags, ArchiveTag) || f.underTag(i, ArchiveTag)
}

func (f *File) underTag(i int, tag string) bool {
	for ; i >= 0; i = int(f.Headlines[i].Parent) {
		if t := f.Headlines[i].Tags; !t.Empty() && bytes.Contains(f.Source[t.Start:t.End], []byte(":"+tag+":")) {
			return true
		}
	}
	return false
}

// OutlinePath returns the titles from the top down to headline i.
func (f *File) OutlinePath(i int) []string {
	var path []string
	for ; i >= 0; i = int(f.Headlines[i].Parent) {
		path = append(path, f.Text(f.Headlines[i].Title))
	}
	slices.Reverse(path)
	return path
}

var (
	cookiePattern = regexp.MustCompile(`\[[0-9]+%\]|\[[0-9]+/[0-9]+\]`)
	linkPattern   = regexp.MustCompile(`\[\[([^\]]*)\](?:\[([^\[]+?)\])?\]`)
)

// DisplayPath returns the outline path as Emacs shows it, in ARCHIVE_OLPATH for
// example: with COMMENT, without statistics cookies, and links as what they show.
func (f *File) DisplayPath(i int) []string {
	var path []string
	for ; i >= 0; i = int(f.Headlines[i].Parent) {
		h := &f.Headlines[i]
		title := f.Text(h.Title)
		if h.Commented {
			title = "COMMENT " + title
		}
		title = cookiePattern.ReplaceAllString(title, "")
		title = linkPattern.ReplaceAllStringFunc(title, func(link string) string {
			m := linkPattern.FindStringSubmatch(link)
			return cmp.Or(m[2], m[1])
		})
		path = append(path, strings.TrimSpace(title))
	}
	slices.Reverse(path)
	return path
}

// Line returns the number of the line, from 1, that holds byte at.
func (f *File) Line(at int) int { return 1 + bytes.Count(f.Source[:at], []byte("\n")) }

// AtLine returns the headline whose entry holds line n, counted from 1, or -1 if
// that is above the first headline.
func (f *File) AtLine(n int) int {
	at := 0
	for ; n > 1 && at < len(f.Source); n-- {
		at = f.nextLine(at)
	}
	return f.AtByte(at)
}

// AtByte returns the headline whose entry holds byte at, or -1 if that is above
// the first headline.
func (f *File) AtByte(at int) int {
	i, found := slices.BinarySearchFunc(f.Headlines, int32(at), func(h Headline, at int32) int { return int(h.Begin - at) })
	if found {
		return i
	}
	return i - 1
}

// ByPath returns the headlines whose outline path is path, in the order of the
// file. The first title is one of the top level.
func (f *File) ByPath(path []string) []int {
	var found []int
	for i := range f.Headlines {
		if f.hasPath(i, path) {
			found = append(found, i)
		}
	}
	return found
}

func (f *File) hasPath(i int, path []string) bool {
	for _, title := range slices.Backward(path) {
		if i < 0 {
			return false
		}
		h := &f.Headlines[i]
		if string(f.Source[h.Title.Start:h.Title.End]) != title {
			return false
		}
		i = int(h.Parent)
	}
	return i < 0 && len(path) > 0
}

// ByProperty returns the first headline whose own property key has the value
// value, -1 if the file's own drawer does, and ok false if none does. With key
// ID or CUSTOM_ID it finds what a link means.
func (f *File) ByProperty(key, value string) (i int, ok bool) {
	if !bytes.Contains(f.Source, []byte(value)) {
		return 0, false
	}
	for i := -1; i < len(f.Headlines); i++ {
		if v, ok := f.Property(i, key); ok && v == value {
			return i, true
		}
	}
	return 0, false
}

// Children returns the headlines directly below headline i, or those without a
// parent for -1.
func (f *File) Children(i int) []int {
	var out []int
	for at := i + 1; at < len(f.Headlines); {
		h := &f.Headlines[at]
		if i >= 0 && h.Begin >= f.Headlines[i].End {
			break
		}
		if int(h.Parent) == i {
			out = append(out, at)
		}
		at = f.AfterSubtree(at)
	}
	return out
}

// AfterSubtree returns the index of the first headline behind headline i's
// subtree; len(f.Headlines) if there is none.
func (f *File) AfterSubtree(i int) int {
	end := f.Headlines[i].End
	n, _ := slices.BinarySearchFunc(f.Headlines, end, func(h Headline, at int32) int { return int(h.Begin - at) })
	return n
}

// ElementContents returns where org-element sees the contents and the end of
// headline i, which differ from Body and End in blank lines: contents start
// behind those below the heading (-1: there are none), and the blank lines that
// close a subtree belong to its outermost headline that ends there.
func (f *File) ElementContents(i int) (begin, end int) {
	h := &f.Headlines[i]
	end = int(h.End)
	if h.Parent >= 0 {
		p := &f.Headlines[h.Parent]
		if p.End == h.End {
			_, parentEnd := f.ElementContents(int(h.Parent))
			end = min(end, f.withoutBlanks(int(p.LineEnd), parentEnd))
		}
	}
	for begin = int(h.LineEnd); begin < end && strings.IndexByte(" \t\r\n", f.Source[begin]) >= 0; {
		begin++
	}
	if begin >= end {
		return -1, end
	}
	return bytes.LastIndexByte(f.Source[:begin], '\n') + 1, end
}

// withoutBlanks returns the end of the last line before end that holds text, its
// line break included.
func (f *File) withoutBlanks(begin, end int) int {
	at := end
	for at > begin && strings.IndexByte(" \t\r\n", f.Source[at-1]) >= 0 {
		at--
	}
	return min(f.nextLine(at), end)
}
