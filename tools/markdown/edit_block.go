package markdown

import (
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// A blockEdit is an edit of a block by its id. How a block can be written depends on what
// stands around it, so an edit has candidates: the first that leaves everything else as it
// is, and the id at its block, is made.
type blockEdit struct {
	EditPageIn

	page structure.Page
	body int
	id   structure.BlockID
	of   structure.Block // what the id names
	// textEnd is where the text of the block ends, before the id if that stands behind it.
	// end is that of the block with all its ids.
	textEnd, end int
	// first is what stands before the block on its first line, margin on the others.
	first, margin string
}

// blockSplices is what an edit by a block id changes.
func (in EditPageIn) blockSplices(p *page) ([]folder.Splice, error) {
	if b, found, err := findGraphBlock(p, in.Block); found || err != nil {
		if err != nil {
			return nil, err
		}
		return in.graphSplices(p, b)
	}
	e := blockEdit{EditPageIn: in, page: p.structure(), body: p.body}
	ids := e.page.IDs()
	id, err := findBlockID(p.text, ids, in.Block)
	if err != nil {
		return nil, err
	}
	e.id, e.of, e.textEnd, e.end = id, id.Of, id.Of.End, id.Of.End
	if pastBlanks(p.text, id.End) == e.end && id.Start >= e.of.Start {
		e.textEnd = id.Start
	}
	for _, other := range ids {
		if other.Of == e.of {
			e.end = max(e.end, pastBlanks(p.text, other.End))
		}
	}
	e.first = p.text[strings.LastIndexByte(p.text[:e.of.Start], '\n')+1 : e.of.Start]
	e.margin = strings.Map(func(r rune) rune {
		if strings.ContainsRune("> \t", r) {
			return r
		}
		return ' '
	}, e.first)
	e.Content = e.withoutMargin(strings.Trim(in.Content, "\n"))
	if err := e.checkOwnIDs(ids); err != nil {
		return nil, err
	}
	if kinds := kindsOf(e.framed(e.Content)); e.Action == Replace && len(kinds) > 1 && !isPart(e.of.Kind) && !hasID(e.Content, id.Name) {
		return nil, tools.Errorf(tools.Invalid, "content: ^%s can name one block, and these are %d", id.Name, len(kinds)).
			WithHint("Replace it with one and add the others by insert_after, or put ^%s behind the one that it shall name.", id.Name)
	}
	for _, s := range e.candidates() {
		if e.keeps(ids, s) {
			return []folder.Splice{s}, nil
		}
	}
	return nil, tools.Errorf(tools.Invalid, "block: the edit would change what ^%s names, or what else is on the page", id.Name).
		WithHint("Give all of a block of that kind, closed if it has an end; or edit it with lines or text as the target.")
}

// checkOwnIDs refuses content with the id of another block.
func (e blockEdit) checkOwnIDs(ids []structure.BlockID) error {
	for _, own := range structure.Read(e.Content, 0).IDs() {
		for _, other := range ids {
			replaced := e.Action == Replace && other.Start >= e.of.Start && other.End <= e.end
			if strings.EqualFold(own.Name, other.Name) && other.Name != e.id.Name && !replaced {
				return tools.Errorf(tools.Invalid, "content: ^%s is the id of another block, on line %d", own.Name, other.Line)
			}
		}
	}
	return nil
}

// pastBlanks is an offset behind the blanks that stand there.
func pastBlanks(text string, at int) int {
	return len(text) - len(strings.TrimLeft(text[at:], " \t"))
}

// findBlockID finds an id; the spelling counts only where several differ in nothing else.
func findBlockID(text string, ids []structure.BlockID, block string) (structure.BlockID, error) {
	name := strings.TrimPrefix(block, "^")
	found := slices.DeleteFunc(slices.Clone(ids), func(id structure.BlockID) bool { return !strings.EqualFold(id.Name, name) })
	if exact := slices.DeleteFunc(slices.Clone(found), func(id structure.BlockID) bool { return id.Name != name }); len(exact) > 0 {
		found = exact
	}
	switch len(found) {
	case 0:
		e := tools.Errorf(tools.NotFound, "block: the page has no block ^%.80s", name)
		if at := strings.Index(text, "^"+name); at >= 0 {
			return structure.BlockID{}, e.WithHint("On line %d it is not an id: it is in code, or not at the end of a paragraph, item or heading.",
				strings.Count(text[:at], "\n")+1)
		}
		return structure.BlockID{}, e
	case 1:
		return found[0], nil
	}
	var at []int
	for _, id := range found {
		at = append(at, id.Line)
	}
	return structure.BlockID{}, ambiguousError("block", name, at)
}

// withoutMargin takes away what stands before the block on each line, if content has it too,
// as what read_page answers does. A quote keeps a mark of its own.
func (e blockEdit) withoutMargin(content string) string {
	var lines []string
	for i, line := range strings.Split(content, "\n") {
		rest, ok := strings.CutPrefix(line, e.margin)
		if i == 0 && !ok {
			rest, ok = strings.CutPrefix(line, e.first)
		}
		if !ok && strings.TrimRight(line, " \t") != strings.TrimRight(e.margin, " \t") && strings.TrimSpace(line) != "" {
			return content
		}
		lines = append(lines, rest)
	}
	if without := strings.Join(lines, "\n"); e.of.Kind != structure.QuoteBlock || strings.HasPrefix(without, ">") {
		return without
	}
	return content
}

// withMargin puts a margin before the lines of a text but the first.
func withMargin(text, margin string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines[1:] {
		if lines[i+1] = margin + line; strings.TrimSpace(line) == "" {
			lines[i+1] = strings.TrimRight(margin+line, " \t")
		}
	}
	return strings.Join(lines, "\n")
}

// candidates are what may be written, best first.
func (e blockEdit) candidates() []folder.Splice {
	switch e.Action {
	case Replace:
		return e.replacements()
	case Append:
		return e.additions(true)
	case Prepend:
		return e.additions(false)
	case InsertBefore, InsertAfter:
		return e.neighbours(e.Action == InsertAfter)
	default: // Delete
		return e.deletions()
	}
}

// blank is a blank line of the margin.
func (e blockEdit) blank() string { return "\n" + strings.TrimRight(e.margin, " \t") }

// neighbours put content beside the block, with blank lines between where they are needed.
func (e blockEdit) neighbours(after bool) (all []folder.Splice) {
	at, content, next := e.of.Start, withMargin(e.Content, e.margin), "\n"+e.margin
	if after {
		for _, more := range [][2]string{{next, ""}, {e.blank() + next, ""}, {next, e.blank()}, {e.blank() + next, e.blank()}} {
			all = append(all, folder.Splice{Start: e.end, End: e.end, New: more[0] + content + more[1]})
		}
		return all
	}
	for _, more := range []string{next, e.blank() + next} {
		all = append(all, folder.Splice{Start: at, End: at, New: content + more})
	}
	if e.first == e.margin { // a blank line before it too
		at -= len(e.first)
		above := strings.TrimPrefix(e.blank(), "\n") + next
		for _, more := range []string{"\n", e.blank() + "\n"} {
			all = append(all, folder.Splice{Start: at, End: at, New: above + content + more})
		}
	}
	return all
}

// deletions take the block away with its id, and one of two blank lines that then meet.
func (e blockEdit) deletions() []folder.Splice {
	text := e.page.Text
	if e.first != e.margin { // the mark of an item stands before it
		return []folder.Splice{{Start: e.of.Start, End: e.end}}
	}
	from, to := e.of.Start-len(e.first), min(e.end+1, len(text))
	plain := folder.Splice{Start: from, End: to}
	tidy := plain
	above := strings.TrimSuffix(text[e.body:from], "\n")
	isBlank := from == e.body || strings.TrimSpace(above[strings.LastIndexByte(above, '\n')+1:]) == ""
	below, _, more := strings.Cut(text[to:], "\n")
	switch {
	case isBlank && more && strings.TrimSpace(below) == "":
		tidy.End += len(below) + 1
	case isBlank && to == len(text) && from > e.body:
		tidy.Start = e.body + strings.LastIndexByte(above, '\n') + 1
	}
	return []folder.Splice{tidy, plain, {Start: from, End: to, New: strings.TrimPrefix(e.blank(), "\n") + "\n"}}
}

// replacements put content in the place of the block's text. The id stays where it is, or
// else moves to the end of what it names, or below.
func (e blockEdit) replacements() (all []folder.Splice) {
	if strings.TrimSpace(e.Content) == "" {
		return nil
	}
	now := e.framed(e.Content)
	name, text := "^"+e.id.Name, e.page.Text
	put := func(end int, now string) {
		all = append(all, folder.Splice{Start: e.of.Start, End: end, New: withMargin(now, e.margin)})
	}
	if hasID(now, e.id.Name) {
		put(max(e.textEnd, e.id.End), now)
		return all
	}
	if kinds := kindsOf(now); e.of.Kind == structure.ListBlock && len(kinds) == 1 && kinds[0] == structure.ParagraphBlock {
		put(max(e.of.End, e.id.End), now+" "+name)
	}
	if e.id.Start >= e.textEnd {
		put(e.textEnd, now)
	}
	if e.id.Start >= e.of.Start && e.id.Start <= e.of.End {
		if at := placeOfID(now, e.of.Kind); at >= 0 {
			written := text[e.id.Start:e.id.End]
			if strings.Contains(written, "\n") {
				written = " " + name
			}
			put(max(e.of.End, e.id.End), now[:at]+written+now[at:])
		}
	}
	put(max(e.of.End, e.id.End), now+"\n\n"+name)
	return all
}

func hasID(text, name string) bool {
	return slices.ContainsFunc(structure.Read(text, 0).IDs(), func(id structure.BlockID) bool { return id.Name == name })
}

// placeOfID is where in a text the id of its first block can stand at the end of a line;
// -1: nowhere.
func placeOfID(text string, kind structure.Kind) int {
	p := structure.Read(text, 0)
	at := 0
	if kind == structure.ItemBlock {
		at = 2 // in the list, and in the item
	}
	if at >= len(p.Blocks) {
		return -1
	}
	switch b := p.Blocks[at]; b.Kind {
	case structure.ParagraphBlock:
		return b.End
	case structure.HeadingBlock:
		return len(strings.TrimRight(text[:p.Lines[max(b.First, b.Last-1)].End], " \t"))
	default:
		return -1
	}
}
