package structure

import (
	"slices"
	"strings"
)

// A Heading is a heading with its section.
type Heading struct {
	Level   int      // 1 to 6
	Text    string   // as written, without marks; on one line
	Written string   // on the page, which may be several lines
	Path    []string // of the headings above it, and its own
	Line    int
	Start   int // offset of the heading
	Content int // of the line after it
	End     int // of the next heading of the same or a higher level, or of the end
}

// Headings are those of a page, in order.
func Headings(text string, lines []Line) []Heading {
	var all []Heading
	for i, l := range lines {
		if l.level == 0 {
			continue
		}
		_, title := atxHeading(strings.TrimLeft(l.withoutBullet(text), " \t"))
		written := title
		start := l
		if l.above > 0 {
			start = lines[i-l.above]
			written = strings.TrimSpace(text[start.Start:lines[i-1].End])
			title = written
			if l.above > 1 {
				title = strings.Join(strings.Fields(written), " ")
			}
		}
		all = append(all, Heading{
			Level: int(l.level), Text: title, Written: written, Line: start.Number, Start: start.Start, Content: min(l.End+1, len(text)),
		})
	}
	var open []int // the headings that the next one may stand below, outermost first
	for i := range all {
		h := &all[i]
		h.End = len(text)
		for len(open) > 0 && all[open[len(open)-1]].Level >= h.Level {
			all[open[len(open)-1]].End = h.Start
			open = open[:len(open)-1]
		}
		for _, above := range open {
			h.Path = append(h.Path, all[above].Text)
		}
		h.Path = append(h.Path, h.Text)
		open = append(open, i)
	}
	endWithBlocks(text, lines, all)
	return all
}

// Matches reports whether name means the heading as a link would: [Heading.Is], or without
// what links leave out.
func (h Heading) Matches(name string) bool {
	return h.Is(name) || h.isNamed(name, func(s string) string { return fold(strings.ReplaceAll(InLink(s), "%", " ")) })
}

// Is reports whether name is the heading's text, with or without marks, or the last line of
// that; or texts of headings above it before "#".
func (h Heading) Is(name string) bool { return h.isNamed(name, fold) }

func (h Heading) isNamed(name string, fold func(string) string) bool {
	level, bare := atxHeading(strings.TrimSpace(name))
	if level == 0 {
		bare = strings.TrimSpace(name)
	} else if level != h.Level {
		return false
	}
	same := func(a, b string) bool { a = fold(a); return a == fold(b) && (a != "" || strings.TrimSpace(b) == "") }
	if same(h.Text, bare) || same(h.Written[strings.LastIndexByte(h.Written, '\n')+1:], bare) {
		return true
	}
	parts := strings.Split(strings.TrimPrefix(strings.TrimSpace(name), "#"), "#")
	if at := len(h.Path) - 1; !same(h.Path[at], parts[len(parts)-1]) {
		return false // the last names the heading itself
	}
	above := h.Path[:len(h.Path)-1]
	for _, part := range slices.Backward(parts[:len(parts)-1]) {
		at := len(above) - 1
		for at >= 0 && !same(above[at], part) {
			at--
		}
		if at < 0 {
			return false
		}
		above = above[:at]
	}
	return true
}

// InLink is a heading as a link names it: Obsidian leaves out what would end it there, but
// for a single bracket.
func InLink(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("#", " ", "|", " ", "^", " ", ":", " ", `\`, " ", "%%", " ", "[", " ", "]", " ").Replace(text)), " ")
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// atxHeading reads "## Text ##"; a level of 0: it is none.
func atxHeading(line string) (level int, text string) {
	level = len(line) - len(strings.TrimLeft(line, "#"))
	rest := strings.TrimRight(line[level:], " \t\r")
	if level == 0 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	text = strings.TrimSpace(rest)
	if bare := strings.TrimRight(text, "#"); bare == "" || bare != text && strings.HasSuffix(bare, " ") {
		text = strings.TrimSpace(bare)
	}
	return level, text
}

// underline is the level of the heading that a line makes of a paragraph above it; 0: none.
func underline(line string) int {
	switch line = strings.TrimSpace(line); {
	case line == "":
		return 0
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}
