package orgexport

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
)

// fill breaks text into lines of the present width. As in Emacs no line is broken
// behind a full stop that one space follows.
func (p *plainWriter) fill(text string) string {
	var out []string
	for part := range strings.SplitSeq(text, hardBreak) {
		if p.set.breaks {
			out = append(out, part)
			continue
		}
		out = append(out, fillLine(part, max(10, p.width)))
	}
	return strings.Join(out, "\n")
}

func fillLine(text string, columns int) string {
	var words []string // with what may not be broken joined
	var sentence bool
	for line := range strings.SplitSeq(text, "\n") {
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
		for i, word := range fields {
			joined := len(words) > 0 && i > 0 && strings.HasSuffix(fields[i-1], ".") && !strings.Contains(line, fields[i-1]+"  "+word)
			switch {
			case joined:
				words[len(words)-1] += " " + word
			case sentence && i == 0:
				words[len(words)-1] += " "
				words = append(words, word)
			default:
				words = append(words, word)
			}
		}
		trimmed := strings.TrimRight(line, "\"')]}")
		sentence = len(fields) > 0 && strings.ContainsAny(trimmed[max(0, len(trimmed)-1):], ".?!")
	}
	var b strings.Builder
	at := 0
	for i, word := range words {
		size := width(strings.TrimRight(word, " "))
		switch {
		case i == 0:
		case at+1+size > columns:
			b.WriteString("\n")
			at = 0
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += width(word)
	}
	return b.String()
}

var plainSpecial = strings.NewReplacer(`\-`, "\u00ad", "---", "—", "--", "–", "...", "…")

func (p *plainWriter) plainText(s string) string {
	if p.set.smartQuotes {
		s = smartQuotes(s, [4]string{"“", "”", "‘", "’"})
	}
	if p.set.special {
		s = plainSpecial.Replace(s)
	}
	return s
}

func (p *plainWriter) object(n *node, text []byte, contents string) string {
	switch n.Kind {
	case orgelement.Bold:
		return "*" + contents + "*"
	case orgelement.Italic:
		return "/" + contents + "/"
	case orgelement.Underline:
		return "_" + contents + "_"
	case orgelement.StrikeThrough:
		return "+" + contents + "+"
	case orgelement.Code, orgelement.Verbatim, orgelement.InlineSource:
		return "`" + n.Value + "'"
	case orgelement.Subscript, orgelement.Superscript:
		mark := "_"
		if n.Kind == orgelement.Superscript {
			mark = "^"
		}
		if n.Key == "{" {
			return mark + "{" + contents + "}"
		}
		return mark + contents
	case orgelement.LineBreak:
		return hardBreak
	case orgelement.Entity:
		e, _ := orgelement.LookUpEntity(n.Key)
		return e.Plain
	case orgelement.LatexFragment, orgelement.StatisticsCookie:
		return n.Value
	case orgelement.Timestamp:
		return p.plainText(canonicalTimestamp(n.Value))
	case orgelement.ExportSnippet:
		if strings.EqualFold(n.Key, "ascii") {
			return n.Value
		}
	case orgelement.RadioTarget:
		return contents
	case orgelement.Citation:
		return string(text[n.Span.Start:n.Span.End])
	default: // targets leave nothing; text, links and macros are the inliner's
	}
	return ""
}

func (p *plainWriter) noteReference(note *footnote, first bool) string {
	return fmt.Sprintf("[%d]", note.number)
}

// addLink keeps what a link leads to for the end of the section.
func (p *plainWriter) addLink(text string) {
	if !p.linkSeen[text] {
		p.linkSeen[text] = true
		p.links = append(p.links, text)
	}
}

func (p *plainWriter) link(l resolvedLink) string {
	desc := l.description
	switch l.kind {
	case "coderef":
		return l.codeText()
	case "heading", "target":
		return p.internalLink(l)
	case "broken":
		return "[BROKEN LINK: " + p.plainText(l.url) + "]"
	}
	if desc == "" {
		return "<" + l.link.Raw + ">"
	}
	if p.inNote {
		return "[" + desc + "] (<" + l.link.Raw + ">)"
	}
	p.addLink("[" + desc + "] <" + l.link.Raw + ">")
	return "[" + desc + "]"
}

// internalLink writes a link to a heading or a target. One without a description
// is the number or title of what it leads to; for others the end of the section
// says that.
func (p *plainWriter) internalLink(l resolvedLink) string {
	var to string
	if l.heading != nil {
		to = p.headingReference(l.heading)
	} else {
		to = p.targetText(l.target)
	}
	if l.description == "" {
		return to
	}
	if l.heading != nil {
		to = "See section " + to
	} else if to != "" {
		to = "See " + targetKind(l.target) + " " + to
	}
	p.addLink("[" + l.description + "] " + to)
	return "[" + l.description + "]"
}

func (p *plainWriter) headingReference(h *heading) string {
	if h.number != nil {
		return h.numberText()
	}
	return p.objects(p.text, h.title, orgelement.InDescription)
}

// targetKind says what a target is: the place where it stands, if it is a bare one.
func targetKind(t *target) string {
	if t.node == nil {
		return "section"
	}
	kinds := map[orgelement.Kind]string{orgelement.Table: "table", orgelement.SourceBlock: "listing", orgelement.LatexEnvironment: "equation"}
	return cmp.Or(kinds[t.node.Kind], "figure")
}

func (p *plainWriter) targetText(t *target) string {
	if t.node != nil {
		return strconv.Itoa(t.ordinal)
	}
	for s := t.heading; s != nil; s = s.parent {
		if s.number != nil {
			return s.numberText()
		}
	}
	return ""
}
