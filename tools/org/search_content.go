package org

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

type searchContentIn struct {
	Query           string      `json:"query" jsonschema:"literal text"`
	Files           []string    `json:"files,omitempty" jsonschema:"only in these"`
	IncludeArchived bool        `json:"includeArchived,omitempty" jsonschema:"archived ones too"`
	MaxResults      tools.Limit `json:"maxResults,omitempty" jsonschema:"maximum"`
	Cursor          Cursor      `json:"cursor,omitempty" jsonschema:"nextCursor"`
}

type contentMatch struct {
	File        string `json:"file" jsonschema:"file"`
	Line        int    `json:"line" jsonschema:"from 1"`
	Context     string `json:"context" jsonschema:"that line, cut around the match"`
	Heading     string `json:"heading,omitempty" jsonschema:"the headline that it is under"`
	ResourceURI string `json:"resourceUri" jsonschema:"of that headline, or of the file"`
	OrgID       string `json:"orgId,omitempty" jsonschema:"its ID"`
}

type searchContentOut struct {
	Items      []contentMatch `json:"items" jsonschema:"one a line"`
	Total      int            `json:"total" jsonschema:"how many there are"`
	NextCursor Cursor         `json:"nextCursor,omitempty" jsonschema:"there are more: pass it as cursor"`
	Note       string         `json:"note,omitempty" jsonschema:"what was left out"`
}

func searchContent() tools.Tool[*Source] {
	return tools.Define(tools.Spec[searchContentIn, searchContentOut]{
		Name: "org-search-content", Title: "Search text", Effect: tools.Reads,
		Doc:    "Find a text anywhere in Org files, whatever its letter case.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{
			"pattern": "query", "include_archived": "includeArchived", "max_results": "maxResults", "limit": "maxResults", "file": "files",
		}),
		Hits: contentHits, HitTotal: func(out searchContentOut) int { return out.Total },
		Redact: searchContentOut.redact,
		Examples: []tools.Example[searchContentIn, searchContentOut]{
			{Purpose: "find a phrase", In: searchContentIn{Query: "architecture diagram"}, AnyAnswer: true, Want: searchContentOut{
				Items: []contentMatch{{
					File: "projects.org", Line: 12, Context: "See the architecture diagram.", Heading: "Alpha",
					ResourceURI: "org://projects.org/headline/Alpha",
				}}, Total: 1,
			}},
		},
	}, (*Source).searchContent)
}

func contentHits(out searchContentOut) []tools.Hit {
	hits := make([]tools.Hit, 0, len(out.Items))
	for _, m := range out.Items {
		hits = append(hits, tools.Hit{Page: m.File, Line: m.Line, Text: m.Context})
	}
	return hits
}

// redact leaves out the matches in covered files.
func (out searchContentOut) redact(covered func(file string) bool) searchContentOut {
	shown := out.Items
	out.Items = nil
	for _, m := range shown {
		if !covered(m.File) {
			out.Items = append(out.Items, m)
		}
	}
	if left := len(shown) - len(out.Items); left > 0 {
		out.Total -= left
		out.Note = redactedNote
	}
	return out
}

// A textMatch is a place where a text stands in a file.
type textMatch struct {
	found
	at int
}

func (s *reader) searchContent(ctx context.Context, in searchContentIn) (searchContentOut, error) {
	query := strings.TrimSpace(in.Query)
	if query == "" || strings.ContainsAny(query, "\r\n") {
		return searchContentOut{}, tools.Errorf(tools.Invalid, "query: must be a text of one line")
	}
	pages, err := newPageRange(in.MaxResults, in.Cursor)
	if err != nil {
		return searchContentOut{}, err
	}
	names, err := s.chosenFiles(ctx, in.Files)
	if err != nil {
		return searchContentOut{}, err
	}
	page, err := findInFiles(ctx, s.catalog, names, pages, func(f *shownFile) (part []textMatch) {
		if f.archived && !in.IncludeArchived && len(in.Files) == 0 {
			return nil
		}
		for _, at := range matchLines(f.File, query, false) {
			i := f.AtByte(at)
			if in.IncludeArchived || f.archived || !f.isArchived(i) {
				part = append(part, textMatch{found{f, i}, at})
			}
		}
		return part
	})
	if err != nil {
		return searchContentOut{}, err
	}
	return s.describeMatches(page, query), nil
}

