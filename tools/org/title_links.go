package org

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

var (
	linkPattern = regexp.MustCompile(`\[\[((?:[^\]\[\\]|\\(?:\\\\)*[\]\[]|\\+[^\]\[])+)\][\[\]]`)
	linkEscape  = regexp.MustCompile(`(\\*)([\]\[]|$)`)
	blockBegin  = regexp.MustCompile(`(?i)^[ \t]*#\+begin_(src|example|export|comment)\b`)
	plainLine   = regexp.MustCompile(`^[ \t]*[#:](?: |$)`)
)

// entryLinks are the spans of the paths of links in the text of an entry, but for what is
// a comment, code or an example.
func entryLinks(text []byte) (paths []orgfile.Span) {
	block := ""
	for at := 0; at < len(text); {
		end := at + len(text[at:])
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := text[at:end]
		switch m := blockBegin.FindSubmatch(line); {
		case block != "":
			if bytes.HasPrefix(bytes.ToLower(bytes.TrimLeft(line, " \t")), []byte(block)) {
				block = ""
			}
		case m != nil:
			block = "#+end_" + strings.ToLower(string(m[1]))
		case !plainLine.Match(line):
			paths = append(paths, linksBetween(text, at, end)...)
		}
		at = end
	}
	return paths
}

// linksBetween are the spans of the paths of links that begin between two bytes; one may go
// on in the next line. What is marked as verbatim is none.
func linksBetween(text []byte, at, end int) (paths []orgfile.Span) {
	for at < end {
		m := linkPattern.FindSubmatchIndex(text[at:])
		if m == nil || at+m[0] >= end {
			break
		}
		if from := at + m[0]; from == 0 || text[from-1] != '=' && text[from-1] != '~' {
			paths = append(paths, orgfile.Span{Start: int32(at + m[2]), End: int32(at + m[3])})
		}
		at += m[1]
	}
	return paths
}

