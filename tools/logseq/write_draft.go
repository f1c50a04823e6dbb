package logseq

import (
	"iter"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools"
)

// A draft is a block to be written. assignIDs chooses its uuid before Logseq
// is asked to create it.
type draft struct {
	UUID       UUID       `json:"uuid"`
	Content    string     `json:"content"`
	Properties Properties `json:"properties,omitempty"`
	Keep       []UUID     `json:"keep,omitempty"` // blocks that it refers to, which get an id in their file
	Children   []*draft   `json:"children,omitempty"`
}

const (
	maxDrafts     = 1000 // in one call
	maxDraftDepth = 50
)

// allDrafts iterates over drafts and everything below them, parents first.
func allDrafts(drafts []*draft) iter.Seq[*draft] {
	return func(yield func(*draft) bool) {
		var walk func([]*draft) bool
		walk = func(drafts []*draft) bool {
			for _, d := range drafts {
				if !yield(d) || !walk(d.Children) {
					return false
				}
			}
			return true
		}
		walk(drafts)
	}
}

// countDrafts returns the number of drafts with everything below them.
func countDrafts(drafts []*draft) int {
	n := 0
	for range allDrafts(drafts) {
		n++
	}
	return n
}

func topUUIDs(drafts []*draft) []UUID {
	var uuids []UUID
	for _, d := range drafts {
		uuids = append(uuids, d.UUID)
	}
	return uuids
}

// checkDrafts enforces the limits of one call.
func checkDrafts(argument string, drafts []*draft) error {
	n := countDrafts(drafts)
	switch {
	case n == 0:
		return tools.Errorf(tools.Invalid, "%s: contains no block", argument)
	case n > maxDrafts:
		return tools.Errorf(tools.Invalid, "%s: at most %d blocks in one call, got %d", argument, maxDrafts, n)
	case draftDepth(drafts) > maxDraftDepth:
		return tools.Errorf(tools.Invalid, "%s: at most %d levels of blocks", argument, maxDraftDepth)
	}
	return nil
}

func draftDepth(drafts []*draft) int {
	most := 0
	for _, d := range drafts {
		most = max(most, 1+draftDepth(d.Children))
	}
	return most
}

var (
	listItem    = regexp.MustCompile(`^(\s*)(?:[-*+]|\d{1,3}[.)])(?:\s+(.*))?$`)
	headingLine = regexp.MustCompile(`^(#{1,6})\s+\S`)
	fence       = regexp.MustCompile("^\\s*(```+|~~~+)")
)

// isPropertyLine reports whether line is "name:: value". A regular expression
// over Unicode classes would cost megabytes and milliseconds at every start.
func isPropertyLine(line string) bool {
	name, value, ok := strings.Cut(strings.TrimLeft(line, " \t"), ":: ")
	if !ok || name == "" || value == "" || utf8.RuneCountInString(name) > 100 {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' && r != '-'
	})
}

// An outlineParser converts Markdown to drafts. A list item is a block below
// the item it is indented under, a heading is the parent of what follows, a
// paragraph is a block, fenced code stays whole, and a line "name:: value" is
// a property.
type outlineParser struct {
	roots []*draft
	stack []level
	open  *draft // takes more lines
	fence string // closes the current code block
}

// A level is a draft that may get children. Headings have depth 1 to 6, list
// items 10 plus their indentation.
type level struct {
	depth int
	draft *draft
}

// parseContent converts a Markdown argument to drafts.
func parseContent(argument, text string) ([]*draft, error) {
	o := &outlineParser{}
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		o.parseLine(strings.TrimRight(line, "\n"))
	}
	for d := range allDrafts(o.roots) {
		d.Content = strings.TrimRight(d.Content, "\n ")
	}
	if err := checkDrafts(argument, o.roots); err != nil {
		return nil, err
	}
	for d := range allDrafts(o.roots) {
		if err := d.Properties.check(); err != nil {
			return nil, tools.Errorf(tools.Invalid, "%s: %s", argument, err.Error())
		}
	}
	return o.roots, nil
}

func (o *outlineParser) parseLine(line string) {
	if o.fence != "" {
		o.appendLine(line)
		if strings.HasPrefix(strings.TrimSpace(line), o.fence) {
			o.fence = ""
		}
		return
	}
	item := listItem.FindStringSubmatch(line)
	switch {
	case strings.TrimSpace(line) == "":
		o.open = nil
	case item != nil:
		o.addBlock(10+indentation(item[1]), checkboxAsTask(item[2]))
		o.openFence(item[2])
	case headingLine.MatchString(line):
		o.addBlock(len(headingLine.FindStringSubmatch(line)[1]), line)
	case o.open != nil && isPropertyLine(line):
		if o.open.Properties == nil {
			o.open.Properties = Properties{}
		}
		name, value, _ := strings.Cut(strings.TrimLeft(line, " \t"), ":: ")
		o.open.Properties[name] = strings.TrimSpace(value)
	case o.open != nil:
		o.appendLine(line)
		o.openFence(line)
	default:
		o.addBlock(10+indentation(line[:len(line)-len(strings.TrimLeft(line, " \t"))]), strings.TrimSpace(line))
		o.openFence(line)
	}
}

// checkboxAsTask gives an item with a box the marker of a task. On a DB graph the
// plugin makes a status of it.
func checkboxAsTask(item string) string {
	for box, marker := range map[string]string{"[ ] ": "TODO ", "[x] ": "DONE ", "[X] ": "DONE "} {
		if text, ok := strings.CutPrefix(item, box); ok && strings.TrimSpace(text) != "" {
			return marker + text
		}
	}
	return item
}

// addBlock starts a block at a depth.
func (o *outlineParser) addBlock(depth int, content string) {
	d := &draft{Content: content}
	for len(o.stack) > 0 && o.stack[len(o.stack)-1].depth >= depth {
		o.stack = o.stack[:len(o.stack)-1]
	}
	if len(o.stack) == 0 {
		o.roots = append(o.roots, d)
	} else {
		parent := o.stack[len(o.stack)-1].draft
		parent.Children = append(parent.Children, d)
	}
	o.stack = append(o.stack, level{depth, d})
	o.open = d
}

// appendLine adds a line to the open block, without the indentation of its
// item.
func (o *outlineParser) appendLine(line string) {
	indent := o.stack[len(o.stack)-1].depth - 10
	for range indent + 2 {
		if line == "" || line[0] != ' ' {
			break
		}
		line = line[1:]
	}
	if o.open.Content != "" {
		o.open.Content += "\n"
	}
	if o.fence == "" {
		line = strings.TrimLeft(line, " \t")
	}
	o.open.Content += line
}

func (o *outlineParser) openFence(line string) {
	if m := fence.FindStringSubmatch(line); m != nil {
		o.fence = m[1]
	}
}

// indentation is the width of blanks; a tab counts as four.
func indentation(blank string) int {
	return len(blank) + 3*strings.Count(blank, "\t")
}
