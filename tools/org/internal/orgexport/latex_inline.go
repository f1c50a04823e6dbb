package orgexport

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
)

var latexSpecial = regexp.MustCompile(`\\-|[\\%$#&{}~^_]|\b(?:La)?TeX\b`)

// protect writes characters that LaTeX would take for its own.
func (l *latexWriter) protect(s string) string {
	return latexSpecial.ReplaceAllStringFunc(s, func(m string) string {
		switch m {
		case `\-`:
			if l.set.special {
				return m
			}
			return `$\backslash$-`
		case `\`:
			return `$\backslash$`
		case "~":
			return `\textasciitilde{}`
		case "^":
			return `\^{}`
		case "LaTeX", "TeX":
			return `\` + m + "{}"
		}
		return `\` + m
	})
}

func (l *latexWriter) plainText(s string) string {
	s = l.protect(s)
	if l.set.smartQuotes {
		s = smartQuotes(s, [4]string{"``", "''", "`", "'"})
	}
	if l.set.special {
		s = strings.ReplaceAll(s, "...", `\ldots{}`)
	}
	if l.set.breaks {
		s = strings.ReplaceAll(s, "\n", "\\\\\n")
	}
	return s
}

// codeSpan writes what stands between "=" or "~".
func (l *latexWriter) codeSpan(s string) string {
	s = latexCode.ReplaceAllStringFunc(s, func(m string) string {
		switch m {
		case `\`:
			return `\textbackslash{}`
		case "~":
			return `\textasciitilde{}`
		case "^":
			return `\textasciicircum{}`
		case "--":
			return "-{}-"
		}
		return `\` + m
	})
	return `\texttt{` + s + "}"
}

var latexCode = regexp.MustCompile(`[\\%$#&{}~^_]|--`)

func (l *latexWriter) object(n *node, text []byte, contents string) string {
	command := func(name string) string { return `\` + name + "{" + contents + "}" }
	switch n.Kind {
	case orgelement.Bold:
		return command("textbf")
	case orgelement.Italic:
		return command("emph")
	case orgelement.Underline:
		return command("uline")
	case orgelement.StrikeThrough:
		return command("sout")
	case orgelement.Code, orgelement.Verbatim:
		return l.codeSpan(n.Value)
	case orgelement.Subscript:
		return command("textsubscript")
	case orgelement.Superscript:
		return command("textsuperscript")
	case orgelement.StatisticsCookie:
		return strings.ReplaceAll(n.Value, "%", `\%`)
	case orgelement.LineBreak:
		return "\\\\\n"
	case orgelement.Entity:
		e, _ := orgelement.LookUpEntity(n.Key)
		if e.Math {
			return `\(` + e.Latex + `\)`
		}
		return e.Latex
	case orgelement.LatexFragment:
		return l.fragment(n.Value)
	case orgelement.Timestamp:
		return `\textit{` + l.plainText(canonicalTimestamp(n.Value)) + "}"
	case orgelement.ExportSnippet:
		if strings.EqualFold(n.Key, "latex") {
			return n.Value
		}
	case orgelement.InlineSource:
		return l.codeSpan(n.Value)
	case orgelement.Target:
		return `\label{` + l.targetAnchor(n.Value) + "}"
	case orgelement.RadioTarget:
		return `\label{` + l.targetAnchor(n.Value) + "}" + contents
	case orgelement.FootnoteReference:
		return `\textsuperscript{,}\,`
	case orgelement.Citation:
		return l.plainText(string(text[n.Span.Start:n.Span.End]))
	default: // text, links and macros are the inliner's, and elements are not objects
	}
	return ""
}

func (l *latexWriter) fragment(code string) string {
	switch {
	case !l.set.tex:
		return l.protect(code)
	case strings.HasPrefix(code, "$$"):
		return `\[` + code[2:len(code)-2] + `\]`
	case strings.HasPrefix(code, "$"):
		return `\(` + code[1:len(code)-1] + `\)`
	}
	return code
}

func (l *latexWriter) noteReference(note *footnote, first bool) string {
	if !first {
		l.repeated[note.number] = true
		return `\textsuperscript{\ref{` + noteLabel(note.number) + "}}"
	}
	var text string
	if note.isInline {
		text = l.objects(l.text, note.inline, orgelement.InText)
	} else {
		text = l.elements(note.elements)
	}
	if l.inTable {
		l.below += fmt.Sprintf(`\footnotetext[%d]{\label{%s}%s}`, note.number, noteLabel(note.number), trimBlanks(text))
		l.repeated[note.number] = true
		return `\footnotemark`
	}
	return `\footnote{` + trimBlanks(text) + `\label{` + noteLabel(note.number) + "}}"
}

var latexURL = regexp.MustCompile(`[#%&_${}~^\\]`)

func (l *latexWriter) link(r resolvedLink) string {
	desc := r.description
	if r.linked != nil {
		desc = l.graphics(*r.linked)
	}
	switch r.kind {
	case "image":
		if r.link.Type == "file" {
			return l.image(r)
		}
		return latexHref(r.url, "")
	case "url":
		to := r.url
		if strings.Contains(to, ":") {
			to = r.link.Raw
		}
		if r.link.Type == "info" {
			to = r.link.Path
		}
		return latexHref(to, desc)
	case "file":
		to := r.url
		if strings.HasPrefix(to, "/") || strings.HasPrefix(to, "~") {
			to = "file://" + to
		}
		return latexHref(to, desc)
	case "coderef":
		return r.codeText()
	case "heading":
		label := "sec:" + r.heading.ref
		if desc == "" && r.heading.number == nil { // there is no number to refer to
			desc = l.objects(l.text, r.heading.title, orgelement.InDescription)
			return `\hyperref[` + label + "]{" + desc + "}"
		}
		return latexReference(label, desc)
	case "target":
		label := r.target.anchor
		if r.target.node != nil {
			label = l.label(r.target.node, label)
		}
		return latexReference(label, desc)
	}
	return "[BROKEN LINK: " + l.plainText(r.url) + "]"
}

// latexHref writes a link that leaves the document. One without a description
// shows where it leads.
func latexHref(to, desc string) string {
	to = latexURL.ReplaceAllStringFunc(to, escapeLatexURL)
	if desc == "" {
		return `\url{` + to + "}"
	}
	return `\href{` + to + "}{" + desc + "}"
}

// latexReference writes a link to a label. One without a description shows the
// number of what has the label.
func latexReference(label, desc string) string {
	if desc == "" {
		return `\ref{` + label + "}"
	}
	return `\hyperref[` + label + "]{" + desc + "}"
}

func escapeLatexURL(s string) string {
	switch s {
	case "~":
		return `\~`
	case `\`:
		return `\textbackslash{}`
	case "^":
		return `\^{}`
	}
	return `\` + s
}

func (l *latexWriter) image(r resolvedLink) string {
	return "\\begin{center}\n" + l.graphics(r) + "\n\\end{center}"
}

func (l *latexWriter) graphics(r resolvedLink) string {
	path := r.url
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") {
		path = "file://" + path
	}
	command := `\includegraphics[width=.9\linewidth]{` + strings.TrimPrefix(path, "file://") + "}"
	if before, ok := strings.CutSuffix(path, ".svg"); ok {
		command = `\includesvg[width=.9\linewidth]{` + before + "}"
	}
	return command
}
