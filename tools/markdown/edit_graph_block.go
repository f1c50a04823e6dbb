package markdown

import (
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// findGraphBlock finds a block of Logseq by its property id, as it is or as references
// write it. It is false if the page has no such block.
func findGraphBlock(p *page, id string) (b structure.GraphBlock, found bool, err error) {
	if p.graph == nil {
		return b, false, nil
	}
	id = graphBlockID(id)
	blocks := slices.DeleteFunc(p.structure().GraphBlocks(), func(b structure.GraphBlock) bool { return !strings.EqualFold(b.ID, id) })
	switch len(blocks) {
	case 0:
		return b, false, nil
	case 1:
		return blocks[0], true, nil
	}
	var at []int
	for _, b := range blocks {
		at = append(at, b.Line)
	}
	return b, true, ambiguousError("block", id, at)
}

// graphBlockID is the id in ((id)) or ^id.
func graphBlockID(written string) string {
	return strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(written, "(("), "))"), "^")
}

// isGraphReference reports whether a part of a page is written as a reference to a block.
func isGraphReference(part string) bool {
	return strings.HasPrefix(part, "((") && strings.HasSuffix(part, "))")
}

// A graphEdit is an edit of a block of Logseq.
type graphEdit struct {
	EditPageIn

	text   string
	block  structure.GraphBlock
	indent string // of the bullet
}

// graphSplices is what an edit of a block of Logseq changes. What replaces it keeps its
// properties, and the blocks below it unless there are others in their place.
func (in EditPageIn) graphSplices(p *page, b structure.GraphBlock) ([]folder.Splice, error) {
	e := graphEdit{EditPageIn: in, text: p.text, block: b, indent: p.text[b.Start:b.Mark]}
	content := strings.Trim(in.Content, "\n")
	if in.Action != Delete && strings.TrimSpace(content) == "" {
		return nil, tools.Errorf(tools.Invalid, "content: must not be empty")
	}
	switch in.Action {
	case Delete:
		return e.splice(b.Start, b.End, ""), nil
	case InsertBefore:
		return e.splice(b.Start, b.Start, e.blocks(content, e.indent)), nil
	case InsertAfter:
		return e.splice(b.End, b.End, e.blocks(content, e.indent)), nil
	case Replace, Check, Uncheck: // see below
	case Append, Prepend:
		at, below := b.End, e.indentBelow()
		if in.Action == Prepend {
			at = b.Own
		}
		if isBullet(content) {
			return e.splice(at, at, e.blocks(content, below)), nil
		}
	}
	own := e.text[b.Text:b.Own]
	_, properties := e.splitProperties(own)
	var lines []string
	switch in.Action {
	case Append:
		lines = append(e.lines(own), strings.Split(content, "\n")...)
	case Prepend:
		lines = append(strings.Split(content, "\n"), e.lines(own)...)
	case Replace, Delete, InsertBefore, InsertAfter, Check, Uncheck:
		return e.replace(content, properties)
	}
	return e.splice(b.Start, b.Own, e.written(lines, properties)), nil
}

// replace puts another block in the place of one whose properties are these.
func (e graphEdit) replace(content string, properties []string) ([]folder.Splice, error) {
	written := structure.ReadGraph(e.blocks(content, ""), 0)
	all := written.GraphBlocks()
	roots := 0
	for _, other := range all {
		if other.Mark == other.Start {
			roots++
		}
	}
	if roots != 1 {
		return nil, tools.Errorf(tools.Invalid, "content: %d blocks cannot stand in the place of one", roots).
			WithHint("Replace it with one, and add the others by insert_after.")
	}
	first := written.Text[all[0].Text:all[0].Own]
	lines := e.lines(first)
	if strings.Contains(first, "id:: ") {
		_, properties = e.splitProperties(first)
	}
	if below := written.Text[all[0].Own:]; below != "" {
		return e.splice(e.block.Start, e.block.End, e.written(lines, properties)+e.blocks(below, e.indentBelow())), nil
	}
	return e.splice(e.block.Start, e.block.Own, e.written(lines, properties)), nil
}

// splice changes whole lines. A page without a last line break keeps it so.
func (e graphEdit) splice(start, end int, text string) []folder.Splice {
	broken := strings.HasSuffix(e.text, "\n") || e.text == ""
	switch {
	case !broken && end == len(e.text) && start == end:
		text = "\n" + strings.TrimSuffix(text, "\n")
	case !broken && end == len(e.text) && text == "" && start > 0:
		start--
	case !broken && end == len(e.text):
		text = strings.TrimSuffix(text, "\n")
	}
	return []folder.Splice{{Start: start, End: end, New: text}}
}

func isBullet(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return line == "-" || strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
}

// blocks are the lines of content as blocks that are indented so. Text becomes a block.
func (e graphEdit) blocks(content, indent string) string {
	lines := strings.Split(strings.TrimRight(content, "\n"), "\n")
	if !isBullet(lines[0]) {
		lines[0] = "- " + lines[0]
		for i := range lines[1:] {
			lines[i+1] = "  " + lines[i+1]
		}
	}
	had := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	for i, line := range lines {
		lines[i] = indent + strings.TrimPrefix(line, had)
	}
	return strings.Join(lines, "\n") + "\n"
}

// indentBelow is how blocks below this one are indented.
func (e graphEdit) indentBelow() string {
	below := e.text[e.block.Own:e.block.End]
	if blanks := below[:len(below)-len(strings.TrimLeft(below, " \t"))]; below != "" {
		return blanks
	}
	return e.indent + "\t"
}

// splitProperties are the lines of a block's own text that are properties or the dates of a task, and
// the others, without what stands before them.
func (e graphEdit) splitProperties(own string) (lines, properties []string) {
	for i, line := range strings.Split(strings.TrimSuffix(own, "\n"), "\n") {
		if i > 0 {
			cut := min(len(line)-len(strings.TrimLeft(line, " \t")), len(e.indent)+2)
			line = line[cut:]
		}
		if _, is := logseqfile.ReadProperty(line, 0); i > 0 && (is || structure.IsPlanning(line)) {
			properties = append(properties, line)
		} else {
			lines = append(lines, line)
		}
	}
	return lines, properties
}

func (e graphEdit) lines(own string) []string {
	lines, _ := e.splitProperties(own)
	return lines
}

// written is the block's own text anew: its properties come below its first line.
func (e graphEdit) written(lines, properties []string) string {
	all := slices.Concat(lines[:1], properties, lines[1:])
	return e.text[e.block.Start:e.block.Text] + strings.Join(all, "\n"+e.indent+"  ") + "\n"
}
