package logseqfile

import (
	"regexp"
	"strings"
	"time"
)

// A Template is a block of a page that new pages or blocks can begin with.
type Template struct {
	text string // as it stands at the top of a page
}

// FindTemplate finds the block with template:: name in the text of a page: the block
// without the properties that make it a template, and the blocks below it, or these
// alone if it says template-including-parent:: false.
func FindTemplate(text, name string) (Template, bool) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		p, ok := ReadProperty(strings.TrimPrefix(strings.TrimLeft(line, " \t"), "- "), 0)
		if !ok || p.Key != "template" || !strings.EqualFold(strings.TrimSpace(p.Value), strings.TrimSpace(name)) {
			continue
		}
		first := i
		for first >= 0 && !isBlock(lines[first]) {
			first--
		}
		if first < 0 { // it stands before the first block
			continue
		}
		end := first + 1
		for end < len(lines) && (!isBlock(lines[end]) || indentation(lines[end]) > indentation(lines[first])) {
			end++
		}
		return newTemplate(lines[first:end]), true
	}
	return Template{}, false
}

// newTemplate reads the lines of a block and of those below it.
func newTemplate(lines []string) Template {
	children := 1
	for children < len(lines) && !isBlock(lines[children]) {
		children++
	}
	var own []string
	withParent := true
	for _, line := range lines[:children] {
		p, ok := ReadProperty(strings.TrimPrefix(strings.TrimLeft(line, " \t"), "- "), 0)
		switch {
		case ok && p.Key == "template":
		case ok && p.Key == "template-including-parent":
			withParent = !strings.EqualFold(strings.TrimSpace(p.Value), "false")
		default:
			own = append(own, line)
		}
	}
	kept := lines[children:]
	if withParent {
		if len(own) == 0 || !isBlock(own[0]) { // the first line was a property
			own = append([]string{leading(lines[0]) + "-"}, own...)
		}
		kept = append(own, kept...)
	}
	if len(kept) == 0 {
		return Template{}
	}
	lead := leading(kept[0])
	var b strings.Builder
	for _, line := range kept {
		b.WriteString(strings.TrimPrefix(line, lead) + "\n")
	}
	return Template{b.String()}
}

// isBlock reports whether a line begins a block.
func isBlock(line string) bool {
	rest := strings.TrimLeft(line, " \t")
	return rest == "-" || strings.HasPrefix(rest, "- ")
}

func leading(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// indentation is how far a line is indented; a tab counts as four blanks.
func indentation(line string) (n int) {
	for _, r := range leading(line) {
		if n++; r == '\t' {
			n += 3
		}
	}
	return n
}

var templateVariable = regexp.MustCompile(`<%\s*([^%<>]+?)\s*%>`)

// Fill is the text of a template for a page with this title, at a time. Variables whose
// meaning is not known stay.
func (t Template) Fill(g *Graph, title string, now time.Time) string {
	return templateVariable.ReplaceAllStringFunc(t.text, func(written string) string {
		day := func(at time.Time) string { return "[[" + g.Canonical(at.Format(time.DateOnly)) + "]]" }
		switch strings.ToLower(templateVariable.FindStringSubmatch(written)[1]) {
		case "today":
			return day(now)
		case "yesterday":
			return day(now.AddDate(0, 0, -1))
		case "tomorrow":
			return day(now.AddDate(0, 0, 1))
		case "time":
			return now.Format("15:04")
		case "current page":
			return "[[" + title + "]]"
		}
		return written
	})
}
