package org

import (
	"bytes"
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/tools"
)

type findNodesIn struct {
	Query     string      `json:"query,omitempty" jsonschema:"in the title or an alias"`
	ID        string      `json:"id,omitempty" jsonschema:"with this ID"`
	Ref       string      `json:"ref,omitempty" jsonschema:"with this ref: a URL or @citekey"`
	Tags      []string    `json:"tags,omitempty" jsonschema:"all of them"`
	Backlinks bool        `json:"backlinks,omitempty" jsonschema:"also what links to them"`
	Limit     tools.Limit `json:"limit,omitempty" jsonschema:"maximum"`
	Cursor    Cursor      `json:"cursor,omitempty" jsonschema:"nextCursor"`
}

// A roamNode is a file or headline with an ID, as org-roam takes it.
type roamNode struct {
	Title     string         `json:"title" jsonschema:"title"`
	File      string         `json:"file" jsonschema:"file"`
	Level     int            `json:"level" jsonschema:"0: the file"`
	Path      []string       `json:"headlinePath,omitempty" jsonschema:"titles above it, from the top"`
	Aliases   []string       `json:"aliases,omitempty" jsonschema:"other titles"`
	Refs      []string       `json:"refs,omitempty" jsonschema:"what it is about"`
	Tags      []string       `json:"tags,omitempty" jsonschema:"with inherited ones"`
	Backlinks []roamBacklink `json:"backlinks,omitempty" jsonschema:"nodes that link to it; at most 50"`
	headlineLink
}

// A roamBacklink is a link from another node, or from the same.
type roamBacklink struct {
	Title string `json:"title" jsonschema:"of the node that it is in"`
	File  string `json:"file" jsonschema:"file"`
	Line  int    `json:"line" jsonschema:"from 1"`
	OrgID string `json:"orgId" jsonschema:"of that node"`
}

type findNodesOut struct {
	Items      []roamNode `json:"items" jsonschema:"in the order of files"`
	Total      int        `json:"total" jsonschema:"how many there are"`
	NextCursor Cursor     `json:"nextCursor,omitempty" jsonschema:"there are more: pass it as cursor"`
	Note       string     `json:"note,omitempty" jsonschema:"what was left out"`
}

func findNodes() tools.Tool[*Source] {
	return tools.Define(tools.Spec[findNodesIn, findNodesOut]{
		Name: "org-find-nodes", Title: "Find org-roam nodes", Effect: tools.Reads, OptIn: true,
		Doc:       "Find org-roam nodes, files and headlines with an ID, by title, alias, ID, ref or tags, and what links to them.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Normalize: aliases(map[string]string{"title": "query", "alias": "query", "uuid": "id", "orgId": "id"}),
		Redact:    findNodesOut.redact,
		Examples: []tools.Example[findNodesIn, findNodesOut]{
			{
				Purpose: "find a node and what links to it", In: findNodesIn{Query: "alpha", Backlinks: true}, AnyAnswer: true,
				Want: findNodesOut{Items: []roamNode{{
					Title: "Alpha", File: "projects.org", Level: 1, Tags: []string{"work"},
					Backlinks: []roamBacklink{{"Ines", "people.org", 12, "5f1b2c3d-0000-4000-8000-000000000002"}}, headlineLink: exampleLink("Alpha"),
				}}, Total: 1},
			},
		},
	}, (*Source).findNodes)
}

// redact leaves out the nodes and links of covered files.
func (out findNodesOut) redact(covered func(file string) bool) findNodesOut {
	shown := out.Items
	out.Items = nil
	for _, n := range shown {
		if covered(n.File) {
			out.Total--
			out.Note = redactedNote
			continue
		}
		all := len(n.Backlinks)
		n.Backlinks = slices.DeleteFunc(n.Backlinks, func(b roamBacklink) bool { return covered(b.File) })
		if len(n.Backlinks) < all {
			out.Note = redactedNote
		}
		out.Items = append(out.Items, n)
	}
	return out
}

func (s *reader) findNodes(ctx context.Context, in findNodesIn) (findNodesOut, error) {
	pages, err := newPageRange(in.Limit, in.Cursor)
	if err != nil {
		return findNodesOut{}, err
	}
	names, err := s.fileNames(ctx)
	if err != nil {
		return findNodesOut{}, err
	}
	names = slices.DeleteFunc(names, isArchive)
	query, ref := strings.ToLower(in.Query), refKey(in.Ref)
	page, err := findInFiles(ctx, s.catalog, names, pages, func(f *shownFile) (part []found) {
		for i := -1; i < len(f.Headlines); i++ {
			if !f.isNode(i) {
				continue
			}
			if in.wants(f.node(i), query, ref) {
				part = append(part, found{f, i})
			}
		}
		return part
	})
	if err != nil {
		return findNodesOut{}, err
	}
	out := findNodesOut{Total: page.total, NextCursor: page.next}
	for _, at := range page.items {
		node := at.in.node(at.i)
		node.headlineLink = s.link(at.in, at.i)
		out.Items = append(out.Items, node)
	}
	if in.Backlinks {
		err = s.addBacklinks(ctx, names, out.Items)
	}
	return out, err
}

// wants reports whether a node is asked for; query is in lower case.
func (in findNodesIn) wants(node roamNode, query, ref string) bool {
	return (in.ID == "" || node.OrgID == in.ID) && (ref == "" || slices.Contains(node.Refs, ref)) &&
		!slices.ContainsFunc(in.Tags, func(t string) bool { return !slices.Contains(node.Tags, t) }) &&
		slices.ContainsFunc(append(node.Aliases, node.Title), func(t string) bool { return strings.Contains(strings.ToLower(t), query) })
}

