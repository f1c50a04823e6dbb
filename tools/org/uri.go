package org

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// escapeSegment percent-encodes everything in a part of a URI but unreserved
// characters.
func escapeSegment(text string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}

// escapePath is escapeSegment for each part of a path.
func escapePath(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = escapeSegment(part)
	}
	return strings.Join(parts, "/")
}

// unescapeSegment decodes percent-encoding once. A % that starts none stands for
// itself.
func unescapeSegment(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// uri names headline i, or the file for -1, by its path.
func (s *catalog) uri(f *shownFile, i int) string {
	if s.config.speaksOrgMCP() {
		return s.compatURI(f, i)
	}
	u := "org://" + escapePath(f.name)
	if i < 0 {
		return u
	}
	return u + "/headline/" + strings.Join(headlinePath(f, i), "/")
}

// cookie is a statistics cookie.
var cookie = regexp.MustCompile(`\[[0-9]*(?:%|/[0-9]*)\]`)

// linkTitle is a title as Org's own links spell it: without statistics cookies and with
// one blank between words. What a headline counts does not change its name.
func linkTitle(title string) string {
	if !strings.ContainsAny(title, "[\t\f\v") && !strings.Contains(title, "  ") {
		return title
	}
	words := strings.FieldsFunc(cookie.ReplaceAllString(title, ""), func(r rune) bool { return strings.ContainsRune(" \t\f\v", r) })
	return strings.Join(words, " ")
}

// headlinePath is the encoded titles from the top down to headline i. The n-th of
// siblings with one title ends in ;n.
func headlinePath(f *shownFile, i int) []string {
	var segments []string
	for ; i >= 0; i = int(f.Headlines[i].Parent) {
		segment := escapeSegment(linkTitle(f.Text(f.Headlines[i].Title)))
		if n, several := duplicateNumber(f.File, i); several {
			segment += ";" + strconv.Itoa(n)
		}
		segments = append([]string{segment}, segments...)
	}
	return segments
}

// duplicateNumber counts headline i among its siblings with the same title, from 1.
func duplicateNumber(f *orgfile.File, i int) (n int, several bool) {
	h := &f.Headlines[i]
	total := 0
	title := linkTitle(f.Text(h.Title))
	same := func(other *orgfile.Headline) bool { return linkTitle(f.Text(other.Title)) == title }
	first := int(h.Parent) + 1
	end := int32(len(f.Source))
	if h.Parent >= 0 {
		end = f.Headlines[h.Parent].End
	}
	for at := first; at < len(f.Headlines) && f.Headlines[at].Begin < end; at = f.AfterSubtree(at) {
		if same(&f.Headlines[at]) {
			total++
			if at == i {
				n = total
			}
		}
	}
	return n, total > 1
}

// compatURI is uri as the server org-mcp writes it.
func (s *catalog) compatURI(f *shownFile, i int) string {
	if id, ok := f.Property(i, "ID"); ok && i >= 0 {
		return "org-id://" + id
	}
	u := "org-headline://" + strings.ReplaceAll(f.Path, "#", "%23")
	if i < 0 {
		return u
	}
	var titles []string
	for _, title := range f.OutlinePath(i) {
		titles = append(titles, escapeSegment(title))
	}
	return u + "#" + strings.Join(titles, "/")
}
