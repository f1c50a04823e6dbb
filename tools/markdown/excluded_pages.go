package markdown

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
)

// excludedPages are the files that lists, searches and proposals leave out, because the
// application of the folder excludes them from its own: Obsidian by its excluded files,
// Logseq by :hidden. Their links count, and who names one can read and change it. Below
// a place that is excluded itself nothing is left out: it was asked for.
func excludedPages(n *Notebook, o *outline, place string) map[string]bool {
	excludes := readExclusions(n.layout, n.graph, n.settings)
	if excludes == nil || place != "" && excludes(place+"/") {
		return nil
	}
	left := map[string]bool{}
	for _, file := range o.listed {
		if excludes(file) && file != place {
			left[file] = true
		}
	}
	return left
}

// readExclusions reads what an application excludes, by path; nil: nothing.
func readExclusions(l layout, graph *logseqfile.Graph, settings func(file string) ([]byte, error)) func(file string) bool {
	var filters []string
	switch l {
	case plainLayout, mirrorLayout: // they have no settings
	case logseqLayout:
		filters = graph.Hidden
	case obsidianLayout:
		var app struct {
			Filters []string `json:"userIgnoreFilters"`
		}
		if data, err := settings(".obsidian/app.json"); err == nil && json.Unmarshal(data, &app) == nil {
			filters = app.Filters
		}
	}
	var patterns []*regexp.Regexp
	var beginnings []string
	for _, f := range filters {
		if inner, ok := strings.CutPrefix(f, "/"); ok && l == obsidianLayout && len(inner) > 1 && strings.HasSuffix(inner, "/") {
			if pattern, err := regexp.Compile(strings.TrimSuffix(inner, "/")); err == nil { // what only JavaScript knows excludes nothing
				patterns = append(patterns, pattern)
			}
		} else if f != "" {
			beginnings = append(beginnings, folder.FoldName(f))
		}
	}
	if len(patterns)+len(beginnings) == 0 {
		return nil
	}
	return func(file string) bool {
		folded := folder.FoldName(file)
		return slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(folded, b) }) ||
			slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(file) })
	}
}

// without is a hierarchy without what is excluded, and without folders that hold
// nothing else. A page stays if one below it does.
func (n *node) without(excluded map[string]bool) *node {
	if len(excluded) == 0 {
		return n
	}
	kept := *n
	kept.children = nil
	for _, c := range n.children {
		if below := c.without(excluded); len(below.children) > 0 || c.page != "" && !excluded[c.page] {
			kept.children = append(kept.children, below)
		}
	}
	return &kept
}

// excludedNote says how many pages below a place are left out; empty: none.
func excludedNote(excluded map[string]bool, place string) string {
	pages, example := 0, ""
	for file := range excluded {
		if isPage(file) && (place == "" || strings.HasPrefix(file, place+"/")) {
			if pages++; example == "" || file < example {
				example = file
			}
		}
	}
	if pages == 0 {
		return ""
	}
	return fmt.Sprintf("%d pages are left out because the application excludes them; give path %q to see them. ", pages, path.Dir(example))
}
