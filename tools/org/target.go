package org

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// maxURI is the maximum length of a URI, in bytes.
const maxURI = 8 << 10

// A target is what a URI means, in any of its spellings:
//
//	org://FILE, org://FILE/outline, org://FILE/headline/PATH, org://id/ID
//	org-headline://FILE#PATH, org-outline://FILE, org-id://ID
//	id:ID, file:FILE::*Title, file:FILE::#CUSTOM_ID
type target struct {
	file     string // its name; empty with id
	path     []string
	title    string // of a headline anywhere in the file
	customID string
	id       string
	outline  bool
	compat   bool // the first title may be of any level, and the first match counts
}

func invalidURIError(uri string) error {
	return tools.Errorf(tools.Invalid, "Invalid resource URI format: %.200s", uri).
		WithHint("Use a resourceUri as answers give it, such as org://projects.org/headline/Alpha/Tasks or org://id/ID.")
}

// parseTarget reads a URI. It finds the file, but not the headline.
func (s *catalog) parseTarget(ctx context.Context, uri string) (target, error) {
	if len(uri) > maxURI || strings.ContainsRune(uri, 0) {
		return target{}, invalidURIError(uri)
	}
	for _, scheme := range []struct {
		prefix string
		parse  func(ctx context.Context, rest string) (target, error)
	}{
		{"org://", s.parseOrg},
		{"org-id://", parseID},
		{"id:", parseID},
		{"org-headline://", s.parseOrgHeadline},
		{"org-outline://", s.parseOrgOutline},
		{"file:", s.parseFileLink},
	} {
		if rest, ok := strings.CutPrefix(uri, scheme.prefix); ok {
			if rest == "" {
				return target{}, invalidURIError(uri)
			}
			return scheme.parse(ctx, rest)
		}
	}
	return target{}, invalidURIError(uri)
}

func parseID(_ context.Context, rest string) (target, error) {
	return target{id: unescapeSegment(rest)}, nil
}

// parseOrg reads what follows org://: a file, by the longest match among those that
// are allowed, and what is meant in it.
func (s *catalog) parseOrg(ctx context.Context, rest string) (target, error) {
	if id, ok := strings.CutPrefix(rest, "id/"); ok && id != "" {
		return target{id: unescapeSegment(id)}, nil
	}
	raw := splitPath(rest)
	parts := make([]string, len(raw))
	for i, part := range raw {
		if parts[i] = unescapeSegment(part); parts[i] == ".." || strings.ContainsRune(parts[i], 0) {
			return target{}, invalidURIError("org://" + rest)
		}
	}
	var first error
	for n := len(parts); n > 0; n-- {
		if n < len(parts) && parts[n] != "outline" && parts[n] != "headline" {
			continue
		}
		name, err := s.resolveFile(ctx, strings.Join(parts[:n], "/"))
		switch {
		case err != nil && tools.AsError(err).Code != tools.NotFound:
			return target{}, err
		case err != nil:
			first = err // of the shortest name, which is likely to be the one that was meant
			continue
		case n == len(parts):
			return target{file: name}, nil
		case n+1 == len(parts) && parts[n] == "headline":
			return target{}, tools.Errorf(tools.Invalid, "URI must identify a headline, not a whole file")
		}
		return target{file: name, path: raw[n+1:], outline: parts[n] == "outline"}, nil
	}
	return target{}, first
}

func (s *catalog) parseOrgHeadline(ctx context.Context, rest string) (target, error) {
	file, path, found := strings.Cut(rest, "#")
	name, err := s.resolveFile(ctx, unescapeSegment(file))
	if err != nil || !found || path == "" {
		return target{file: name}, err
	}
	return target{file: name, path: splitPath(path), compat: true}, nil
}

func (s *catalog) parseOrgOutline(ctx context.Context, rest string) (target, error) {
	name, err := s.resolveFile(ctx, unescapeSegment(rest))
	return target{file: name, outline: true}, err
}

// parseFileLink reads Org's own links to files.
func (s *catalog) parseFileLink(ctx context.Context, rest string) (target, error) {
	file, search, _ := strings.Cut(rest, "::")
	name, err := s.resolveFile(ctx, strings.TrimPrefix(file, "//"))
	t := target{file: name}
	switch {
	case err != nil || search == "":
	case strings.HasPrefix(search, "*"):
		t.title = search[1:]
	case strings.HasPrefix(search, "#"):
		t.customID = search[1:]
	default:
		t.title = search
	}
	return t, err
}

// find finds the file and the headline that a URI means; the headline is -1 for the
// file itself.
func (s *catalog) find(ctx context.Context, uri string) (*shownFile, int, error) {
	t, err := s.parseTarget(ctx, uri)
	if err != nil {
		return nil, 0, err
	}
	return s.findTarget(ctx, t)
}

func (s *catalog) findTarget(ctx context.Context, t target) (*shownFile, int, error) {
	if t.id != "" {
		return s.findID(ctx, t.id)
	}
	f, err := s.file(t.file)
	if err != nil {
		return nil, 0, err
	}
	i, err := s.findIn(f, t)
	return f, i, err
}

