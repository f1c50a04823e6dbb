package markdown

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// This file names what tools that write are about, for the record of a call that ends before its
// changes are known, and for rules by path.

// writesTo adds to a tool which pages it is about, by their arguments.
func writesTo[In any](t tools.Tool[*Notebook], paths func(In) []string) tools.Tool[*Notebook] {
	return tools.WithTargets(t, func(n *Notebook, _ context.Context, in In) ([]string, error) {
		return namedTargets(n, paths(in)...), nil
	})
}

// namedTargets names pages and folders as Changes do, each once. What does not exist, or is
// hidden, is named as it was asked for.
func namedTargets(n *Notebook, args ...string) (names []string) {
	for _, arg := range args {
		switch {
		case arg == "":
		case strings.HasSuffix(arg, "/"):
			names = append(names, arg)
		default:
			names = append(names, n.pageTargets(arg)...)
		}
	}
	return names
}

// targets are the file or folder that create_page would make, as far as its arguments tell.
func (in CreatePageIn) targets(n *Notebook) []string {
	title, dir := pageTitle(in.Title), argumentPlace(in.ParentPath)
	switch {
	case strings.Trim(title, "/") == "":
		return namedTargets(n, in.ParentPath)
	case n.graph != nil && dir != "" && !n.view.IsDir(dir): // below a page, by its title
		return []string{graphFile(n.graph, n.graph.PageTitle(dir+".md")+"/"+title, path.Dir(dir))}
	case n.graph != nil:
		return []string{graphFile(n.graph, title, dir)}
	case strings.HasSuffix(title, "/"):
		return []string{folder.DirTarget(path.Join(dir, strings.TrimRight(title, "/")))}
	}
	name, _ := unusedName(n, path.Join(dir, pageName(title)+".md"))
	return []string{name}
}

// targets are the page or folder, and where it would be moved to.
func (in MovePageIn) targets(n *Notebook) []string {
	to := strings.TrimPrefix(in.DestinationPath, "./")
	from := namedTargets(n, in.SourcePath)
	if !isPage(to) && len(from) > 0 && (isPage(from[0]) || path.Ext(to) == "" || n.view.IsDir(to)) {
		to = path.Join(argumentPlace(to), path.Base(from[0]))
	}
	return append(from, to)
}

// targets are the tag, since only a look at all pages tells which have it.
func (in RenameTagIn) targets() []string {
	tag := strings.TrimPrefix(in.Tag, "#")
	if tag == "" {
		return nil
	}
	return []string{"#" + tag}
}

// targets are those of all calls, as far as their tools tell.
func (in BatchIn) targets(ctx context.Context, n *Notebook, callable []tools.Tool[*Notebook]) (names []string, err error) {
	for _, step := range in.Steps {
		arguments, err := json.Marshal(step.Arguments)
		if err != nil {
			return nil, err
		}
		for _, t := range callable {
			if t.Info().Name == step.Tool && t.Info().HasTargets {
				if of, err := t.Targets(ctx, n, arguments); err == nil {
					names = append(names, of...)
				}
			}
		}
	}
	return names, nil
}
