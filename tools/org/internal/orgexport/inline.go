package orgexport

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// An inlineWriter writes objects in one format.
type inlineWriter interface {
	plainText(text string) string
	object(n *node, text []byte, contents string) string
	link(l resolvedLink) string
	noteReference(note *footnote, first bool) string
}

// maxMacroDepth bounds macros that expand to macros.
const maxMacroDepth = 8

// maxExpanded bounds the bytes that macros expand to in one export: macros that
// expand to macros would otherwise double at each step.
const maxExpanded = 4 << 20

// An inliner turns the objects in a text into text of one format.
type inliner struct {
	d     *document
	w     inlineWriter
	depth int                // of nested objects and macros
	seen  map[*footnote]bool // references written so far
	toc   bool               // in a contents list: no links, notes and targets
}

// tocTitle writes a title for a contents list.
func (x *inliner) tocTitle(s *heading) string {
	x.toc = true
	defer func() { x.toc = false }()
	return strings.TrimRight(x.objects(x.d.text, s.title, orgelement.InLine), " ")
}

// objects writes the objects in a range of text.
func (x *inliner) objects(text []byte, s orgfile.Span, place orgelement.Place) string {
	if s.Empty() {
		return ""
	}
	x.depth++
	defer func() { x.depth-- }()
	if x.depth > 2*maxMacroDepth {
		return x.w.plainText(string(text[s.Start:s.End]))
	}
	var b strings.Builder
	list := orgelement.Objects(text, s, place)
	for i, n := range list {
		if n.Kind == orgelement.FootnoteReference && i > 0 && list[i-1].Kind == orgelement.FootnoteReference {
			b.WriteString(x.w.object(&node{Kind: orgelement.FootnoteReference}, nil, ""))
		}
		out := x.object(text, n, place)
		b.WriteString(out)
		if out != "" { // as in Emacs, nothing remains of what is left out
			b.WriteString(strings.Repeat(" ", n.Blank))
		}
	}
	return b.String()
}

// line writes text that stands in one line: a title, a caption.
func (x *inliner) line(text string) string {
	return x.objects([]byte(text), orgfile.Span{End: int32(len(text))}, orgelement.InLine)
}

func (x *inliner) object(text []byte, n *node, place orgelement.Place) string {
	if out, off := x.switchedOff(text, n, place); off {
		return out
	}
	switch n.Kind {
	case orgelement.Text:
		return x.w.plainText(string(text[n.Span.Start:n.Span.End]))
	case orgelement.Macro:
		return x.macro(n)
	case orgelement.InlineCall:
		return ""
	case orgelement.Link:
		if x.toc && !n.Contents.Empty() {
			return x.objects(text, n.Contents, orgelement.InDescription)
		}
		return x.w.link(x.d.resolve(x, text, n))
	case orgelement.FootnoteReference:
		if x.toc {
			return ""
		}
		note := x.d.footnote(text, n)
		first := !x.seen[note]
		x.seen[note] = true
		return x.w.noteReference(note, first)
	case orgelement.Target:
		if x.toc {
			return ""
		}
		return x.w.object(n, text, x.w.plainText(n.Value))
	case orgelement.RadioTarget:
		if x.toc {
			return x.w.plainText(n.Value)
		}
		return x.w.object(n, text, x.w.plainText(n.Value))
	default: // all others are a matter of the format
		return x.w.object(n, text, x.objects(text, n.Contents, place))
	}
}

// switchedOff returns what remains of an object whose kind the options of the
// export switch off. off is false if they do not.
func (x *inliner) switchedOff(text []byte, n *node, place orgelement.Place) (out string, off bool) {
	raw := string(text[n.Span.Start:n.Span.End])
	set := &x.d.set
	switch n.Kind {
	case orgelement.Bold, orgelement.Italic, orgelement.Underline, orgelement.StrikeThrough, orgelement.Code, orgelement.Verbatim:
		if !set.emphasis && !n.Contents.Empty() { // code stays code
			mark := raw[:1]
			return x.w.plainText(mark) + x.objects(text, n.Contents, place) + x.w.plainText(mark), true
		}
	case orgelement.Subscript, orgelement.Superscript:
		if set.scripts == "nil" || set.scripts == "{}" && n.Key != "{" {
			return x.w.plainText(raw[:1]) + x.objects(text, orgfile.Span{Start: n.Span.Start + 1, End: n.Span.End}, place), true
		}
	case orgelement.Entity:
		if !set.entities {
			return x.w.plainText(raw), true
		}
	case orgelement.StatisticsCookie:
		return "", !set.cookie
	case orgelement.Timestamp:
		return "", !set.timestamps
	case orgelement.FootnoteReference:
		return "", !set.footnotes
	default: // no option is about the others
	}
	return "", false
}

