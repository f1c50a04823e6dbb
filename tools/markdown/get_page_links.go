package markdown

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// GetPageLinksIn are the arguments of get_page_links.
type GetPageLinksIn struct {
	Path  string      `json:"path" jsonschema:"page"`
	Limit tools.Limit `json:"limit,omitempty" jsonschema:"maximum of each list"`
}

// GetPageLinksOut is the answer of get_page_links.
type GetPageLinksOut struct {
	Outgoing  []OutgoingLink `json:"outgoing" jsonschema:"links on the page, in order"`
	Incoming  []IncomingLink `json:"incoming" jsonschema:"pages that link to it"`
	Truncated bool           `json:"truncated,omitempty" jsonschema:"something was cut; note says what"`
	Note      string         `json:"note,omitempty" jsonschema:"what was cut"`
}

// OutgoingLink is a link to a page or an attachment.
type OutgoingLink struct {
	Title      string   `json:"title" jsonschema:"title of the page, or the text of the link"`
	Path       string   `json:"path" jsonschema:"the page; empty when broken or ambiguous"`
	Status     string   `json:"status" jsonschema:"ok, broken, ambiguous or attachment"`
	Line       int      `json:"line" jsonschema:"line of the page, from 1"`
	Heading    string   `json:"heading,omitempty" jsonschema:"heading it points to"`
	Block      string   `json:"block,omitempty" jsonschema:"block it points to"`
	Text       string   `json:"text,omitempty" jsonschema:"text shown instead of the target"`
	Embed      bool     `json:"embed,omitempty" jsonschema:"the target is embedded"`
	Candidates []string `json:"candidates,omitempty" jsonschema:"pages that an ambiguous link may mean"`
}

// IncomingLink is a page that links here.
type IncomingLink struct {
	Title string `json:"title" jsonschema:"title"`
	Path  string `json:"path" jsonschema:"file of the page"`
	Line  int    `json:"line" jsonschema:"line of its first link to the page"`
	Count int    `json:"count" jsonschema:"number of links to the page"`
}

func getPageLinks() tools.Tool[*Notebook] {
	return tools.WithTargets(tools.Define(tools.Spec[GetPageLinksIn, GetPageLinksOut]{
		Name: "get_page_links", Title: "Links of a page", Effect: tools.Reads,
		Selects:   []string{"path"},
		Normalize: aliases("path", "limit"),
		Doc: "Lists the links from a page and the pages that link to it (backlinks).\n" +
			"Includes wikilinks and Markdown links; broken and ambiguous links are marked.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[GetPageLinksIn, GetPageLinksOut]{{
			Purpose: "see what a page is connected to", In: GetPageLinksIn{Path: "Projects/Beta.md", Limit: 50},
			Want: GetPageLinksOut{
				Outgoing: []OutgoingLink{{Title: "Alpha", Path: "Projects/Alpha.md", Status: "ok", Line: 3, Heading: "Goals"}, {
					Title: "Alpha", Path: "Projects/Alpha.md", Status: "ok", Line: 3,
				}},
				Incoming: []IncomingLink{
					{Title: "Alpha", Path: "Projects/Alpha.md", Line: 13, Count: 1},
					{Title: "Welcome", Path: "Welcome.md", Line: 10, Count: 1},
				},
			},
		}},
	}, (*Notebook).GetPageLinks), func(n *Notebook, _ context.Context, in GetPageLinksIn) ([]string, error) {
		return n.pageTargets(in.Path), nil
	})
}

// GetPageLinks implements get_page_links.
func (n *Notebook) GetPageLinks(ctx context.Context, in GetPageLinksIn) (GetPageLinksOut, error) {
	file, err := n.find(in.Path)
	if err != nil {
		return GetPageLinksOut{}, explainMissing(ctx, n, in.Path, err)
	}
	p, err := n.read(file)
	if err != nil {
		return GetPageLinksOut{}, explainMissing(ctx, n, in.Path, err)
	}
	now, err := n.look(ctx)
	if err != nil {
		return GetPageLinksOut{}, err
	}
	out := GetPageLinksOut{Note: skippedNote(now.outline)}
	if out.Outgoing, out.Incoming, err = now.linksOf(ctx, n, p); err != nil {
		return GetPageLinksOut{}, err
	}
	limit := int(in.Limit)
	if more := len(out.Outgoing) - limit; more > 0 {
		out.Outgoing, out.Truncated = out.Outgoing[:limit], true
		out.Note += fmt.Sprintf("%d more outgoing links. ", more)
	}
	if more := len(out.Incoming) - limit; more > 0 {
		out.Incoming, out.Truncated = out.Incoming[:limit], true
		out.Note += fmt.Sprintf("%d more incoming pages. ", more)
	}
	return out, nil
}

// outgoing are the links of p; title is the title of a page, and empty for another
// file.
func outgoing(p *page, r *linkResolver, title func(file string) string) []OutgoingLink {
	var out []OutgoingLink
	for _, l := range pageLinks(p) {
		if l.Target == "" { // a heading of the page itself
			continue
		}
		link := OutgoingLink{
			Title: safetext.Truncate(l.Target, 200), Line: l.Line, Heading: safetext.Truncate(l.Heading, 200), Block: l.Block,
			Text: safetext.Truncate(l.Text, 200), Embed: l.Embed,
		}
		switch found, _ := r.resolve(p.file, l); {
		case len(found) == 1:
			link.Status, link.Path = "attachment", found[0]
			if named := title(found[0]); named != "" {
				link.Status, link.Title = "ok", named
			}
		case len(found) > 1:
			link.Status, link.Candidates = "ambiguous", found[:min(len(found), 10)]
		case isOutside(l), l.Tag, l.Listed: // a tag needs no page
			continue
		default:
			link.Status = "broken"
		}
		out = append(out, link)
	}
	return out
}

// isOutside reports a Markdown link to a folder, or an anchor of another tool.
func isOutside(l links.Link) bool { return !l.Wiki && !isPage(l.Target) && path.Ext(l.Target) == "" }

func incoming(file string, r *linkResolver, all []linkSource) []IncomingLink {
	var out []IncomingLink
	for _, c := range all {
		in := IncomingLink{Title: c.title, Path: c.file}
		for _, l := range c.links {
			if l.Target == "" {
				continue
			}
			if found, _ := r.resolve(c.file, l.Link); !slices.Equal(found, []string{file}) {
				continue
			}
			in.Line = cmp.Or(in.Line, l.Line)
			in.Count++
		}
		if in.Count > 0 {
			out = append(out, in)
		}
	}
	return out
}
