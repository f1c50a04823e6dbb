package orgexport

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
)

// A latexWriter writes LaTeX as ox-latex does.
type latexWriter struct {
	*document
	inliner
	nested   int          // lists that the text stands in
	repeated map[int]bool // notes that are referred to more than once
	inTable  bool         // where a note's text is set below the table
	below    string       // those texts
}

func newLaTeX(d *document) *latexWriter {
	l := &latexWriter{document: d, repeated: map[int]bool{}}
	l.inliner = inliner{d: d, w: l, seen: map[*footnote]bool{}}
	return l
}

func (l *latexWriter) page(body string) string {
	k := l.set.keywords
	class, options := k["LATEX_CLASS"], k["LATEX_CLASS_OPTIONS"]
	if class == "" {
		class = "article"
	}
	if options == "" {
		options = "[11pt]"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\\documentclass%s{%s}\n\\usepackage[utf8]{inputenc}\n\\usepackage[T1]{fontenc}\n", options, class)
	for _, name := range []string{
		"graphicx", "longtable", "wrapfig", "rotating", "[normalem]{ulem}", "amsmath", "amssymb", "capt-of",
		"hyperref",
	} {
		if name[0] != '[' {
			name = "{" + name + "}"
		}
		b.WriteString("\\usepackage" + name + "\n")
	}
	b.WriteString(k["LATEX_HEADER"] + k["LATEX_HEADER_EXTRA"])
	if l.set.author && k["AUTHOR"] != "" {
		b.WriteString("\\author{" + l.line(k["AUTHOR"]) + "}\n")
	}
	date := `\today`
	if k["DATE"] != "" || !l.set.date {
		date = l.line(k["DATE"])
	}
	title := l.line(l.title)
	fmt.Fprintf(&b, "\\date{%s}\n\\title{%s}\n\\begin{document}\n\n", date, title)
	if l.set.title && title != "" {
		b.WriteString("\\maketitle\n")
	}
	if l.set.toc != 0 && len(l.headings) > 0 {
		depth := l.set.levels
		if l.set.toc > 0 {
			depth = l.set.toc
		}
		fmt.Fprintf(&b, "\\setcounter{tocdepth}{%d}\n\\tableofcontents\n\n", depth)
	}
	return b.String() + body + "\\end{document}\n"
}

func (l *latexWriter) body() string {
	text := l.elements(l.first) + l.sections(l.headings)
	var unused []string // labels of notes that are referred to once
	for _, note := range l.noteOrder {
		if !l.repeated[note.number] {
			unused = append(unused, `\label{`+noteLabel(note.number)+"}", "")
		}
	}
	return strings.NewReplacer(unused...).Replace(text)
}

// noteLabel names a note for later references to it.
func noteLabel(number int) string { return fmt.Sprintf("orgf%06x", number) }

var sectionCommands = []string{"section", "subsection", "subsubsection", "paragraph", "subparagraph"}

func (l *latexWriter) sections(list []*heading) string {
	var b strings.Builder
	for i, s := range list {
		l.home = s
		text := l.elements(s.body)
		if l.lowLevel(s) || s.level > len(sectionCommands) {
			kind := "itemize"
			if s.number != nil {
				kind = "enumerate"
			}
			if i == 0 {
				b.WriteString("\\begin{" + kind + "}\n")
			}
			b.WriteString("\\item " + l.headingText(s, true) + "\n\\label{sec:" + s.ref + "}\n" + text + l.sections(s.children))
			if i == len(list)-1 || !l.lowLevel(list[i+1]) {
				b.WriteString("\\end{" + kind + "}\n")
			}
			continue
		}
		star := ""
		if s.number == nil {
			star = "*"
		}
		title := l.headingText(s, true)
		short := ""
		if plain := l.headingText(s, l.set.tagsOfTOC && len(s.tags) == 0); star == "" && strings.Contains(plain, "\\footnote") {
			short = "[" + footnoteCommand.ReplaceAllString(plain, "") + "]"
		}
		fmt.Fprintf(&b, "\\%s%s%s{%s}\n\\label{sec:%s}\n%s%s", sectionCommands[s.level-1], star, short, title, s.ref, text,
			l.sections(s.children))
	}
	return b.String()
}

var footnoteCommand = regexp.MustCompile(`\\footnote\{[^}]*\}`)

func (l *latexWriter) headingText(s *heading, tags bool) string {
	text := ""
	if l.set.todo && s.todo != "" {
		text = `{\bfseries\sffamily ` + l.protect(s.todo) + "} "
	}
	if l.set.priority && s.priority != "" {
		text += `\framebox{\#` + l.protect(s.priority) + "} "
	}
	text += l.objects(l.text, s.title, orgelement.InLine)
	if tags && l.set.tags && len(s.tags) > 0 {
		text += `\hfill{}\textsc{` + l.protect(strings.Join(s.tags, ":")) + "}"
	}
	return text
}

func (l *latexWriter) elements(list []*node) string {
	var b strings.Builder
	for i, n := range list {
		if text := strings.TrimRight(l.element(n, i == 0), "\n"); text != "" {
			b.WriteString(text + strings.Repeat("\n", n.Blank+1))
		}
	}
	return b.String()
}

func (l *latexWriter) element(n *node, first bool) string {
	environment := func(name, text string) string {
		return "\\begin{" + name + "}\n" + endLine(text) + "\\end{" + name + "}"
	}
	switch n.Kind {
	case orgelement.Paragraph:
		return l.paragraph(n)
	case orgelement.PlainList:
		return l.nameLabel(n) + l.list(n)
	case orgelement.Table:
		return l.writeTable(n)
	case orgelement.SourceBlock:
		return l.source(n)
	case orgelement.ExampleBlock:
		return l.wrap(n, environment("verbatim", l.codeText(n)), "")
	case orgelement.FixedWidth:
		if l.set.fixed {
			return l.nameLabel(n) + environment("verbatim", n.Code(l.text))
		}
	case orgelement.ExportBlock:
		if n.Key == "LATEX" || n.Key == "TEX" {
			return n.Code(l.text)
		}
	case orgelement.KeywordLine:
		return l.keywordLine(n)
	case orgelement.VerseBlock:
		return environment("verse", l.verse(n))
	case orgelement.QuoteBlock:
		return l.wrap(n, environment("quote", l.elements(n.Children)), "")
	case orgelement.CenterBlock:
		return l.wrap(n, environment("center", l.elements(n.Children)), "")
	case orgelement.SpecialBlock:
		return l.specialBlock(n)
	case orgelement.DynamicBlock:
		return l.elements(n.Children)
	case orgelement.Drawer:
		if l.set.drawer(n.Key) {
			return l.elements(l.drawerElements(n))
		}
	case orgelement.HorizontalRule:
		text := `\noindent\rule{\textwidth}{0.5pt}`
		if !first {
			text = "\n" + text
		}
		return text
	case orgelement.LatexEnvironment:
		if l.set.tex {
			return l.labelledEnvironment(n)
		}
	case orgelement.ClockLine:
		if l.set.clocks {
			return `\noindent` + "\n\\textbf{CLOCK:} \\textit{" +
				strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(string(l.text[n.Contents.Start:n.Contents.End])), "CLOCK:")) + "}\\\\"
		}
	case orgelement.InlineTask:
		if l.set.inlineTasks {
			return "\\begin{center}\n\\fbox{\n\\begin{minipage}[c]{.6\\linewidth}\n" + l.line(n.Arguments) +
				"\n\n\\rule[.8em]{\\linewidth}{2pt}\n\n" +
				l.elements(n.Children) + "\\end{minipage}\n}\n\\end{center}"
		}
	default: // comments, calls and definitions of notes leave nothing where they stand
	}
	return ""
}