// nodeAt returns the nearest node above byte at, -1 for the file; ok is false if there
// is none.
func (f *shownFile) nodeAt(at int) (i int, ok bool) {
	for i = f.AtByte(at); i >= 0 && !f.isNode(i); {
		i = int(f.Headlines[i].Parent)
	}
	return i, f.isNode(i)
}

// isNode reports whether headline i, or the file for -1, is a node of org-roam.
func (f *shownFile) isNode(i int) bool {
	if id, ok := f.Property(i, "ID"); !ok || id == "" {
		return false
	}
	excluded, _ := f.Property(i, "ROAM_EXCLUDE")
	return excluded == "" || excluded == "nil"
}

// node is headline i, or the file for -1, as org-roam stores it.
func (f *shownFile) node(i int) roamNode {
	n := roamNode{File: f.name}
	if n.OrgID, _ = f.Property(i, "ID"); i < 0 {
		n.Title = cmp.Or(f.Settings.Title, strings.TrimSuffix(f.name, ".org"))
		n.Tags = slices.Clone(f.Settings.FileTags)
	} else {
		n.Title, n.Level, n.Tags = f.Text(f.Headlines[i].Title), int(f.Headlines[i].Level), f.AllTags(i)
		n.Path = f.OutlinePath(int(f.Headlines[i].Parent))
	}
	aliases, _ := f.Property(i, "ROAM_ALIASES")
	n.Aliases = splitQuoted(aliases)
	refs, _ := f.Property(i, "ROAM_REFS")
	for _, r := range splitQuoted(refs) {
		n.Refs = append(n.Refs, refKey(r))
	}
	return n
}

// splitQuoted splits words at blanks; a word in quotes may hold blanks.
func splitQuoted(text string) (words []string) {
	for text = strings.TrimLeft(text, " \t"); text != ""; text = strings.TrimLeft(text, " \t") {
		if text[0] != '"' {
			end := strings.IndexAny(text, " \t\"")
			if end < 0 {
				end = len(text)
			}
			words, text = append(words, text[:end]), text[end:]
			continue
		}
		var word strings.Builder
		at := 1
		for ; at < len(text) && text[at] != '"'; at++ {
			if text[at] == '\\' && at+1 < len(text) {
				at++
			}
			word.WriteByte(text[at])
		}
		words, text = append(words, word.String()), text[min(at+1, len(text)):]
	}
	return words
}

// refKey is a ref as org-roam compares it: a URL without its scheme, a citation by its
// key with @.
func refKey(ref string) string {
	ref = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(ref), "[["), "]]")
	for _, prefix := range []string{"cite:@", "cite:&", "cite:", "[cite:@", "&"} {
		if key, ok := strings.CutPrefix(ref, prefix); ok {
			return "@" + strings.TrimSuffix(key, "]")
		}
	}
	if scheme, rest, ok := strings.Cut(ref, ":"); ok && strings.HasPrefix(rest, "//") && !strings.ContainsAny(scheme, " /") {
		return rest
	}
	return ref
}

// maxBacklinks bounds how many links to one node are listed.
const maxBacklinks = 50

// nodeLink finds what may link to a node: an ID, a URL or a citation.
var nodeLink = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`id:[^\]\[<>\s]+|https?://[^\]\[<>\s]+|@[A-Za-z0-9_:.#$%&+?<>~/-]+`)
})

// addBacklinks fills in what links to nodes, by ID and by ref.
func (s *reader) addBacklinks(ctx context.Context, names []string, nodes []roamNode) error {
	wanted := map[string][]int{}
	for n := range nodes {
		for _, key := range append([]string{"id:" + nodes[n].OrgID}, nodes[n].Refs...) {
			wanted[key] = append(wanted[key], n)
		}
	}
	type hit struct {
		node int
		link roamBacklink
	}
	each := make([][]hit, len(names))
	err := s.eachFile(ctx, names, func(n int, f *shownFile) {
		for _, m := range nodeLink().FindAllIndex(f.Source, -1) {
			to := wanted[refKey(strings.TrimRight(string(f.Source[m[0]:m[1]]), ".,;:!?)"))]
			if to == nil || !f.inText(m[0]) {
				continue
			}
			i, ok := f.nodeAt(m[0])
			if !ok {
				continue
			}
			from := f.node(i)
			for _, node := range to {
				each[n] = append(each[n], hit{node, roamBacklink{from.Title, f.name, f.Line(m[0]), from.OrgID}})
			}
		}
	})
	for _, h := range slices.Concat(each...) {
		if node := &nodes[h.node]; len(node.Backlinks) < maxBacklinks {
			node.Backlinks = append(node.Backlinks, h.link)
		}
	}
	return err
}

// inText reports whether byte at stands where a link counts: not in the ID and refs of
// a node, nor in a comment line.
func (f *shownFile) inText(at int) bool {
	line := bytes.TrimSpace(f.Source[bytes.LastIndexByte(f.Source[:at], '\n')+1 : at])
	upper := bytes.ToUpper(line)
	return !bytes.HasPrefix(upper, []byte(":ID:")) && !bytes.HasPrefix(upper, []byte(":ROAM_REFS:")) && !bytes.HasPrefix(line, []byte("# "))
}
