package markdown

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// Blocks of most kinds have a frame, which makes them what they are: the lines of a fence,
// the header of a table, the marks of a quote or a list. Content that is added goes into the
// frame, and content that replaces the block and has no frame of its own does, too.

// frame is where within the text of a block content goes: first and last are offsets of
// whole lines' ends, or of the block; margin is what belongs before each of its lines.
type frame struct {
	start, end int
	lines      bool // content begins after the end of a line, not at start
	margin     string
}

// frameOf is the frame of the block; false: it has none.
func (e blockEdit) frameOf() (frame, bool) {
	b, lines := e.of, e.page.Lines
	switch b.Kind {
	case structure.FenceBlock, structure.MathBlock, structure.CommentBlock:
		end := e.textEnd
		if b.Closed {
			closing := strings.TrimLeft(e.page.Text[lines[b.Last].Start:e.textEnd], " \t>")
			if b.Kind != structure.FenceBlock && len(closing) != 2 {
				return frame{}, false
			}
			end = lines[b.Last-1].End
		}
		return frame{lines[b.First].End, end, true, e.margin}, true
	case structure.QuoteBlock:
		if strings.HasPrefix(strings.TrimLeft(e.page.Text[b.Start:lines[b.First].End], "> \t"), "[!") {
			return frame{min(lines[b.First].End, e.textEnd), e.textEnd, true, e.margin + "> "}, true
		}
		return frame{b.Start, e.textEnd, false, e.margin + "> "}, true
	case structure.TableBlock:
		return frame{lines[b.First+1].End, e.textEnd, true, e.margin}, true
	case structure.IndentedBlock:
		return frame{b.Start, e.textEnd, false, e.margin + "    "}, true
	case structure.ParagraphBlock:
		return frame{b.Start + len(footnote.FindString(e.page.Text[b.Start:b.End])), e.textEnd, false, e.margin}, true
	case structure.ListBlock, structure.HTMLBlock:
		return frame{b.Start, e.textEnd, false, e.margin}, true
	case structure.ItemBlock:
		mark, _ := itemMark(e.page.Text[b.Start:b.End])
		end := e.textEnd
		if e.id.Start >= b.Start && e.id.End <= b.End {
			end = e.id.Start // the end of its first paragraph
		}
		return frame{b.Start + len(mark), end, false, e.margin + strings.Repeat(" ", len(mark))}, true
	default:
		return frame{}, false
	}
}

// footnote matches the mark of a footnote.
var footnote = regexp.MustCompile(`^\[\^[^\]\s]+\]:[ \t]*`)

var itemStart = regexp.MustCompile(`^((?:[-*+]|\d{1,9}[.)])(?:[ \t]{1,4}|$))(\[[^\[\]\n]\][ \t]+)?`)

// itemMark is the mark that an item begins with, and its box.
func itemMark(text string) (mark, box string) {
	if m := itemStart.FindStringSubmatch(text); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// kinds are the kinds of the outermost blocks of a text.
func kindsOf(text string) (all []structure.Kind) {
	for _, b := range structure.Read(text, 0).Blocks {
		if b.Parent < 0 {
			all = append(all, b.Kind)
		}
	}
	return all
}

// framed is content that replaces the block, in the block's frame if it has none and is
// what such a frame can hold.
func (e blockEdit) framed(content string) string {
	kinds := kindsOf(content)
	if e.of.Kind != structure.ParagraphBlock && slices.Contains(kinds, e.of.Kind) {
		return content
	}
	isText := len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k structure.Kind) bool { return k != structure.ParagraphBlock })
	f, framed := e.frameOf()
	switch e.of.Kind {
	case structure.FenceBlock, structure.MathBlock, structure.CommentBlock:
		if framed {
			return e.fill(f, content)
		}
	case structure.TableBlock:
		if isText && isTableRows(content) {
			return e.fill(f, content)
		}
	case structure.QuoteBlock:
		inner := "> " + withMargin(content, "> ")
		if f.lines { // a callout, whose first line stays
			return e.unindented(e.page.Text[e.of.Start:f.start]) + "\n" + inner
		}
		return inner
	case structure.IndentedBlock:
		return "    " + withMargin(content, "    ")
	case structure.ItemBlock:
		if len(kinds) == 0 || kinds[0] != structure.ListBlock {
			mark, box := itemMark(e.page.Text[e.of.Start:e.of.End])
			return mark + box + withMargin(content, strings.Repeat(" ", len(mark)))
		}
	case structure.HeadingBlock:
		if isText {
			return e.retitled(content, len(kinds) == 1)
		}
	case structure.ParagraphBlock:
		if isText && len(kinds) == 1 && !footnote.MatchString(content) {
			return footnote.FindString(e.page.Text[e.of.Start:e.of.End]) + content
		}
	default:
	}
	return content
}

// fill is the block with content in its frame.
func (e blockEdit) fill(f frame, content string) string {
	margin := strings.TrimPrefix(f.margin, e.margin)
	inner := withMargin(content, margin)
	head := strings.TrimSuffix(e.page.Text[e.of.Start:f.start], "\n")
	if f.lines {
		head += "\n"
		inner = margin + inner
	}
	return e.unindented(head) + inner + e.unindented(e.page.Text[f.end:e.textEnd])
}

