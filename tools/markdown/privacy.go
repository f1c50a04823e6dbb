package markdown

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// privacyRules are the rules of a notebook as [folder.Rules]. A page is hidden by
// its path, its tags (in the front matter or as #tag) and its front matter; if these
// are needed and cannot be read, it is hidden. Any other file is hidden by its path,
// or with the page of the nearest folder above it that has one.
type privacyRules struct {
	privacy tools.Privacy
	exclude tools.Privacy // the rules of Exclude without those of Only
	head    int64         // how much of a page the rules need; 0: all
}

// newRules are the rules for a view; nil if nothing can be hidden.
func newRules(p tools.Privacy) folder.Rules {
	if !p.Any() {
		return nil
	}
	r := privacyRules{privacy: p, exclude: tools.Privacy{Exclude: p.Exclude}, head: frontmatter.MaxBytes + 16}
	if slices.ContainsFunc(slices.Concat(p.Exclude, p.Only), func(r tools.PrivacyRule) bool { return r.Tag != "" }) {
		r.head = 0
	}
	return r
}

// HidesFolder implements [folder.Rules]. A folder that is named like a hidden page is
// hidden too, so that nothing needs to find out which of them exists. Logseq's
// backups have the text of hidden pages without their paths.
func (r privacyRules) HidesFolder(dir string) bool {
	if r.privacy.HidesFolder(dir) || isBackup(dir) {
		return true
	}
	return isPage(dir) && r.excludes(dir)
}

// HidesName implements [folder.Rules].
func (r privacyRules) HidesName(file string) (hidden, decided bool) {
	if isBackup(file) || r.exclude.Hides(tools.Page{Path: file, File: file}) {
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

// HidesFile implements [folder.Rules].
func (r privacyRules) HidesFile(all folder.Files, file string) bool {
	if isServed(all.Exists, file) {
		return r.hidesPage(all, file)
	}
	if isPage(file) && (privacyRules{r.exclude, r.exclude, r.head}).hidesPage(all, file) {
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

// excludes reports whether a rule of Exclude covers the path of a page.
func (r privacyRules) excludes(page string) bool {
	return r.exclude.Hides(tools.Page{Path: stem(page), File: page})
}

func (r privacyRules) hidesPage(all folder.Files, file string) bool {
	if hidden, decided := r.hidesPath(file); decided {
		return hidden
	}
	data, err := all.ReadHead(file, r.head)
	return err != nil || r.hidesText(parse(file, data))
}

// hidesPath decides about a page by its path, if that is enough.
func (r privacyRules) hidesPath(file string) (hidden, decided bool) {
	if r.excludes(file) {
		return true, true
	}
	if r.privacy.NeedsContent() {
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
	return r.hidesText(parse(file, data))
}

// hidesText decides about a page by its metadata. What cannot be read is hidden.
func (r privacyRules) hidesText(p *page) bool {
	at, named, ok := readMetadata(p)
	if !ok || r.exclude.Hides(at) {
		return true
	}
	if len(r.privacy.Only) == 0 {
		return false
	}
	at.Tags = append(at.Tags[:named:named], links.Tags(p.text, p.body)...)
	return tools.Privacy{Only: r.privacy.Only}.Hides(at)
}

// readMetadata returns what rules by tag and property need of a page, with every
// #tag in its text, in code and comments too: with Exclude it is better to hide too
// much than too little. The first named tags are those of the front matter. It is
// not ok if the front matter cannot be read.
func readMetadata(p *page) (at tools.Page, named int, ok bool) {
	if p.yamlError != nil || p.body == 0 && strings.HasPrefix(p.text, "---\n") {
		return tools.Page{}, 0, false
	}
	at = tools.Page{Path: stem(p.file), File: p.file, Properties: map[string][]string{}}
	for name := range p.fields.Values {
		at.Properties[name] = p.fields.Texts(name)
	}
	for _, name := range []string{"tags", "tag"} {
		for _, t := range p.fields.Texts(name) {
			at.Tags = append(append(at.Tags, t), strings.Fields(t)...)
		}
	}
	named = len(at.Tags)
	at.Tags = append(at.Tags, findTags(p.text[p.body:])...)
	return at, named, true
}

// findTags returns every #tag and #[[tag]] in a text.
func findTags(text string) (tags []string) {
	for last := ' '; ; {
		at := strings.IndexByte(text, '#')
		if at < 0 {
			return tags
		}
		if at > 0 {
			last, _ = utf8.DecodeLastRuneInString(text[:at])
		}
		text = text[at+1:]
		tag, size := leadingTag(text)
		if size == 0 || last == '&' || last == '#' || last != '-' && isInTag(last) {
			last = '#'
			continue
		}
		tags = append(tags, tag)
		last, _ = utf8.DecodeLastRuneInString(text[:size])
		text = text[size:]
	}
}

// leadingTag returns the tag after a #, and how long it is there; 0 if there is none.
func leadingTag(text string) (tag string, size int) {
	if inside, ok := strings.CutPrefix(text, "[["); ok {
		if end := strings.IndexAny(inside, "[]\n"); end > 0 && strings.HasPrefix(inside[end:], "]]") {
			return inside[:end], end + len("[[]]")
		}
		return "", 0
	}
	end := strings.IndexFunc(text, func(r rune) bool { return !isInTag(r) })
	if end < 0 {
		end = len(text)
	}
	return text[:end], end
}

func isInTag(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' || r == '/' || r == '-'
}

// owners are the pages that a file may belong to: of each folder above it, the
// nearest first. The page of a folder named assets is that of the folder above.
func owners(file string) (pages [][]string) {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if !strings.EqualFold(path.Base(dir), "assets") {
			pages = append(pages, []string{dir + "/" + index, dir + ".md"})
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
	return tools.Errorf(tools.Denied, "Pages like this one are hidden from agents").WithHint("Choose another path or content, or ask the user.")
}
