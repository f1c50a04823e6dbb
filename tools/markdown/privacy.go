package markdown

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// hides reports whether a file is hidden from agents. A page is hidden by its
// path, its tags (in the front matter or as #tag) and its front matter; if these
// are needed and cannot be read, it is hidden. Any other file is hidden by its
// path, or with the page of the nearest folder above it that has one.
func (n *Notebook) hides(file string) bool {
	if !n.privacy.Any() {
		return false
	}
	if !n.isServed(file) {
		return n.hidesAttachment(file)
	}
	hidden, known := n.hidesByPath(file)
	if known {
		return hidden
	}
	p, err := n.readForPrivacy(file)
	return err != nil || n.hidesPage(p)
}

// hidesContentAt is hides for a page with the content data.
func (n *Notebook) hidesContentAt(file string, data []byte) bool {
	if !n.privacy.Any() || !n.isServed(file) {
		return n.hides(file)
	}
	if hidden, known := n.hidesByPath(file); known {
		return hidden
	}
	return n.hidesPage(parse(file, data))
}

// hidesByPath decides by a page's path if that is enough; known is false if not.
func (n *Notebook) hidesByPath(file string) (hidden, known bool) {
	at := tools.Page{Path: stem(file), File: file}
	if n.excludeRules().Hides(at) {
		return true, true
	}
	return n.privacy.Hides(at), !n.privacy.NeedsContent()
}

// excludeRules are the rules of Exclude without those of Only.
func (n *Notebook) excludeRules() tools.Privacy { return tools.Privacy{Exclude: n.privacy.Exclude} }

// readForPrivacy reads as much of a page as the rules need.
func (n *Notebook) readForPrivacy(file string) (*page, error) {
	tag := func(m tools.PrivacyRule) bool { return m.Tag != "" }
	if slices.ContainsFunc(n.privacy.Exclude, tag) || slices.ContainsFunc(n.privacy.Only, tag) {
		return n.read(file)
	}
	data, err := n.vault.ReadHead(file, frontmatter.MaxBytes+16)
	if err != nil {
		return nil, n.toolError(file, err)
	}
	return parse(file, data), nil
}

// anyTagPattern finds tags everywhere, in code and comments too: with Exclude it
// is better to hide too much than too little.
var anyTagPattern = regexp.MustCompile(`(?:^|[^\pL\pN_/&#])#(?:\[\[([^\[\]\n]+)\]\]|([\pL\pN_/-]+))`)

func (n *Notebook) hidesPage(p *page) bool {
	if p.yamlError != nil || p.body == 0 && strings.HasPrefix(p.text, "---\n") {
		return true // its front matter cannot be read
	}
	at := tools.Page{Path: stem(p.file), File: p.file, Properties: map[string][]string{}}
	for name := range p.fields.Values {
		at.Properties[name] = p.fields.Texts(name)
	}
	for _, name := range []string{"tags", "tag"} {
		for _, t := range p.fields.Texts(name) {
			at.Tags = append(append(at.Tags, t), strings.Fields(t)...)
		}
	}
	named := len(at.Tags)
	for _, m := range anyTagPattern.FindAllStringSubmatch(p.text[p.body:], -1) {
		at.Tags = append(at.Tags, m[1]+m[2])
	}
	if n.excludeRules().Hides(at) {
		return true
	}
	if len(n.privacy.Only) == 0 {
		return false
	}
	at.Tags = append(at.Tags[:named], links.Tags(p.text, p.body)...)
	return tools.Privacy{Only: n.privacy.Only}.Hides(at)
}

// hidesAsAttachment reports whether a file is hidden by its own path.
func (n *Notebook) hidesAsAttachment(file string) bool {
	return n.excludeRules().Hides(tools.Page{Path: file, File: file})
}

func (n *Notebook) hidesAttachment(file string) bool {
	if n.hidesAsAttachment(file) {
		return true
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if strings.EqualFold(path.Base(dir), "assets") {
			continue // its page is that of the folder above
		}
		owned, hidden := false, false
		for _, page := range []string{dir + "/" + index, dir + ".md"} {
			if n.vault.Exists(page) && n.isServed(page) {
				owned, hidden = true, hidden || n.hides(page)
			}
		}
		if owned {
			return hidden
		}
	}
	return n.privacy.Hides(tools.Page{Path: file, File: file})
}