// unescapeLink is the path of a link without the backslashes in front of brackets.
func unescapeLink(path string) string {
	return linkEscape.ReplaceAllStringFunc(path, func(s string) string {
		slashes := strings.Count(s, `\`)
		return strings.Repeat(`\`, slashes/2) + strings.TrimLeft(s, `\`)
	})
}

func escapeLink(path string) string {
	return linkEscape.ReplaceAllStringFunc(path, func(s string) string {
		slashes := strings.Count(s, `\`)
		if bracket := strings.TrimLeft(s, `\`); bracket != "" {
			return strings.Repeat(`\`, 2*slashes+1) + bracket
		}
		return strings.Repeat(`\`, 2*slashes)
	})
}

// A linkTarget is what links may mean: a headline, or a file without title and
// customID.
type linkTarget struct {
	file, title, id, customID string

	first bool // no headline above has the title: links by it lead here
	named bool // something else has the title as its name, which goes first if there is no *
}

// linkTarget is headline i of a file, or the file for -1.
func (s *catalog) linkTarget(f *shownFile, i int) linkTarget {
	t := linkTarget{file: f.name}
	t.id, _ = f.Property(i, "ID")
	if i < 0 {
		return t
	}
	t.title = linkTitle(f.Text(f.Headlines[i].Title))
	t.customID, _ = f.Property(i, "CUSTOM_ID")
	t.first, t.named = firstTitled(f, t.title) == i, isNamed(f, t.title)
	return t
}

// firstTitled is the headline that a link by a title leads to, -1 for none.
func firstTitled(f *shownFile, title string) int {
	return slices.IndexFunc(f.Headlines, func(h orgfile.Headline) bool { return linkTitle(f.Text(h.Title)) == title })
}

// isNamed reports whether a target or an element of a file has a name.
func isNamed(f *shownFile, name string) bool {
	words := strings.ReplaceAll(regexp.QuoteMeta(name), " ", `[ \t]+`)
	named, err := regexp.Compile(`(?im)<<` + words + `>>|^[ \t]*#\+NAME: +` + words + `[ \t]*$`)
	return err == nil && name != "" && named.Match(f.Source)
}

// A linkKind is by what a link leads to its target.
type linkKind int

const (
	noLink linkKind = iota
	linkByID
	linkByFile
	linkByTitle
)

// leadsTo says by what a link in the file from leads to the target. search is where in
// its path, which is as it stands in the file, the title begins.
func (s *catalog) leadsTo(t linkTarget, from *shownFile, path string) (kind linkKind, search int) {
	parts := orgelement.ParsePath(strings.Join(strings.Fields(unescapeLink(path)), " "))
	file, wanted := from.name, parts.Path
	switch parts.Type {
	case "id":
		if id, _, _ := strings.Cut(parts.Path, "::"); t.id != "" && id == t.id {
			return linkByID, 0
		}
		return noLink, 0
	case "file":
		name := expandHome(parts.Path)
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(from.Path), filepath.FromSlash(name))
		}
		file, _ = s.nameAt(filepath.Clean(name))
		wanted, search = parts.Search, strings.LastIndex(path, "::")+2
		if wanted == "" && file == t.file && t.title == "" && t.customID == "" {
			return linkByFile, 0
		}
	case "custom-id":
		wanted = "#" + parts.Path
	case "fuzzy":
	default:
		return noLink, 0
	}
	title, starred := strings.CutPrefix(wanted, "*")
	switch {
	case file != t.file || wanted == "":
	case strings.HasPrefix(wanted, "#"):
		if t.customID != "" && wanted[1:] == t.customID {
			return linkByID, 0
		}
	case t.first && linkTitle(title) == t.title && (starred || !t.named && !isSearch(wanted)):
		return linkByTitle, search
	}
	return noLink, 0
}

// isSearch reports whether a title would be taken for something else in a link without *.
func isSearch(title string) bool {
	return orgelement.ParsePath(title).Type != "fuzzy" || strings.HasPrefix(title, "*") || strings.HasPrefix(title, "/") ||
		strings.Trim(title, "0123456789") == ""
}

// A linkPlace is where a link stands.
type linkPlace struct {
	File        string `json:"file" jsonschema:"file"`
	Line        int    `json:"line" jsonschema:"from 1"`
	Context     string `json:"context" jsonschema:"that line, cut around the link"`
	ResourceURI string `json:"resourceUri" jsonschema:"of the headline that it is under, or of the file"`
}

// maxLinkPlaces is how many links an answer names.
const maxLinkPlaces = 50

// titleLinks are the links that lead to a headline by its title.
func (s *catalog) titleLinks(ctx context.Context, f *shownFile, i int) (resultPage[textMatch], error) {
	names, err := s.fileNames(ctx)
	if err != nil {
		return resultPage[textMatch]{}, err
	}
	target := s.linkTarget(f, i)
	return findInFiles(ctx, s, names, pageRange{0, maxLinkPlaces}, func(from *shownFile) (part []textMatch) {
		return s.linksTo(target, from, byTitle)
	})
}

// linksTo are the links in a file that lead to a target.
func (s *catalog) linksTo(t linkTarget, from *shownFile, wanted func(kind linkKind) bool) (part []textMatch) {
	for i := -1; i < len(from.Headlines); i++ {
		begin := entryBegin(from.File, i)
		for _, path := range entryLinks(from.Source[begin:from.EntryEnd(i)]) {
			at := begin + int(path.Start)
			if kind, _ := s.leadsTo(t, from, string(from.Source[at:begin+int(path.End)])); wanted(kind) {
				part = append(part, textMatch{found{from, i}, at - len("[[")})
			}
		}
	}
	return part
}

func entryBegin(f *orgfile.File, i int) int {
	if i < 0 {
		return 0
	}
	return int(f.Headlines[i].Begin)
}

// updateLinks makes links by the title that target had lead to its new one. It changes
// what agents see and nothing that is hidden.
func (e *edit) updateLinks(target linkTarget, title string) error {
	names, err := e.s.fileNames(e.ctx)
	if err != nil {
		return err
	}
	linking, err := findInFiles(e.ctx, e.s, names, pageRange{0, math.MaxInt32}, func(from *shownFile) (name []string) {
		if len(e.s.linksTo(target, from, byTitle)) > 0 {
			name = []string{from.name}
		}
		return name
	})
	if err != nil {
		return err
	}
	for _, name := range linking.items {
		f, err := e.existing(name)
		if err != nil {
			return err
		}
		e.updateLinksIn(f, target, title)
	}
	return nil
}

func byTitle(kind linkKind) bool { return kind == linkByTitle }

func (e *edit) updateLinksIn(f *editedFile, target linkTarget, title string) {
	for i := len(f.File().Headlines) - 1; i >= -1; i-- { // what is above stays where it is
		if _, shown := f.shown.shownIndex(i); !shown || i < 0 && f.shown.EntryEnd(-1) == 0 {
			continue
		}
		begin := entryBegin(f.File(), i)
		text := f.Text()[begin:f.File().EntryEnd(i)]
		for _, span := range slices.Backward(entryLinks([]byte(text))) {
			path := text[span.Start:span.End]
			kind, search := e.s.leadsTo(target, f.shown, path)
			if kind != linkByTitle {
				continue
			}
			star := ""
			if strings.HasPrefix(path[search:], "*") || isSearch(title) || isNamed(f.shown, title) {
				star = "*"
			}
			f.ReplaceText(begin+int(span.Start)+search, begin+int(span.End), star+escapeLink(title))
		}
	}
}

func (s *catalog) describeLinks(page resultPage[textMatch]) (links []linkPlace) {
	for _, m := range page.items {
		d := (&reader{s}).describeMatch(m, "[[")
		links = append(links, linkPlace{d.File, d.Line, d.Context, d.ResourceURI})
	}
	return links
}

// checkNewTitle refuses a title that links cannot lead to.
func checkNewTitle(f *shownFile, i int, title string) error {
	if first := firstTitled(f, title); title == "" || first >= 0 && first < i {
		return tools.Errorf(tools.Conflict, "updateLinks: links by this title would lead to another headline").
			WithHint("Choose another title, or leave updateLinks out and link by ID.")
	}
	return nil
}
