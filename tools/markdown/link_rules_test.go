package markdown

import (
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// linkRules say where a link leads, from the rules of the applications and not from the code:
// a path from the page or the root; else, of the files of that name or path end, the one in the
// root, the one beside the page, or the one with the shortest path; else, but in Obsidian, a
// title and then an alias. What that leaves open leads nowhere.
type linkRules struct {
	named, titles, aliases map[string][]string
	obsidian               bool
}

func (r linkRules) leads(from string, l links.Link) string {
	target, fromRoot := strings.CutPrefix(l.Target, "/")
	dotted := strings.HasPrefix(target, ".")
	if !fromRoot && (!l.Wiki || dotted) {
		if found := r.at(path.Join(path.Dir(from), target), ""); len(found) > 0 || dotted || !r.obsidian {
			return only(found)
		}
	}
	found := r.at(target, "")
	if len(found) == 0 && !fromRoot {
		found = r.at(target, "/")
	}
	if beside := slices.DeleteFunc(slices.Clone(found), func(f string) bool { return path.Dir(placeOf(f)) != path.Dir(from) }); len(beside) > 0 {
		found = beside
	}
	slices.SortFunc(found, func(a, b string) int { return len([]rune(a)) - len([]rune(b)) })
	if len(found) > 1 && len([]rune(found[0])) < len([]rune(found[1])) {
		return found[0]
	}
	for _, names := range []map[string][]string{r.titles, r.aliases} {
		if len(found) == 0 && !fromRoot && !r.obsidian {
			found = names[strings.ToLower(target)]
		}
	}
	return only(found)
}

// newLinkRules keeps the files by the last part of their names: links are many.
func newLinkRules(files map[string]string) linkRules {
	r := linkRules{named: map[string][]string{}, titles: map[string][]string{}, aliases: map[string][]string{}}
	_, r.obsidian = files[".obsidian/app.json"]
	for f := range files {
		for _, name := range slices.Compact([]string{f, placeOf(f)}) {
			last := strings.ToLower(path.Base(name))
			r.named[last] = append(r.named[last], f)
		}
	}
	return r
}

// at are the files at a path, or with a slash before it those whose paths end in it.
func (r linkRules) at(target, before string) (found []string) {
	target = strings.ToLower(target)
	for _, f := range r.named[path.Base(target)] {
		name, place := strings.ToLower(f), strings.ToLower(placeOf(f))
		end := before + target
		if name == target || place == target || before != "" && (strings.HasSuffix(name, end) || strings.HasSuffix(place, end)) {
			found = append(found, f)
		}
	}
	return found
}

// placeOf is a path without what links leave out.
func placeOf(file string) string {
	place, isPage := strings.CutSuffix(file, ".md")
	if isPage {
		place = strings.TrimSuffix(place, "/_index")
	}
	return place
}

func only(found []string) string {
	if len(found) == 1 {
		return found[0]
	}
	return ""
}
