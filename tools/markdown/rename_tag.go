package markdown

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
)

// RenameTagIn are the arguments of rename_tag.
type RenameTagIn struct {
	Tag    string `json:"tag" jsonschema:"tag, with or without #; tags below it are renamed too"`
	NewTag string `json:"new_tag" jsonschema:"its new name; tags of that name are joined"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only answer what would change"`
}

// RenameTagOut is the answer of rename_tag.
type RenameTagOut struct {
	Changed    int      `json:"changed" jsonschema:"number of pages that change"`
	Pages      []string `json:"pages" jsonschema:"the first 100 of them"`
	Left       []string `json:"left,omitempty" jsonschema:"pages whose front matter has it in a form that cannot be changed"`
	Unreadable int      `json:"unreadable,omitempty" jsonschema:"pages that could not be read"`
	DryRun     bool     `json:"dry_run,omitempty" jsonschema:"nothing was written"`
}

func renameTag() tools.Tool[*Notebook] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[RenameTagIn, RenameTagOut]{
		Name: "rename_tag", Title: "Rename a tag", Effect: tools.Writes, OptIn: true,
		Selects:   []string{"tag", "new_tag"},
		Normalize: aliases("tag", "new_tag"),
		Doc:       "Renames a tag on all pages, in text and front matter, as one change.\nTags below it, such as work/plans, follow. Code stays.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[RenameTagIn, RenameTagOut]{{
			Purpose: "rename a tag", In: RenameTagIn{Tag: "start", NewTag: "first"},
			Want: RenameTagOut{Changed: 1, Pages: []string{"Welcome.md"}},
		}},
	}, func(n *Notebook, ctx context.Context, c tools.CallContext, in RenameTagIn) (RenameTagOut, error) {
		return in.rename(ctx, n, c)
	}), func(_ *Notebook, _ context.Context, in RenameTagIn) ([]string, error) { return in.targets(), nil })
}

// rename carries rename_tag out.
func (in RenameTagIn) rename(ctx context.Context, n *Notebook, c tools.CallContext) (RenameTagOut, error) {
	r := tagRename{strings.TrimPrefix(in.Tag, "#"), strings.TrimPrefix(in.NewTag, "#")}
	if strings.TrimSpace(r.from) == "" || !links.IsTag(r.to) || slices.Contains(strings.Split(r.to, "/"), "") || len(r.to) > 200 {
		return RenameTagOut{}, tools.Errorf(tools.Invalid,
			"tag and new_tag: must be names of letters, digits, _ and -, with / between, and not only of digits")
	}
	if err := n.writing.Acquire(ctx, 1); err != nil {
		return RenameTagOut{}, err
	}
	defer n.writing.Release(1)
	o, err := n.outline(ctx)
	if err != nil {
		return RenameTagOut{}, err
	}
	d, files := n.draft(), o.pageFiles()
	left := make([]atomic.Bool, len(files))
	changed, unreadable, err := d.editPages(ctx, files, func(p *page) []folder.Splice {
		splices, kept := r.splices(p)
		if i, ok := slices.BinarySearch(files, p.file); ok {
			left[i].Store(kept)
		}
		return splices
	})
	if err != nil {
		return RenameTagOut{}, err
	}
	out := RenameTagOut{Changed: len(changed), Pages: changed[:min(len(changed), 100)], Unreadable: unreadable, DryRun: in.DryRun}
	for i := range left {
		if left[i].Load() && len(out.Left) < 100 {
			out.Left = append(out.Left, files[i])
		}
	}
	if in.DryRun || len(changed) == 0 {
		return out, nil
	}
	if err := d.commit(ctx, c); err != nil {
		return RenameTagOut{}, err
	}
	n.announce(changed...)
	return out, nil
}

// A tagRename gives a tag, and those below it, another name.
type tagRename struct{ from, to string }

// renamed is the new name of a tag.
func (r tagRename) renamed(tag string) (string, bool) {
	if strings.EqualFold(tag, r.from) {
		return r.to, true
	}
	if len(tag) > len(r.from) && tag[len(r.from)] == '/' && strings.EqualFold(tag[:len(r.from)], r.from) {
		return r.to + tag[len(r.from):], true
	}
	return "", false
}