func (s *reader) describeMatches(page resultPage[textMatch], text string) searchContentOut {
	out := searchContentOut{Total: page.total, NextCursor: page.next}
	for _, m := range page.items {
		out.Items = append(out.Items, s.describeMatch(m, text))
	}
	return out
}

func (s *reader) describeMatch(m textMatch, query string) contentMatch {
	f := m.in
	out := contentMatch{File: f.name, Line: f.Line(m.at), Context: around(lineAt(f.Source, m.at), query), ResourceURI: s.uri(f, m.i)}
	if m.i >= 0 {
		out.Heading = f.Text(f.Headlines[m.i].Title)
		out.OrgID, _ = f.Property(m.i, "ID")
	}
	return out
}

// matchLines returns where text stands, the first place of each line.
func matchLines(f *orgfile.File, text string, matchCase bool) []int {
	var out []int
	for at := 0; at < len(f.Source); {
		var n int
		if matchCase {
			n = bytes.Index(f.Source[at:], []byte(text))
		} else {
			n = indexFold(f.Source[at:], []byte(text))
		}
		if n < 0 {
			break
		}
		out = append(out, at+n)
		end := bytes.IndexByte(f.Source[at+n:], '\n')
		if end < 0 {
			break
		}
		at += n + end + 1
	}
	return out
}

// indexFold is bytes.Index without regard to letter case, for a word of the same
// length in both cases.
func indexFold(text, word []byte) int {
	low, up := foldedFirst(word[0])
	if word[0] >= utf8.RuneSelf { // any first byte that a letter may have in the other case
		return indexFoldSlow(text, word)
	}
	nextLow, nextUp := bytes.IndexByte(text, low), bytes.IndexByte(text, up)
	for nextLow >= 0 || nextUp >= 0 {
		at := nextLow
		if at < 0 || nextUp >= 0 && nextUp < at {
			at = nextUp
		}
		if at+len(word) > len(text) {
			return -1
		}
		if bytes.EqualFold(text[at:at+len(word)], word) {
			return at
		}
		if at == nextLow {
			nextLow = indexByteFrom(text, low, at+1)
		}
		if at == nextUp {
			nextUp = indexByteFrom(text, up, at+1)
		}
	}
	return -1
}

func foldedFirst(c byte) (low, up byte) {
	if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
		return c | 0x20, c &^ 0x20
	}
	return c, c
}

func indexByteFrom(text []byte, c byte, from int) int {
	if n := bytes.IndexByte(text[from:], c); n >= 0 {
		return from + n
	}
	return -1
}

func indexFoldSlow(text, word []byte) int {
	for at := 0; at+len(word) <= len(text); at++ {
		if text[at] >= utf8.RuneSelf && utf8.RuneStart(text[at]) && bytes.EqualFold(text[at:at+len(word)], word) {
			return at
		}
	}
	return -1
}

// lineAt returns the line that holds byte at.
func lineAt(src []byte, at int) string {
	start := bytes.LastIndexByte(src[:at], '\n') + 1
	end := len(src)
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		end = at + n
	}
	return strings.ToValidUTF8(string(src[start:end]), "\uFFFD")
}

// around cuts a line to about 200 characters around a text.
func around(line, text string) string {
	const width = 200
	rs := []rune(strings.TrimSpace(line))
	if len(rs) <= width {
		return string(rs)
	}
	at := 0
	if n := indexFold([]byte(string(rs)), []byte(text)); n > 0 {
		at = utf8.RuneCountInString(string(rs)[:n])
	}
	from := max(0, min(at-width/3, len(rs)-width))
	cut := strings.TrimSpace(string(rs[from : from+width]))
	if from > 0 {
		cut = "..." + cut
	}
	if from+width < len(rs) {
		cut += "..."
	}
	return cut
}
