package markdown

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/labels"
)

// CountHiddenPages implements [tools.HiddenPageCounter]. It takes about 10 µs per page,
// and reads pages only for rules by tag or property.
func (n *Notebook) CountHiddenPages(ctx context.Context) (status.HiddenPages, error) {
	disk, ok := n.store.(*folder.Committer)
	if !ok {
		return status.HiddenPages{}, tools.Errorf(tools.Unavailable, "what a draft hides cannot be counted")
	}
	rules, _ := n.rules.(privacyRules)
	count := tools.NewPrivacyCount(rules.privacy)
	var ignored []string
	all, err := disk.List(ctx, func(name string, dir bool) bool {
		if isForeign(name) {
			ignored = append(ignored, name)
		}
		return dir && isForeign(name)
	})
	all.Ignored = ignored
	if err != nil {
		return status.HiddenPages{}, n.toolError(".", err)
	}
	left := describeLeftOut(n, all)
	for _, dir := range all.Folders {
		count.Match(tools.Page{Path: dir, File: dir})
	}
	exists := map[string]bool{}
	for _, file := range all.Files {
		exists[file] = true
	}
	err = folder.ForEach(ctx, len(all.Files), func(i int) {
		file := all.Files[i]
		if !isServed(func(file string) bool { return exists[file] }, file) {
			count.Match(tools.Page{Path: file, File: file})
			return
		}
		page := tools.Page{Path: stem(file), File: file}
		if count.NeedsContent() {
			if st, err := disk.State(file); err == nil { // what cannot be read is hidden
				found, _ := labels.Read(st.Data)
				page.Tags, page.Properties = found.Tags, found.Properties
			}
		}
		_, hidden := disk.Look(file)
		count.Add(page, hidden)
	})
	pages := count.Pages()
	pages.LeftOut = left
	return pages, err
}

// describeLeftOut says what lists leave out although no rule hides it.
func describeLeftOut(n *Notebook, all folder.Listing) (left []string) {
	if excludes := readExclusions(n.layout, n.graph, n.settings); excludes != nil {
		var files []string
		for _, file := range all.Files {
			if excludes(file) {
				files = append(files, file)
			}
		}
		if len(files) > 0 {
			left = append(left, fmt.Sprintf(
				"%d files that the application excludes, which are read by their paths: %s", len(files), firstNames(files)))
		}
	}
	if len(all.Ignored) > 0 {
		left = append(left, "backups and what other programs keep: "+firstNames(all.Ignored))
	}
	return left
}

var _ tools.HiddenPageCounter = (*Notebook)(nil)