// splices renames the tag on a page; left: the front matter has it and stays.
func (r tagRename) splices(p *page) (all []folder.Splice, left bool) {
	for _, t := range links.FindTags(p.text, p.lines()) {
		if to, ok := r.renamed(t.Name); ok {
			all = append(all, folder.Splice{Start: t.Start, End: t.Start + len(t.Name), New: to})
		}
	}
	if p.graph != nil {
		all = append(all, r.graphSplices(p)...)
	}
	want, has := []string{}, false
	for _, t := range frontTags(p.front) {
		if to, ok := r.renamed(strings.TrimPrefix(t, "#")); ok {
			t, has = strings.TrimSuffix(t, strings.TrimPrefix(t, "#"))+to, true
		}
		want = append(want, t)
	}
	if !has {
		return all, false
	}
	front := r.frontSplices(p)
	block, _, ok := frontmatter.Split(folder.TextAfter(p.text, front))
	now, err := frontmatter.Parse(block)
	if !ok || err != nil || !slices.Equal(frontTags(now), want) {
		return all, true
	}
	return append(all, front...), false
}

// graphSplices renames the tag in the lines tags:: of a Logseq graph, where it has no #.
func (r tagRename) graphSplices(p *page) (all []folder.Splice) {
	for _, l := range p.lines() {
		line := p.text[l.Start:l.End]
		bare := strings.TrimPrefix(strings.TrimLeft(line, " \t"), "- ")
		property, ok := logseqfile.ReadProperty(bare, l.End-len(bare))
		if l.Code || !ok || property.Key != "tags" {
			continue
		}
		at := property.Start
		for part := range strings.SplitSeq(property.Value, ",") {
			name := strings.TrimSpace(part)
			inner := strings.TrimSuffix(strings.TrimPrefix(name, "[["), "]]")
			if to, ok := r.renamed(inner); ok && !strings.HasPrefix(name, "#") {
				start := at + strings.Index(part, inner)
				all = append(all, folder.Splice{Start: start, End: start + len(inner), New: to})
			}
			at += len(part) + 1
		}
	}
	return all
}

// frontSplices renames the words that are the tag on the lines of the tags. What that
// makes of the front matter has to be checked.
func (r tagRename) frontSplices(p *page) (all []folder.Splice) {
	for _, key := range tagKeys() {
		first, last := p.front.Lines(key)
		at := 0
		for number, line := range strings.SplitAfter(p.text[:p.body], "\n") {
			if number+1 >= max(first, 1) && number+1 <= last {
				all = append(all, r.lineSplices(line, at, number+1 == first)...)
			}
			at += len(line)
		}
	}
	return all
}

// lineSplices renames the tag in the values of one line.
func (r tagRename) lineSplices(line string, offset int, key bool) (all []folder.Splice) {
	from := 0
	if key {
		from = strings.IndexByte(line, ':') + 1
	}
	inTag := func(c rune) bool {
		return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) || strings.ContainsRune("_-/", c)
	}
	for from < len(line) {
		c, size := utf8.DecodeRuneInString(line[from:])
		switch {
		case c == '#' && from > 0 && (line[from-1] == ' ' || line[from-1] == '\t'):
			return all // a comment
		case !inTag(c):
			from += size
			continue
		}
		end := strings.IndexFunc(line[from:], func(c rune) bool { return !inTag(c) })
		if end < 0 {
			end = len(line) - from
		}
		if to, ok := r.renamed(line[from : from+end]); ok {
			all = append(all, folder.Splice{Start: offset + from, End: offset + from + end, New: to})
		}
		from += end
	}
	return all
}

// frontTags are the tags of front matter as they are written.
func frontTags(f frontmatter.Fields) (tags []string) {
	for _, key := range tagKeys() {
		for _, t := range f.Texts(key) {
			if _, list := f.Values[key].([]any); list {
				tags = append(tags, t)
			} else {
				tags = append(tags, strings.Fields(t)...)
			}
		}
	}
	return tags
}

func tagKeys() []string { return []string{"tags", "tag"} }
