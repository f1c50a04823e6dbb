package markdown

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

func resources() []tools.Resource[*Notebook] {
	return []tools.Resource[*Notebook]{
		{
			Name: "tree", Title: "Tree of pages", URI: "markdown://{source}/", MIME: "application/json",
			Doc: "The hierarchy of pages, as returned by get_tree.", Read: (*Notebook).readTreeResource, Polled: true,
		},
		{
			Name: "page", Title: "A page", URI: "markdown://{source}/{+path}", MIME: "text/markdown",
			Doc: "One page as Markdown, by path.", Read: (*Notebook).readPageResource, Complete: (*Notebook).complete,
			Targets: (*Notebook).namedPage, Polled: true,
		},
	}
}

// namedPage is what the resource and the prompts of a page touch.
func (n *Notebook) namedPage(_ context.Context, args map[string]string) ([]string, error) {
	return n.pageTargets(args["path"]), nil
}

func (n *Notebook) readTreeResource(ctx context.Context, _ string, _ map[string]string) (tools.Content, error) {
	tree, err := n.GetTree(ctx, GetTreeIn{})
	if err != nil {
		return tools.Content{}, err
	}
	b, err := tools.PlainJSON(tree)
	if err != nil {
		return tools.Content{}, fmt.Errorf("marshal tree: %w", err)
	}
	return tools.Content{Text: string(b)}, nil
}

func (n *Notebook) readPageResource(_ context.Context, _ string, vars map[string]string) (tools.Content, error) {
	file, err := n.find(vars["path"])
	if err != nil {
		return tools.Content{}, err
	}
	p, err := n.read(file)
	if err != nil {
		return tools.Content{}, err
	}
	if len(p.text) > maxContent {
		return tools.Content{}, tools.Errorf(tools.Limited, "The page is too long for a resource: %s", file).
			WithHint("Use read_page with offset and limit.")
	}
	return tools.Content{Text: p.text}, nil
}

// complete proposes paths of pages that begin with prefix, then those whose name
// does.
func (n *Notebook) complete(ctx context.Context, _, prefix string) ([]string, error) {
	o, err := n.outline(ctx)
	if err != nil {
		return nil, err
	}
	var first, second []string
	excluded := excludedPages(n, o, "")
	for _, file := range o.pageFiles() {
		switch {
		case excluded[file]:
		case strings.HasPrefix(folder.FoldName(file), folder.FoldName(prefix)):
			first = append(first, file)
		case strings.HasPrefix(folder.FoldName(path.Base(stem(file))), folder.FoldName(prefix)):
			second = append(second, file)
		}
	}
	all := slices.Concat(first, second)
	return all[:min(len(all), 100)], nil
}