var macroArgument = regexp.MustCompile(`\$[0-9]`)

// macro expands a macro. One that is code, or that nobody defined, stays as it is
// written.
func (x *inliner) macro(n *node) string {
	args := splitArguments(n.Arguments)
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	set := x.d.set.keywords
	body, ok := x.d.macros[n.Key]
	switch {
	case ok && strings.HasPrefix(body, "(eval"):
		ok = false
	case ok:
		body = macroArgument.ReplaceAllStringFunc(body, func(s string) string {
			if s == "$0" {
				return n.Arguments
			}
			return arg(int(s[1]-'0') - 1)
		})
	case n.Key == "title", n.Key == "author", n.Key == "email", n.Key == "date":
		body, ok = set[strings.ToUpper(n.Key)], true
	case n.Key == "keyword":
		body, ok = set[strings.ToUpper(arg(0))], true
	case n.Key == "results":
		body, ok = arg(0), true
	case n.Key == "property" && x.d.home != nil:
		body, _ = x.d.file.Property(x.d.home.index, arg(0))
		ok = true
	case n.Key == "input-file":
		body, ok = x.d.file.Path[strings.LastIndexByte(x.d.file.Path, '/')+1:], true
	case n.Key == "n":
		x.d.counters[arg(0)]++
		switch action := strings.TrimSpace(arg(1)); {
		case action == "-":
			x.d.counters[arg(0)]--
		case action != "":
			x.d.counters[arg(0)] = 1
			if v, err := strconv.Atoi(action); err == nil {
				x.d.counters[arg(0)] = v
			}
		}
		body, ok = strconv.Itoa(x.d.counters[arg(0)]), true
	}
	if !ok {
		return x.w.plainText("{{{" + n.Key + "}}}")
	}
	if x.d.expanded += len(body) + 64; x.d.expanded > maxExpanded {
		return x.w.plainText("{{{" + n.Key + "}}}")
	}
	return x.objects([]byte(body), orgfile.Span{End: int32(len(body))}, orgelement.InText)
}

func splitArguments(text string) []string {
	if text == "" {
		return nil
	}
	text = strings.ReplaceAll(text, `\,`, "\x00")
	args := strings.Split(text, ",")
	for i, a := range args {
		args[i] = strings.TrimSpace(strings.ReplaceAll(a, "\x00", ","))
	}
	return args
}

// footnote returns the note that a reference means and numbers it, when it is the
// first.
func (d *document) footnote(text []byte, n *node) *footnote {
	key := n.Key
	if key == "" {
		key = "\x00" + strconv.Itoa(int(n.Span.Start)) + string(text[n.Span.Start:n.Span.End])
	}
	if note := d.noteByKey[key]; note != nil {
		return note
	}
	note := &footnote{number: len(d.noteOrder) + 1, label: n.Key}
	if n.Value == "inline" && bytes.Equal(text, d.text) {
		note.inline, note.isInline = n.Contents, true
	} else if def, ok := d.notes[n.Key]; ok {
		note.elements = def
	}
	d.noteByKey[key] = note
	d.noteOrder = append(d.noteOrder, note)
	return note
}

// A resolvedLink is a link and what it leads to.
type resolvedLink struct {
	kind        string // "url", "file", "heading", "target", "coderef", "image" or "broken"
	url         string // also the path of a file or an image, or what is broken
	link        orgelement.LinkParts
	description string // in the format, "" for none
	heading     *heading
	target      *target
	code        codeReference
	linked      *resolvedLink // an image as description
}

