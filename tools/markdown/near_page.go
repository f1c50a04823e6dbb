package markdown

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/tools"
)

// maxNearPages is how many pages an error names at most.
const maxNearPages = 3

// maxNearPath is how long the path of such a page may be, in bytes.
const maxNearPath = 500

// explainMissing is an error of a page that was not found, with why it cannot be there
// or which pages were probably meant. Other errors stay as they are.
func explainMissing(ctx context.Context, n *Notebook, arg string, err error) error {
	e := tools.AsError(err)
	if e == nil || e.Code != tools.NotFound || !strings.HasPrefix(e.Message, missingPage) {
		return err
	}
	if link, found := n.view.FindSymlink(strings.TrimPrefix(arg, "./")); found {
		return notFoundError(arg).WithHint("%s is a symbolic link, and links are not followed. Use the path of the file itself.", link)
	}
	place := argumentPlace(arg)
	for _, file := range []string{strings.TrimPrefix(arg, "./"), place + ".md", place + "/" + indexPage} {
		if away, hidden := inCloud(n, file); away && !hidden {
			return notFoundError(arg).WithHint(cloudHint)
		}
	}
	now, lookErr := n.look(ctx)
	if lookErr != nil {
		return err
	}
	if file, moved := movedTo(n, arg); moved {
		return notFoundError(arg).WithHint("It was moved to %s.", file)
	}
	for _, file := range orgPages(n, now.outline, "") {
		if wanted := folder.FoldName(strings.TrimPrefix(arg, "./")); folder.FoldName(file) == wanted ||
			folder.FoldName(strings.TrimSuffix(path.Base(file), path.Ext(file))) == wanted {
			return notFoundError(arg).WithHint("%s is a page in Org. A source of kind org reads it, and this one does not.", file)
		}
	}
	excluded := excludedPages(n, now.outline, "")
	pages := nearPages(arg, slices.DeleteFunc(now.outline.pageFiles(), func(file string) bool { return excluded[file] }))
	if !isPage(arg) && path.Ext(arg) != "" {
		pages = append(pages, nearAttachments(now.outline, arg)...)
	}
	if len(pages) == 0 {
		return err
	}
	return notFoundError(arg).WithHint("Did you mean %s?", strings.Join(pages, " or "))
}

// nearPages are those of the pages that have the name of a path, in whatever folder, or
// else the name that is nearest to it.
func nearPages(arg string, pages []string) (near []string) {
	named := map[string][]string{}
	var names []string
	for _, file := range pages {
		if len(file) > maxNearPath {
			continue
		}
		name := folder.FoldName(path.Base(stem(file)))
		if len(named[name]) == 0 {
			names = append(names, name)
		}
		named[name] = append(named[name], file)
	}
	wanted := folder.FoldName(path.Base(argumentPlace(arg)))
	found := named[wanted]
	if len(found) == 0 {
		found = named[nearest.Word(wanted, names)]
	}
	return found[:min(len(found), maxNearPages)]
}
