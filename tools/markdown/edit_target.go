package markdown

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// A textRange is a part of a page that an edit is about, as byte offsets.
type textRange struct {
	start, end int
	// content is where what the part contains begins: after a heading's line.
	content int
	inline  bool // it is a part of lines
}

// splices are what the edit splices into p.
func (in EditPageIn) splices(p *page) ([]folder.Splice, error) {
	if in.Property != "" {
		return in.propertySplices(p)
	}
	if in.Action == Check || in.Action == Uncheck {
		return in.taskSplices(p)
	}
	if in.Block != "" {
		return in.blockSplices(p)
	}
	ranges, err := in.find(p)
	if err != nil {
		return nil, err
	}
	var all []folder.Splice
	for _, r := range ranges {
		all = append(all, in.splice(p, r))
	}
	return all, nil
}

// splice is the edit at one target.
func (in EditPageIn) splice(p *page, r textRange) folder.Splice {
	text, content := p.text, in.Content
	if r.inline {
		switch in.Action {
		case Append, InsertAfter:
			return folder.Splice{Start: r.end, End: r.end, New: content}
		case Prepend, InsertBefore:
			return folder.Splice{Start: r.start, End: r.start, New: content}
		default:
			return folder.Splice{Start: r.start, End: r.end, New: content}
		}
	}
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	at := r.content
	switch in.Action {
	case Append: // blank lines between this and what follows stay there
		at = r.content + len(strings.TrimRight(text[r.content:r.end], " \t\n"))
		if at == r.content {
			return in.insert(p, at, content)
		}
		if next := strings.IndexByte(text[at:r.end], '\n'); next >= 0 {
			at += next + 1
		} else {
			at = r.end
		}
	case InsertBefore:
		at = r.start
	case InsertAfter:
		at = r.end
	case Replace:
		return replaceLines(text, r.content, r.end, content)
	case Delete:
		return folder.Splice{Start: r.start, End: r.end}
	default: // Prepend
	}
	return in.insert(p, at, content)
}

// insert inserts whole lines, with a blank line before or after them where they would else
// become one block with what stands there. Items go on with a list, and rows with a table.
func (in EditPageIn) insert(p *page, at int, content string) folder.Splice {
	plain := insertLines(p.text, at, content)
	if in.Lines != "" || in.Task != "" {
		return plain
	}
	was := p.structure()
	ids := was.IDs()
	kinds := kindsOf(strings.TrimLeft(content, " \t"))
	isList := len(kinds) > 0 && kinds[0] == structure.ListBlock
	isRows := strings.Count(content, "|") >= strings.Count(content, "\n") && !strings.Contains(content, "\n\n")
	for _, gap := range [][2]string{{}, {"\n", ""}, {"", "\n"}, {"\n", "\n"}} {
		s := insertLines(p.text, at, gap[0]+content+gap[1])
		now := was.Reread(folder.TextAfter(p.text, []folder.Splice{s}), p.body)
		m := editMap{s, len(s.New)}
		if m.keepsIDs(ids, now.IDs()) && m.keepsBlocks(was.Blocks, now.Blocks, at, at, func(b structure.Block) bool {
			return b.End <= at && (isList && b.Kind == structure.ItemBlock || isRows && b.Kind == structure.TableBlock)
		}) {
			return s
		}
	}
	return plain
}

// insertLines inserts whole lines at an offset, which is the beginning of a line or
// the end of the text.
func insertLines(text string, at int, content string) folder.Splice {
	if at > 0 && at == len(text) && text[at-1] != '\n' {
		content = "\n" + strings.TrimSuffix(content, "\n") // a page without a last line break keeps it so
	}
	return folder.Splice{Start: at, End: at, New: content}
}

// replaceLines replaces what a part contains, but for the blank lines around it.
func replaceLines(text string, start, end int, content string) folder.Splice {
	old := text[start:end]
	lead := len(old) - len(strings.TrimLeft(old, "\n"))
	tail := len(strings.TrimRight(old, " \t\n"))
	if tail <= lead {
		return insertLines(text, start, content)
	}
	if end == len(text) && !strings.HasSuffix(old, "\n") {
		content = strings.TrimSuffix(content, "\n")
	} else {
		tail++
	}
	return folder.Splice{Start: start + lead, End: start + tail, New: strings.TrimLeft(content, "\n")}
}

// find is where the target stands in p, in order.
func (t editTarget) find(p *page) ([]textRange, error) {
	lines := p.lines()
	switch {
	case t.Text != "":
		return t.findText(p.text)
	case t.Heading != "":
		return t.findHeading(p.text, lines)
	case t.Block != "":
		return t.findBlock(p)
	case t.Task != "":
		task, err := t.findTask(p.text, lines)
		return []textRange{lineRange(p.text, task.Start, task.End)}, err
	case t.Lines != "":
		return t.findLines(p.text)
	}
	return []textRange{{start: p.body, content: p.body, end: len(p.text)}}, nil
}

// lineRange is a range of whole lines with their line break.
func lineRange(text string, start, end int) textRange {
	return textRange{start: start, content: start, end: min(end+1, len(text))}
}

func (t editTarget) findText(text string) ([]textRange, error) {
	var found []textRange
	var lines []int
	for at := 0; ; {
		i := strings.Index(text[at:], string(t.Text))
		if i < 0 {
			break
		}
		at += i
		found = append(found, textRange{start: at, content: at, end: at + len(t.Text), inline: true})
		if len(lines) < 11 {
			lines = append(lines, strings.Count(text[:at], "\n")+1)
		}
		at += len(t.Text)
	}
	want := max(int(t.Count), 1)
	switch {
	case len(found) == 0:
		e := tools.Errorf(tools.NotFound, "text: the page does not contain %.80q", t.Text)
		if near := nearText(text, string(t.Text)); near != "" {
			return nil, e.WithHint("%s. Give it as it is there.", near)
		}
		return nil, e.WithHint("The text must match exactly; read the page again.")
	case len(found) != want:
		return nil, tools.Errorf(tools.Conflict, "text: occurs %d times and not %d, on lines %s", len(found), want, joinLines(lines)).
			WithHint("Give more of the text, or count: %d to change all of them.", len(found))
	}
	return found, nil
}