var (
	imageName   = regexp.MustCompile(`(?i)\.(?:jpe?g|png|gif|svg|webp)$`)
	cookieText  = regexp.MustCompile(`\[[0-9]*(?:%|/[0-9]*)\]`)
	webLink     = []string{"http", "https", "ftp", "mailto", "news"}
	escapedChar = regexp.MustCompile(`[^-A-Za-z0-9._~:/?#@!$&'()*+,;=%\[\]]`)
)

func (d *document) resolve(x *inliner, text []byte, n *node) resolvedLink {
	l := d.unabbreviated(n.Link)
	r := resolvedLink{link: l, description: x.objects(text, n.Contents, orgelement.InDescription)}
	switch {
	case slices.Contains(webLink, l.Type):
		r.kind, r.url = "url", escapeURL(l.Type+":"+l.Path)
	case l.Type == "file":
		r.kind, r.url = "file", l.Path
	case l.Type == "doi":
		r.kind, r.url = "url", escapeURL("https://doi.org/"+l.Path)
	case l.Type == "info":
		r.kind, r.url = "url", infoURL(l.Path)
	case l.Type == "attachment":
		r.kind, r.url = "broken", l.Raw
	case l.Type == "coderef":
		ref, ok := d.refs[l.Path]
		if r.kind, r.code = "coderef", ref; !ok {
			r.kind, r.url = "broken", l.Path
		}
	case l.Type == "fuzzy", l.Type == "custom-id", l.Type == "id":
		d.resolveInternal(&r)
	default:
		r.kind, r.url = "url", l.Path
	}
	if !n.Contents.Empty() {
		r.linked = describedByImage(string(text[n.Contents.Start:n.Contents.End]))
	} else if (r.kind == "file" || r.kind == "url" && strings.HasPrefix(l.Type, "http")) && imageName.MatchString(l.Path) {
		r.kind = "image"
	}
	return r
}

// unabbreviated replaces an abbreviation that a "#+LINK:" line defines.
func (d *document) unabbreviated(l orgelement.LinkParts) orgelement.LinkParts {
	if l.Type != "fuzzy" {
		return l
	}
	if name, rest, ok := strings.Cut(l.Path, ":"); ok && d.links[name] != "" {
		return orgelement.ParsePath(expandAbbreviation(d.links[name], strings.TrimPrefix(rest, ":")))
	}
	if url := d.links[l.Path]; url != "" {
		return orgelement.ParsePath(expandAbbreviation(url, ""))
	}
	return l
}

// describedByImage returns the image that a link's description names, nil if it
// is text.
func describedByImage(desc string) *resolvedLink {
	if !imageName.MatchString(desc) || strings.ContainsAny(desc, " \n[") {
		return nil
	}
	inner := orgelement.ParsePath(desc)
	switch inner.Type {
	case "file":
		return &resolvedLink{kind: "image", link: inner, url: inner.Path}
	case "http", "https":
		return &resolvedLink{kind: "image", link: inner, url: desc}
	}
	return nil
}

func expandAbbreviation(url, tag string) string {
	switch {
	case strings.Contains(url, "%s"):
		return strings.ReplaceAll(url, "%s", tag)
	case strings.Contains(url, "%h"):
		return strings.ReplaceAll(url, "%h", escapedChar.ReplaceAllStringFunc(tag, escapeURL))
	}
	return url + tag
}

// infoURL is where a page of a manual is read: Emacs's own are on its site.
func infoURL(path string) string {
	file, page, _ := strings.Cut(path, "#")
	page = strings.ReplaceAll(strings.TrimSpace(cmp.Or(page, "Top")), " ", "-")
	if slices.Contains([]string{"org", "emacs", "elisp", "eintr", "gnus", "calc", "cl", "dired-x", "ediff", "eshell", "tramp", "message"},
		file) {
		return "https://www.gnu.org/software/emacs/manual/html_mono/" + file + ".html#" + page
	}
	return file + ".html#" + page
}