func (l *latexWriter) keywordLine(n *node) string {
	switch {
	case n.Key == "LATEX":
		return n.Value
	case n.Key == "INDEX":
		return `\index{` + n.Value + "}"
	case n.Key == "TOC" && strings.HasPrefix(n.Value, "headlines"):
		return l.toc(n.Value)
	case n.Key == "TOC" && strings.HasPrefix(n.Value, "tables"):
		return `\listoftables`
	case n.Key == "TARGET":
		return `\label{` + l.targetAnchor(n.Value) + "}"
	}
	return ""
}

// specialBlock writes a block as the environment of its name.
func (l *latexWriter) specialBlock(n *node) string {
	_, values := attributes(n, "ATTR_LATEX")
	text := l.elements(n.Children)
	if c := caption(n); c != "" {
		text += l.captionText(n, c)
	}
	return "\\begin{" + n.Key + "}" + values["options"] + "\n" + text + "\\end{" + n.Key + "}"
}

// labelledEnvironment writes an environment of the file with a label for its name.
func (l *latexWriter) labelledEnvironment(n *node) string {
	text := l.environmentText(n)
	if n.Last("NAME") != "" {
		text = strings.Replace(text, "\n", "\n\\label{"+l.elementAnchor(n)+"}\n", 1)
	}
	return text
}

func (l *latexWriter) toc(value string) string {
	depth := ""
	for word := range strings.FieldsSeq(value) {
		if n, err := strconv.Atoi(word); err == nil {
			depth = fmt.Sprintf("\\setcounter{tocdepth}{%d}\n", n)
		}
	}
	return depth + `\tableofcontents`
}

func (l *latexWriter) wrap(n *node, text, prefix string) string {
	if name := n.Last("NAME"); name != "" && caption(n) == "" {
		return l.captionText(n, "") + text
	}
	return prefix + text
}

// captionText writes a caption and the label of a name.
func (l *latexWriter) captionText(n *node, text string) string {
	label := ""
	if n.Last("NAME") != "" {
		label = `\label{` + l.label(n, l.elementAnchor(n)) + "}"
	}
	switch {
	case text == "" && label == "":
		return ""
	case text == "" && n.Kind != orgelement.Table && n.Kind != orgelement.Paragraph:
		return "\\phantomsection\n" + label + "\n"
	case text == "":
		return label + "\n"
	}
	return `\caption{` + label + l.line(text) + "}\n"
}