func (t editTarget) findHeading(text string, lines []structure.Line) ([]textRange, error) {
	all := structure.Headings(text, lines)
	var found []structure.Heading
	for _, h := range all {
		if h.Matches(t.Heading) {
			found = append(found, h)
		}
	}
	if exact := slices.DeleteFunc(slices.Clone(found), func(h structure.Heading) bool { return !h.Is(t.Heading) }); len(exact) > 0 {
		found = exact
	}
	switch len(found) {
	case 0:
		var names []string
		for _, h := range all[:min(len(all), 20)] {
			names = append(names, h.Text)
		}
		e := tools.Errorf(tools.NotFound, "heading: the page has no heading %.80q", t.Heading)
		if len(names) == 0 {
			return nil, e.WithHint("The page has no headings.")
		}
		return nil, e.WithHint("Its headings are: %s.", safetext.Truncate(strings.Join(names, "; "), 1000))
	case 1:
		return []textRange{{start: found[0].Start, content: found[0].Content, end: found[0].End}}, nil
	}
	var at []int
	for _, h := range found {
		at = append(at, h.Line)
	}
	return nil, tools.Errorf(tools.Conflict, "heading: %d headings match %.80q, on lines %s", len(found), t.Heading, joinLines(at)).
		WithHint("Name the headings above it too, such as Plan#Log.")
}

// findBlock finds the lines of a block with its id.
func (t editTarget) findBlock(p *page) ([]textRange, error) {
	if b, found, err := findGraphBlock(p, t.Block); found || err != nil {
		return []textRange{{start: b.Start, content: b.Start, end: b.End}}, err
	}
	id, err := findBlockID(p.text, p.structure().IDs(), t.Block)
	if err != nil {
		return nil, err
	}
	start := strings.LastIndexByte(p.text[:id.Of.Start], '\n') + 1
	return []textRange{lineRange(p.text, start, max(id.Of.End, id.End))}, nil
}

func (t editTarget) findTask(text string, lines []structure.Line) (structure.Task, error) {
	wanted := index.Fold(strings.TrimSpace(t.Task))
	var same, holding []structure.Task
	for _, task := range structure.Tasks(text, lines) {
		switch s := index.Fold(task.Text); {
		case s == wanted:
			same = append(same, task)
		case strings.Contains(s, wanted):
			holding = append(holding, task)
		}
	}
	if len(same) == 0 {
		same = holding
	}
	switch len(same) {
	case 0:
		return structure.Task{}, tools.Errorf(tools.NotFound, "task: the page has no task with %.80q", t.Task).
			WithHint("Search for other words of the task, or read the page.")
	case 1:
		return same[0], nil
	}
	var at []int
	for _, task := range same {
		at = append(at, task.Line)
	}
	return structure.Task{}, ambiguousError("task", t.Task, at)
}

func (t editTarget) findLines(text string) ([]textRange, error) {
	first, last, several := strings.Cut(strings.TrimSpace(t.Lines), "-")
	from, err := strconv.Atoi(strings.TrimSpace(first))
	to := from
	if several && err == nil {
		to, err = strconv.Atoi(strings.TrimSpace(last))
	}
	if err != nil || from < 1 || to < from {
		return nil, tools.Errorf(tools.Invalid, "lines: must be like 12 or 12-15, got %.40q", t.Lines)
	}
	start, line := 0, 1
	for ; line < from; line++ {
		next := strings.IndexByte(text[start:], '\n')
		if next < 0 {
			start = len(text)
			break
		}
		start += next + 1
	}
	end := start
	for ; line <= to && end < len(text); line++ {
		next := strings.IndexByte(text[end:], '\n')
		if next < 0 {
			end, line = len(text), line+1
			break
		}
		end += next + 1
	}
	if start == len(text) || line <= to {
		count := strings.Count(text, "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			count++
		}
		return nil, tools.Errorf(tools.NotFound, "lines: the page has %d lines", count).WithHint("Read the page again.")
	}
	return []textRange{{start: start, content: start, end: end}}, nil
}

// taskSplices ticks or unticks tasks.
func (in EditPageIn) taskSplices(p *page) ([]folder.Splice, error) {
	lines := p.lines()
	done := in.Action == Check
	if in.Task != "" {
		task, err := in.findTask(p.text, lines)
		if err != nil {
			return nil, err
		}
		return in.tasks.mark(p, task, done), nil
	}
	find := func() ([]textRange, error) { return in.findLines(p.text) }
	if in.Block != "" {
		find = func() ([]textRange, error) { return in.findBlock(p) }
	}
	ranges, err := find()
	if err != nil {
		return nil, err
	}
	var all []folder.Splice
	for _, task := range structure.Tasks(p.text, lines) {
		if in.Block != "" && task.Start != ranges[0].start {
			continue
		}
		if task.Start >= ranges[0].start && task.Start < ranges[0].end {
			all = append(all, in.tasks.mark(p, task, done)...)
		}
	}
	if len(all) == 0 {
		if in.Block != "" {
			return nil, tools.Errorf(tools.NotFound, "block: block %.80s is not a task", in.Block)
		}
		return nil, tools.Errorf(tools.NotFound, "lines: there is no task on lines %s", in.Lines)
	}
	return all, nil
}