func escapeURL(url string) string {
	return escapedChar.ReplaceAllStringFunc(url, func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			b.WriteString("%" + strings.ToUpper(strconv.FormatInt(int64(c)+0x100, 16)[1:]))
		}
		return b.String()
	})
}

// resolveInternal finds the heading or target in the file that a link means.
func (d *document) resolveInternal(r *resolvedLink) {
	path := r.link.Path
	r.kind, r.url = "broken", path
	if r.link.Type != "fuzzy" {
		if h := d.byID[r.link.Type+":"+path]; h != nil {
			r.kind, r.heading = "heading", h
		}
		return
	}
	name := normalName(path)
	if !strings.HasPrefix(path, "*") {
		if t := d.targets[name]; t != nil {
			r.kind, r.target = "target", t
			return
		}
	}
	name = strings.TrimSpace(strings.TrimPrefix(normalName(cookieText.ReplaceAllString(path, " ")), "*"))
	if h := d.byTitle[name]; h != nil {
		r.kind, r.heading = "heading", h
		return
	}
	r.url = path
}

func normalName(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// collectTargets finds what fuzzy links may mean, and the labels in source blocks.
func (d *document) collectTargets() {
	ordinals := map[string]int{}
	visit := func(h *heading, list []*node) {
		d.walk(list, func(n *node) {
			d.collectTarget(h, n, ordinals)
		})
	}
	visit(nil, d.first)
	var down func(list []*heading)
	down = func(list []*heading) {
		for _, h := range list {
			d.targetsIn(h, h.title)
			visit(h, h.body)
			down(h.children)
		}
	}
	down(d.headings)
}

func (d *document) collectTarget(h *heading, n *node, ordinals map[string]int) {
	if n.Kind < orgelement.Text && n.Kind != orgelement.KeywordLine {
		name := n.Last("NAME")
		caption := n.Last("CAPTION") != ""
		kind := "figure"
		switch n.Kind {
		case orgelement.Table:
			kind = "table"
		case orgelement.SourceBlock:
			kind = "listing"
			d.codeLines(n)
		case orgelement.ExampleBlock:
			d.codeLines(n)
		case orgelement.LatexEnvironment:
			kind = "equation"
		default: // the others are counted as figures
		}
		if caption {
			ordinals[kind]++
		}
		if name != "" {
			d.add(normalName(name), &target{anchor: d.newAnchor(name), heading: h, ordinal: max(ordinals[kind], 1), caption: caption, node: n})
		}
	}
	switch n.Kind {
	case orgelement.Paragraph, orgelement.VerseBlock:
		d.targetsIn(h, n.Contents)
	case orgelement.Item:
		d.targetsIn(h, n.Item.Tag)
	case orgelement.TableRow:
		for _, cell := range n.Children {
			d.targetsIn(h, cell.Contents)
		}
	case orgelement.KeywordLine:
		if n.Key == "TARGET" {
			d.add(normalName(n.Value), &target{anchor: d.newAnchor(n.Value), heading: h})
		}
	default: // the others hold no objects of their own
	}
}

func (d *document) add(name string, t *target) {
	if d.targets[name] == nil {
		d.targets[name] = t
	}
}

var targetPattern = regexp.MustCompile(`<<<?([^<>\n]+?)>>`)

func (d *document) targetsIn(h *heading, s orgfile.Span) {
	if s.Empty() || !bytes.Contains(d.text[s.Start:s.End], []byte("<<")) {
		return
	}
	for _, m := range targetPattern.FindAllSubmatch(d.text[s.Start:s.End], -1) {
		d.add(normalName(string(m[1])), &target{anchor: d.newAnchor(string(m[1])), heading: h})
	}
}

// smartQuotes replaces straight quotes by the four that open and close: double,
// then single.
func smartQuotes(s string, marks [4]string) string {
	var b strings.Builder
	before := ' '
	for _, r := range s {
		opens := strings.ContainsRune(" \t\n([{-\u201c\u2018", before)
		switch {
		case r == '"' && opens:
			b.WriteString(marks[0])
		case r == '"':
			b.WriteString(marks[1])
		case r == '\'' && opens:
			b.WriteString(marks[2])
		case r == '\'':
			b.WriteString(marks[3])
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}
