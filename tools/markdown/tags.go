package markdown

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// ListTagsIn are the arguments of list_tags.
type ListTagsIn struct {
	Path  string      `json:"path,omitempty" jsonschema:"only in this page or folder"`
	Limit tools.Limit `json:"limit,omitempty" jsonschema:"maximum number of tags"`
}

// ListTagsOut is the answer of list_tags.
type ListTagsOut struct {
	Tags  []TagCount `json:"tags" jsonschema:"the most used first"`
	Total int        `json:"total" jsonschema:"number of tags"`
	Note  string     `json:"note,omitempty" jsonschema:"what is missing"`
}

// TagCount is a tag with the number of pages that have it.
type TagCount struct {
	Tag   string `json:"tag" jsonschema:"without #"`
	Pages int    `json:"pages" jsonschema:"pages that have it"`
}

func listTags() tools.Tool[*Notebook] {
	return tools.Define(tools.Spec[ListTagsIn, ListTagsOut]{
		Name: "list_tags", Title: "List tags", Effect: tools.Reads, OptIn: true,
		Normalize: aliases("path", "limit"),
		Doc:       "Lists all tags with the number of pages that have them, in text and front matter.\nLetter case does not tell tags apart.",
		Errors:    []tools.Code{tools.NotFound},
		Examples:  []tools.Example[ListTagsIn, ListTagsOut]{{Purpose: "see which tags there are", In: ListTagsIn{Limit: 50}, AnyAnswer: true}},
	}, func(n *Notebook, ctx context.Context, in ListTagsIn) (ListTagsOut, error) { return in.count(ctx, n) })
}

// count carries list_tags out.
func (in ListTagsIn) count(ctx context.Context, n *Notebook) (ListTagsOut, error) {
	o, top, err := n.findNode(ctx, in.Path)
	if err != nil {
		return ListTagsOut{}, err
	}
	var files []string
	top.pages(func(at *node) { files = append(files, at.page) })
	tags := make([][]string, len(files))
	if err := folder.ForEach(ctx, len(files), func(i int) {
		if p, err := n.read(files[i]); err == nil {
			tags[i] = pageTags(p)
		}
	}); err != nil {
		return ListTagsOut{}, err
	}
	counts := map[string]*TagCount{}
	for _, of := range tags {
		seen := map[string]bool{}
		for _, tag := range of {
			name := fold(tag)
			if seen[name] {
				continue
			}
			if seen[name] = true; counts[name] == nil {
				counts[name] = &TagCount{Tag: tag}
			}
			counts[name].Pages++
		}
	}
	out := ListTagsOut{Total: len(counts), Note: skippedNote(o)}
	for _, c := range counts {
		out.Tags = append(out.Tags, *c)
	}
	slices.SortFunc(out.Tags, func(a, b TagCount) int { return cmp.Or(b.Pages-a.Pages, cmp.Compare(a.Tag, b.Tag)) })
	out.Tags = out.Tags[:min(len(out.Tags), int(in.Limit))]
	return out, nil
}

// pageTags are the tags of a page without #, those of the front matter first.
func pageTags(p *page) (tags []string) {
	for _, t := range frontTags(p.fields) {
		tags = append(tags, strings.TrimPrefix(t, "#"))
	}
	return append(tags, links.Tags(p.text, p.body)...)
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
