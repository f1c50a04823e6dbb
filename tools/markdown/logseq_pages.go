package markdown

import (
	"context"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
)

// readGraph reads the settings of a Logseq graph; nil: the folder is none.
func readGraph(l layout, settings func(file string) ([]byte, error)) *logseqfile.Graph {
	if l != logseqLayout {
		return nil
	}
	data, err := settings("logseq/config.edn")
	if err != nil {
		data = nil // as a graph without settings
	}
	return logseqfile.Read(string(data))
}

// describeGraph is what an index of a graph's pages depends on.
func describeGraph(g *logseqfile.Graph) []string {
	if g == nil {
		return nil
	}
	return []string{fmt.Sprintf("logseq %v %q", g.TripleUnderscore, g.TitleFormat)}
}

// withProperties are the keys of front matter and the properties of the page, of which
// those that name pages are lists.
func withProperties(front frontmatter.Fields, properties []logseqfile.Property) frontmatter.Fields {
	all := front
	all.Values = maps.Clone(front.Values)
	for _, p := range properties {
		if _, has := all.Values[p.Key]; has {
			continue
		}
		switch p.Key {
		case "alias", "aliases", "tags":
			list := []any{}
			for _, name := range logseqfile.Names(p.Value) {
				list = append(list, name)
			}
			all.Values[p.Key] = list
		default:
			all.Values[p.Key] = p.Value
		}
	}
	return all
}

// pageTitled is the file of a page that a link with this title leads to; empty: there
// is none.
func (c *comparison) pageTitled(ctx context.Context, n *Notebook, title string) (string, error) {
	key := folder.FoldName(n.graph.Canonical(title))
	if c.x != nil {
		pages, failed := c.namedPages(ctx)
		for _, kind := range []index.NameKind{index.TitleName, index.AliasName} {
			if found := pages(kind, key); len(found) > 0 {
				return found[0], nil
			}
		}
		if err := failed(); err == nil || ctx.Err() != nil {
			return "", err
		}
	}
	for _, file := range c.outline.pageFiles() {
		p := n.head(file)
		for _, name := range append(p.aliases(), p.title()) {
			if folder.FoldName(name) == key {
				return file, nil
			}
		}
	}
	return "", ctx.Err()
}

// newGraphPage finds the file of a new page in a Logseq graph and its title, which gets
// a number if it is taken. A page below another has that one's title before its own.
func newGraphPage(ctx context.Context, n *Notebook, now *comparison, parent *node, title string) (file, given string, err error) {
	dir := ""
	switch {
	case parent.page != "":
		title, dir = n.head(parent.page).title()+"/"+title, path.Dir(parent.page)
	case parent.place != "":
		dir = parent.place
	}
	if strings.Contains(title, "[[") || strings.Contains(title, "]]") {
		return "", "", tools.Errorf(tools.Invalid, "title: no link can name a page with [[ or ]] in its title")
	}
	for i := 1; i < 1000; i++ {
		given = title
		if i > 1 {
			given = fmt.Sprintf("%s-%d", title, i)
		}
		if taken, err := now.pageTitled(ctx, n, given); err != nil || taken != "" {
			if err != nil {
				return "", "", err
			}
			continue
		}
		file = graphFile(n.graph, given, dir)
		if _, err := n.view.Find(file); err == nil {
			continue
		}
		file, err = n.checkNewPage(now.outline, file)
		return file, given, err
	}
	return "", "", tools.Errorf(tools.Conflict, "Too many pages have this title: %s", title).WithHint("Choose another title.")
}

// graphFile is the file of a page with a title, in a folder if one is given. Of a title
// that makes no name of a file it is a name like the title.
func graphFile(g *logseqfile.Graph, title, dir string) string {
	file, _ := g.FileName(title)
	if dir != "" {
		file = path.Join(dir, path.Base(file))
	}
	if folder.CheckNew(file) != nil || strings.ContainsAny(path.Base(file), unlinkable) || len(path.Base(file)) > maxGraphName {
		file = path.Join(path.Dir(file), pageName(path.Base(file)))
	}
	return file + ".md"
}

// maxGraphName is how long the name of a file may be, in bytes, before it is cut and
// the title stands in the page.
const maxGraphName = 240

// graphProperties are the lines that a new page of a Logseq graph begins with: a title
// that the name of the file does not say, and an icon.
func graphProperties(g *logseqfile.Graph, file, title, icon, content string) string {
	var b strings.Builder
	if g.PageTitle(file) != g.Canonical(title) {
		b.WriteString("title:: " + title + "\n")
	}
	if icon != "" {
		b.WriteString("icon:: " + icon + "\n")
	}
	if b.Len() > 0 && content != "" && len(logseqfile.Properties(content, 0)) == 0 {
		b.WriteString("\n")
	}
	return b.String() + content
}

// addNamespace adds the pages whose titles are below that of a page which gets another
// title: Logseq keeps them beside it, and renames them with it.
func (d *draft) addNamespace(o *outline, from, to string, m moves) error {
	g := d.n.graph
	if g == nil || !isPage(from) || d.n.head(from).fields.Text("title") != "" {
		return nil
	}
	was, becomes := g.PageTitle(from), g.PageTitle(to)
	if was == becomes {
		return nil
	}
	for _, file := range o.pageFiles() {
		title := g.PageTitle(file)
		if path.Dir(file) != path.Dir(from) || len(title) <= len(was) || title[len(was)] != '/' ||
			folder.FoldName(title[:len(was)]) != folder.FoldName(was) {
			continue
		}
		now := graphFile(d.n.graph, becomes+title[len(was):], path.Dir(to))
		if d.View().Exists(now) {
			return d.n.toolError(now, folder.ErrExists)
		}
		m[file] = now
	}
	return nil
}

// checkGraphTitle refuses to move a page to where its title would be that of another:
// Logseq would leave one of them out.
func checkGraphTitle(ctx context.Context, n *Notebook, p *page, to string) error {
	if n.graph == nil || p.fields.Text("title") != "" || folder.FoldName(n.graph.PageTitle(to)) == folder.FoldName(p.title()) {
		return nil
	}
	now, err := n.look(ctx)
	if err != nil {
		return err
	}
	taken, err := now.pageTitled(ctx, n, n.graph.PageTitle(to))
	if err == nil && taken != "" && taken != p.file {
		err = tools.Errorf(tools.Conflict, "A page with the title %s already exists: %s", n.graph.PageTitle(to), taken).
			WithHint("Choose another path.")
	}
	return err
}