// filterVisible removes what is hidden from e, and folders that hold only hidden
// files.
func (n *Notebook) filterVisible(ctx context.Context, e entries) (entries, error) {
	if !n.privacy.Any() {
		return e, nil
	}
	hidden := make([]bool, len(e.files))
	if err := parallel(ctx, len(e.files), func(i int) { hidden[i] = n.hides(e.files[i]) }); err != nil {
		return entries{}, err
	}
	holds, shows := map[string]bool{}, map[string]bool{}
	var files []string
	for i, file := range e.files {
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			holds[dir], shows[dir] = true, shows[dir] || !hidden[i]
		}
		if !hidden[i] {
			files = append(files, file)
		}
	}
	dirs := slices.DeleteFunc(e.dirs, func(dir string) bool {
		return holds[dir] && !shows[dir] || !holds[dir] && n.privacy.Hides(tools.Page{Path: dir, File: dir})
	})
	skipped := slices.DeleteFunc(e.skipped, func(dir string) bool {
		return n.excludeRules().Hides(tools.Page{Path: dir, File: dir}) || n.excludeRules().Hides(tools.Page{Path: dir + "/x", File: dir + "/x.md"})
	})
	return entries{dirs: dirs, files: files, skipped: skipped}, nil
}

// findVisible is folder.Find among the files that agents may see.
func (n *Notebook) findVisible(name string) (string, error) {
	if !n.privacy.Any() {
		return n.vault.Find(name)
	}
	if hidden, known := n.hidesByPath(name); known && hidden {
		if err := folder.CheckName(name); err != nil {
			return "", err
		}
		return "", fmt.Errorf("find %s: %w", name, fs.ErrNotExist) // the state of the disk, such as an unreadable folder, must not show
	}
	near, err := n.vault.FindVariants(name)
	if err != nil {
		return "", err
	}
	near = slices.DeleteFunc(near, n.hides)
	composed := slices.IndexFunc(near, func(s string) bool { return norm.NFC.String(s) == norm.NFC.String(name) })
	switch {
	case slices.Contains(near, name):
		return name, nil
	case len(near) == 1:
		return near[0], nil
	case composed >= 0:
		return near[composed], nil
	case len(near) > 1:
		return "", folder.ErrAmbiguous
	}
	return "", fmt.Errorf("find %s: %w", name, fs.ErrNotExist)
}

// resolveNewPath is folder.CheckDestination with errors that do not reveal hidden files.
func (n *Notebook) resolveNewPath(name, from string) (string, error) {
	placed, err := n.vault.CheckDestination(name, from)
	if err == nil {
		return placed, nil
	}
	if twin, ok := errors.AsType[*folder.CaseConflictError](err); ok && n.privacy.Any() && n.hidesAll(twin.Existing) {
		return "", hiddenError()
	}
	return "", n.toolError(name, err)
}

// hidesAll reports whether a file is hidden, or everything in a folder.
func (n *Notebook) hidesAll(name string) bool {
	if !n.vault.IsDir(name) {
		return n.hides(name)
	}
	e, err := n.entries(context.Background())
	return err == nil && !slices.Contains(e.dirs, name)
}

// nameTakenError reports that a path is taken.
func (n *Notebook) nameTakenError(name string) error {
	if n.privacy.Any() && n.hidesAll(name) {
		return hiddenError()
	}
	return n.toolError(name, folder.ErrExists)
}

// hiddenError refuses a write that would change a hidden page or hide the page it
// writes. Both have the same message, which reveals nothing.
func hiddenError() error {
	return tools.Errorf(tools.Denied, "Pages like this one are hidden from agents").WithHint("Choose another path or content, or ask the user.")
}

// checkPrivacy refuses Changes to files that are hidden before or after.
func (d *draft) checkPrivacy(changes []tools.Change) error {
	if !d.n.privacy.Any() {
		return nil
	}
	for _, c := range changes {
		if _, isFolder := parseFolderTarget(c.Target); isFolder {
			continue
		}
		before := c.Before.Exists && d.n.hidesContentAt(c.Target, c.Before.Data)
		after := c.After.Exists && (d.n.isServed(c.Target) && d.n.hidesContentAt(c.Target, c.After.Data) || d.n.hidesAsAttachment(c.Target))
		if before || after {
			return hiddenError()
		}
	}
	return nil
}
