package markdown

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// outlinePart is the part of a page that is its headings.
const outlinePart = "outline"

// readPart puts a section, a block or the outline of the page into the answer.
func (out *ReadPageOut) readPart(p *page, in ReadPageIn) error {
	if in.Offset > 0 || in.Limit > 0 {
		return tools.Errorf(tools.Invalid, "part: goes without offset and limit")
	}
	if in.Part == outlinePart {
		out.part(p.outline(), 0, 0)
		out.Lines, out.Truncated = countLines(p.text), true
		return nil
	}
	target := editTarget{Heading: in.Part}
	if id, ok := strings.CutPrefix(in.Part, "^"); ok {
		target = editTarget{Block: id}
	} else if p.graph != nil && isGraphReference(in.Part) {
		target = editTarget{Block: in.Part}
	}
	found, err := target.find(p)
	if err != nil {
		return err
	}
	from := strings.Count(p.text[:found[0].start], "\n")
	out.part(p.text, from, max(countLines(p.text[found[0].start:found[0].end]), 1))
	return nil
}

// outline lists the headings of a page with the lines of their sections.
func (p *page) outline() string {
	var b strings.Builder
	lines := p.lines()
	for _, h := range structure.Headings(p.text, lines) {
		fmt.Fprintf(&b, "%s %s (lines %d-%d)\n", strings.Repeat("#", h.Level), h.Text, h.Line, countLines(p.text[:h.End]))
	}
	return b.String()
}

// countLines counts a last line without a line break too.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