// isTableRows reports whether each line of a text has a cell of a table.
func isTableRows(text string) bool {
	return !strings.Contains("\n"+text+"\n", "\n\n") && strings.Count(text, "|") > strings.Count(text, "\n")
}

// retitled is text with the marks of the heading: those before it, or the line below it,
// which only one paragraph can have.
func (e blockEdit) retitled(text string, oneParagraph bool) string {
	heading := e.page.Text[e.of.Start:e.of.End]
	if strings.HasPrefix(heading, "#") && !strings.Contains(text, "\n") {
		return heading[:len(heading)-len(strings.TrimLeft(heading, "#"))] + " " + text
	}
	if last := e.page.Lines[e.of.Last]; oneParagraph && e.of.Last > e.of.First {
		return text + "\n" + strings.TrimLeft(e.page.Text[last.Start:last.End], " \t>")
	}
	return text
}

// unindented is a part of the page without the margin of the block.
func (e blockEdit) unindented(text string) string {
	return strings.ReplaceAll(text, "\n"+e.margin, "\n")
}

// items is content as items that go on with the list: with its mark, and the next numbers.
func (e blockEdit) items(content string) string {
	mark, _ := itemMark(e.page.Text[e.of.Start:e.of.End])
	digits := strings.TrimRight(mark, ".) \t")
	added := structure.Read(content, 0)
	if len(added.Blocks) > 0 && added.Blocks[0].Kind == structure.ListBlock {
		theirs, _ := itemMark(content)
		if kindOfMark(mark) == kindOfMark(theirs) {
			return content
		}
	}
	number := 0
	if n, err := strconv.Atoi(digits); err == nil {
		number = n
		if e.Action == Append {
			for _, b := range e.page.Blocks {
				if b.Kind == structure.ItemBlock && e.page.Blocks[b.Parent].Start == e.of.Start && e.page.Blocks[b.Parent].End == e.of.End {
					number++
				}
			}
		}
	}
	var all []string
	for _, text := range splitItems(added, content) {
		m := mark
		if number > 0 {
			m = strconv.Itoa(number) + strings.TrimPrefix(mark, digits)
			number++
		}
		all = append(all, m+withMargin(text, strings.Repeat(" ", len(m))))
	}
	return strings.Join(all, "\n")
}

// kindOfMark is what the marks of all items of a list have in common.
func kindOfMark(mark string) string {
	return strings.TrimLeft(strings.TrimSpace(mark), "0123456789")
}

// splitItems are the items of a list without their marks; of another text it is one.
func splitItems(p structure.Page, content string) (all []string) {
	if len(p.Blocks) == 0 || p.Blocks[0].Kind != structure.ListBlock || p.Blocks[0].Last != len(p.Lines)-1 {
		return []string{content}
	}
	for _, b := range p.Blocks {
		if b.Kind == structure.ItemBlock && b.Parent == 0 {
			mark, _ := itemMark(content[b.Start:])
			text := strings.ReplaceAll(content[b.Start+len(mark):b.End], "\n"+strings.Repeat(" ", len(mark)), "\n")
			all = append(all, text)
		}
	}
	return all
}

// additions put content into the block: at its end, or at its beginning.
func (e blockEdit) additions(atEnd bool) (all []folder.Splice) {
	f, framed := e.frameOf()
	if !framed {
		return e.neighbours(atEnd)
	}
	content := e.Content
	switch e.of.Kind {
	case structure.ListBlock:
		content = e.items(content)
	case structure.QuoteBlock:
		content = unquoted(content)
	default:
	}
	own := strings.TrimPrefix(f.margin, e.margin)
	lines := withMargin(content, f.margin)
	put := func(at int, text string) { all = append(all, folder.Splice{Start: at, End: at, New: text}) }
	isItem := e.of.Kind == structure.ItemBlock
	switch {
	case atEnd:
		put(f.end, "\n"+f.margin+lines)
	case f.lines:
		put(f.start, "\n"+f.margin+lines)
	case isItem:
		_, box := itemMark(e.page.Text[e.of.Start:e.of.End])
		put(f.start+len(box), lines+"\n"+f.margin)
	default:
		put(f.start, own+lines+"\n"+e.margin)
	}
	switch {
	case isItem && !atEnd: // above what it holds
		put(e.id.End, "\n"+f.margin+lines)
	case isItem && atEnd: // below what it holds
		put(e.of.End, "\n"+f.margin+lines)
		put(e.of.End, "\n"+strings.TrimRight(e.margin, " \t")+"\n"+f.margin+lines)
	case e.of.Kind == structure.ParagraphBlock:
		all = append(all, e.neighbours(atEnd)...)
	}
	return all
}

// unquoted is content without the marks of a quote, if all lines have them.
func unquoted(content string) string {
	var lines []string
	for line := range strings.SplitSeq(content, "\n") {
		rest, ok := strings.CutPrefix(line, ">")
		if !ok {
			return content
		}
		lines = append(lines, strings.TrimPrefix(rest, " "))
	}
	return strings.Join(lines, "\n")
}