// findHeadline is find for a URI that must mean a headline.
func (s *catalog) findHeadline(ctx context.Context, uri string) (*shownFile, int, error) {
	f, i, err := s.find(ctx, uri)
	if err == nil && i < 0 {
		return nil, 0, tools.Errorf(tools.Invalid, "URI must identify a headline, not a whole file").
			WithHint("Add /headline/ and the titles from the top down.")
	}
	return f, i, err
}

// findIn finds the headline in its file.
func (s *catalog) findIn(f *shownFile, t target) (int, error) {
	var found []int
	what := t.title
	switch {
	case t.id != "":
		if i, ok := f.ByProperty("ID", t.id); ok {
			return i, nil
		}
		return 0, tools.Errorf(tools.NotFound, "Cannot find ID '%.200s'", t.id)
	case t.customID != "":
		what = "#" + t.customID
		if i, ok := f.ByProperty("CUSTOM_ID", t.customID); ok {
			return i, nil
		}
	case t.title != "":
		found = titled(f, allHeadlines(f), t.title)
	case len(t.path) > 0:
		what = unescapeSegment(strings.Join(t.path, "/"))
		found = findPath(f, t.path, t.compat || s.config.speaksOrgMCP())
		if t.compat && len(found) > 1 {
			found = found[:1]
		}
	default:
		return -1, nil
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return 0, tools.Errorf(tools.NotFound, "Cannot find headline: %.300s", what).
			WithHint("Write titles without state, priority and tags. Read org://%s/outline, or search.", escapePath(f.name))
	}
	data := errorData{}
	var named []string
	for _, i := range found[:min(len(found), 10)] {
		id, _ := f.Property(i, "ID")
		c := Candidate{s.uri(f, i), id, f.Line(int(f.Headlines[i].Begin))}
		data.candidates = append(data.candidates, c)
		if id != "" {
			id = ", ID " + id
		}
		named = append(named, fmt.Sprintf("%s (line %d%s)", c.ResourceURI, c.Line, id))
	}
	return 0, &tools.Error{
		Code: tools.Conflict, SpecCode: "AMBIGUOUS", Message: strconv.Itoa(len(found)) + " headlines have this path",
		Hint: "Use one of these URIs, or org://id/ID: " + strings.Join(named, ", ") + ".", Data: data,
	}
}

// findPath returns the headlines with a path of encoded titles. With anywhere the
// first title may be of any level.
func findPath(f *shownFile, path []string, anywhere bool) []int {
	level := f.Children(-1)
	if anywhere {
		level = allHeadlines(f)
	}
	for n, segment := range path {
		if n > 0 {
			var below []int
			for _, i := range level {
				below = append(below, f.Children(i)...)
			}
			level = below
		}
		level = matchSegment(f, level, segment)
	}
	return level
}

// matchSegment returns the headlines that a part of a path names: by title, with ;n
// the n-th of its siblings.
func matchSegment(f *shownFile, among []int, segment string) []int {
	base, number, _ := cutLast(segment, ";")
	if n, err := strconv.Atoi(number); err == nil && n > 0 {
		numbered := slices.DeleteFunc(titled(f, among, unescapeSegment(base)), func(i int) bool {
			k, _ := duplicateNumber(f.File, i)
			return k != n
		})
		if len(numbered) > 0 {
			return numbered
		}
	}
	return titled(f, among, unescapeSegment(segment))
}

// splitPath splits a path at its slashes, but not at that of a statistics cookie.
func splitPath(path string) []string {
	path = cookie.ReplaceAllStringFunc(path, func(c string) string { return strings.Replace(c, "/", "%2F", 1) })
	return strings.Split(path, "/")
}

// titled returns the headlines with a title. Statistics cookies do not count: one that
// has changed since still names its headline. As it is it decides between siblings.
func titled(f *shownFile, among []int, title string) []int {
	var exact, alike []int
	name, counts := linkTitle(title), cookie.MatchString(title)
	for _, i := range among {
		own := f.Text(f.Headlines[i].Title)
		if counts && own == title {
			exact = append(exact, i)
		}
		if linkTitle(own) == name {
			alike = append(alike, i)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return alike
}

func allHeadlines(f *shownFile) []int {
	all := make([]int, len(f.Headlines))
	for i := range all {
		all[i] = i
	}
	return all
}

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// targetsOf is what rules by path and the audit know a call by: the file that a URI
// means, or the URI where that cannot be told.
func (s *catalog) targetsOf(ctx context.Context, uris ...string) ([]string, error) {
	var names []string
	for _, uri := range uris {
		if uri == "" {
			continue
		}
		name := uri
		if t, err := s.parseTarget(ctx, uri); err == nil {
			if name = t.file; t.id != "" {
				name = uri
				if f, _, err := s.findID(ctx, t.id); err == nil {
					name = f.name
				}
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}