// label puts the kind of an element in front of its anchor.
func (l *latexWriter) label(n *node, anchor string) string {
	switch n.Kind {
	case orgelement.Table:
		return "tab:" + anchor
	case orgelement.Paragraph:
		return "fig:" + anchor
	case orgelement.LatexEnvironment:
		return "eq:" + anchor
	default: // Emacs has no prefix for the others
		return anchor
	}
}

func (l *latexWriter) paragraph(n *node) string {
	text := trimBlanks(l.paragraphText(n))
	if l.loneImage(n) && strings.HasPrefix(text, `\begin{center}`) {
		return l.figure(n, text)
	}
	return text
}

// figure writes a paragraph that is an image.
func (l *latexWriter) figure(n *node, text string) string {
	text = strings.TrimPrefix(strings.TrimSuffix(text, "\n\\end{center}"), "\\begin{center}\n")
	_, values := attributes(n, "ATTR_LATEX")
	if w := values["width"]; w != "" {
		text = strings.Replace(text, "width=.9\\linewidth", "width="+w, 1)
	}
	c := caption(n)
	float := values["float"]
	if c == "" && float == "" {
		return "\\begin{center}\n" + l.nameLabel(n) + text + "\n\\end{center}"
	}
	placement := values["placement"]
	if placement == "" {
		placement = "[htbp]"
	}
	return "\\begin{figure}" + placement + "\n\\centering\n" + text + "\n" + l.captionText(n, c) + "\\end{figure}"
}

func (l *latexWriter) nameLabel(n *node) string {
	if n.Last("NAME") == "" {
		return ""
	}
	return l.captionText(n, "")
}

func (l *latexWriter) list(n *node) string {
	kind := "itemize"
	switch {
	case n.Item.HasTag:
		kind = "description"
	case n.Ordered():
		kind = "enumerate"
		l.nested++
		defer func() { l.nested-- }()
	}
	var b strings.Builder
	b.WriteString("\\begin{" + kind + "}\n")
	for _, item := range n.Children {
		text := strings.Trim(l.elements(item.Children), " \t\n")
		box := map[byte]string{'X': `$\boxtimes$`, ' ': `$\square$`, '-': `$\boxminus$`}[item.Item.Checkbox]
		if item.Item.Counter != "" && kind == "enumerate" {
			if v, err := strconv.Atoi(item.Item.Counter); err == nil && l.nested <= 4 {
				fmt.Fprintf(&b, "\\setcounter{enum%s}{%d}\n", []string{"i", "ii", "iii", "iv"}[l.nested-1], v-1)
			}
		}
		label := box
		if item.Item.HasTag {
			label = strings.TrimLeft(box+" "+l.objects(l.text, item.Item.Tag, orgelement.InLine), " ")
		}
		switch {
		case label != "" && kind == "enumerate":
			label = "{" + label + "}"
		case label != "":
			label = "[{" + label + "}]"
		case strings.HasPrefix(text, "["):
			label = `\relax`
		}
		b.WriteString("\\item" + label + " " + text + "\n")
	}
	return b.String() + "\\end{" + kind + "}"
}

func (l *latexWriter) codeText(n *node) string {
	lines := l.codeLines(n)
	widest := 0
	digits := len(fmt.Sprint(lines[len(lines)-1].number))
	for _, line := range lines {
		size := width(line.text)
		if line.number > 0 {
			size += digits + 2
		}
		widest = max(widest, size)
	}
	var b strings.Builder
	for _, line := range lines {
		text := line.text
		if line.number > 0 {
			text = fmt.Sprintf("%*d  %s", digits, line.number, text)
		}
		if line.ref != "" {
			text += strings.Repeat(" ", max(1, widest-width(text)+6)) + "(" + line.ref + ")"
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func (l *latexWriter) source(n *node) string {
	text := "\\begin{verbatim}\n" + l.codeText(n) + "\\end{verbatim}"
	if _, values := attributes(n, "ATTR_LATEX"); values["float"] == "t" {
		return "\\begin{figure}[htbp]\n" + l.captionText(n, caption(n)) + text + "\n\\end{figure}"
	}
	return text
}

func (l *latexWriter) verse(n *node) string {
	text := removeCommon(endLine(l.objects(l.text, n.Contents, orgelement.InText)))
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		rest := strings.TrimLeft(line, " \t")
		if strings.TrimSpace(rest) == "" {
			lines = append(lines, `\vspace*{1em}`)
			continue
		}
		indent := ""
		if n := width(line[:len(line)-len(rest)]); n > 0 {
			indent = fmt.Sprintf(`\hspace*{%dem}`, n)
		}
		lines = append(lines, indent+strings.TrimRight(strings.TrimSuffix(strings.TrimRight(rest, " "), `\\`), " ")+`\\`)
	}
	return strings.Join(lines, "\n")
}
