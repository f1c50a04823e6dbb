package markdown

import (
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/labels"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
)

// privacyRules are the rules of a notebook as [folder.Rules]. A page is hidden by
// its path, its tags and its properties; if these are needed and cannot be read, it
// is hidden. Any other file is hidden by its path,
// or with the page of the nearest folder above it that has one.
type privacyRules struct {
	privacy tools.Privacy
	exclude tools.Privacy     // the rules of Exclude without those of Only
	graph   *logseqfile.Graph // of Logseq: rules of Exclude are for titles too
}

// newRules are the rules for a view; nil if nothing can be hidden.
func newRules(p tools.Privacy, graph *logseqfile.Graph) folder.Rules {
	if !p.Any() {
		return nil
	}
	return privacyRules{privacy: p, exclude: tools.Privacy{Exclude: p.Exclude}, graph: graph}
}

// HidesFolder implements [folder.Rules]. A folder that is named like a hidden page is
// hidden too, so that nothing needs to find out which of them exists. Logseq's
// backups have the text of hidden pages without their paths.
func (r privacyRules) HidesFolder(dir string) bool {
	if r.privacy.HidesFolder(dir) || isBackup(dir) || slices.ContainsFunc(folder.Originals(dir), r.exclude.HidesFolder) {
		return true
	}
	return isPage(dir) && r.excludes(dir)
}

// HidesName implements [folder.Rules].
func (r privacyRules) HidesName(file string) (hidden, decided bool) {
	if isBackup(file) || slices.ContainsFunc(folder.Originals(file), r.excludesFile) {
		return true, true
	}
	if isPage(file) && (!inAssets(file) || r.excludes(file)) {
		return r.hidesPath(file)
	}
	decided = len(r.privacy.Only) == 0 && !r.privacy.NeedsContent()
	for i, pages := range owners(file) {
		if slices.ContainsFunc(pages, r.excludes) { // those of the nearest folder decide, whether or not they exist
			return i == 0, i == 0
		}
	}
	return false, decided
}

// excludesFile reports whether a rule of Exclude covers the path of a file as it is, or
// that of the page that it is.
func (r privacyRules) excludesFile(file string) bool {
	return r.exclude.Hides(tools.Page{Path: file, File: file}) || isPage(file) && r.exclude.Hides(tools.Page{Path: stem(file), File: file})
}

// excluding are only those rules that hide what they match.
func (r privacyRules) excluding() privacyRules { return privacyRules{r.exclude, r.exclude, r.graph} }

// HidesFile implements [folder.Rules]. A copy is hidden with what it is a copy of.
func (r privacyRules) HidesFile(all folder.Files, file string) bool {
	if r.hidesOne(all, file) {
		return true
	}
	return slices.ContainsFunc(folder.Originals(file)[1:], func(original string) bool {
		return (!isPage(original) || all.Exists(original)) && r.excluding().hidesOne(all, original)
	})
}

func (r privacyRules) hidesOne(all folder.Files, file string) bool {
	if isServed(all.Exists, file) {
		return r.hidesPage(all, file)
	}
	if isPage(file) && r.excluding().hidesPage(all, file) {
		return true
	}
	for _, pages := range owners(file) {
		owned, hidden := false, false
		for _, page := range pages {
			if r.excludes(page) || all.Exists(page) && isServed(all.Exists, page) {
				owned, hidden = true, hidden || r.hidesPage(all, page)
			}
		}
		if owned {
			return hidden
		}
	}
	return r.privacy.Hides(tools.Page{Path: file, File: file})
}

// excludes reports whether a rule of Exclude covers the path of a page, or of what it is a
// copy of.
func (r privacyRules) excludes(page string) bool {
	return slices.ContainsFunc(folder.Originals(page), func(page string) bool {
		return r.exclude.Hides(tools.Page{Path: stem(page), File: page}) || r.graph != nil && r.excludesTitle(r.graph.PageTitle(page))
	})
}

func (r privacyRules) excludesTitle(title string) bool {
	return r.exclude.Hides(tools.Page{Path: title})
}

func (r privacyRules) hidesPage(all folder.Files, file string) bool {
	if hidden, decided := r.hidesPath(file); decided {
		return hidden
	}
	data, err := all.Read(file)
	return err != nil || r.hidesText(file, data)
}

// hidesPath decides about a page by its path, if that is enough.
func (r privacyRules) hidesPath(file string) (hidden, decided bool) {
	if r.excludes(file) {
		return true, true
	}
	if r.privacy.NeedsContent() || r.graph != nil { // a property may be its title
		return false, false
	}
	return r.privacy.Hides(tools.Page{Path: stem(file), File: file}), true
}

// HidesContent implements [folder.Rules].
func (r privacyRules) HidesContent(file string, data []byte) bool {
	if !isPage(file) {
		return false
	}
	if inAssets(file) { // an attachment, which Only shows with its page
		r.privacy = r.exclude
	}
	if hidden, decided := r.hidesPath(file); decided {
		return hidden
	}
	return r.hidesText(file, data)
}

// hidesText decides about a page by what it holds. What cannot be read is hidden.
// Rules of Exclude match whatever some program may take for a tag or property; those
// of Only what tools show as one.
func (r privacyRules) hidesText(file string, data []byte) bool {
	found, ok := labels.Read(data)
	if !ok || r.exclude.Hides(tools.Page{Path: stem(file), File: file, Tags: found.Tags, Properties: found.Properties}) {
		return true
	}
	if r.graph != nil && slices.ContainsFunc(found.Properties["title"], r.excludesTitle) {
		return true
	}
	return len(r.privacy.Only) > 0 && tools.Privacy{Only: r.privacy.Only}.Hides(describePage(parsePage(nil, file, data)))
}

// describePage is a page as tools show it.
func describePage(p *page) tools.Page {
	at := tools.Page{Path: stem(p.file), File: p.file, Tags: links.Tags(p.text, p.body), Properties: map[string][]string{}}
	for name := range p.fields.Values {
		at.Properties[name] = p.fields.Texts(name)
	}
	for _, name := range []string{"tags", "tag"} {
		for _, t := range p.fields.Texts(name) {
			at.Tags = append(append(at.Tags, t), strings.Fields(t)...)
		}
	}
	return at
}

// owners are the pages that a file may belong to: of each folder above it, the
// nearest first. The page of a folder named assets is that of the folder above.
func owners(file string) (pages [][]string) {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if !strings.EqualFold(path.Base(dir), "assets") {
			pages = append(pages, []string{dir + "/" + indexPage, dir + ".md"})
		}
	}
	return pages
}

// inAssets reports whether a file is in a folder named assets, so that it may be an
// attachment whatever its name.
func inAssets(file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if strings.EqualFold(path.Base(dir), "assets") {
			return true
		}
	}
	return false
}

// hiddenError refuses a write that would change a hidden page or hide the page it
// writes. Both have the same message, which reveals nothing.
func hiddenError() error {
	return tools.HiddenError("Pages like this one are hidden from agents").WithHint("Choose another path or content, or ask the user.")
}
