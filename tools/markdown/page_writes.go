package markdown

import (
	"bytes"
	"context"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/internal/vault"
	"github.com/lectern-mcp/lectern/tools"
)

// maxPage is the size of the largest page that is written.
const maxPage = 16 << 20

// Etag is what read_page answered for a page; quotes around it are ignored.
type Etag string

// check refuses when a page is not as the etag says. An empty one demands
// nothing.
func (e Etag) check(p *page) error {
	if e == "" || strings.Trim(string(e), `"`) == p.etag() {
		return nil
	}
	return conflictError(p.etag())
}

// replacePage makes text the whole of a page that is as p says. It keeps the line
// endings and the byte order mark.
func (d *draft) replacePage(p *page, text string) error {
	if !p.utf8 {
		return tools.Errorf(tools.Invalid, "The page is not UTF-8 text and cannot be edited as such: %s", p.file).
			WithHint("Ask the user to convert it to UTF-8.")
	}
	st, err := d.state(p.file)
	if err != nil {
		return err
	}
	if !bytes.Equal(st.Data, p.data) { // somebody was faster than the call
		return conflictError(vault.Etag(st.Data))
	}
	return d.setContent(p.file, vault.Rewrite(p.data, text))
}

// checkNewPage checks that a new page can be at file: a page, none of the files that
// are not pages, and not a second page of a place that has one.
func (n *Notebook) checkNewPage(o *outline, file string) (string, error) {
	if !isPage(file) {
		return "", tools.Errorf(tools.Invalid, "path: must end in .md, got %s", path.Base(file)).WithHint("Paths look like Projects/Alpha.md.")
	}
	placed, err := n.resolveNewPath(file, "")
	if err != nil {
		return "", err
	}
	if !n.isServed(placed) {
		return "", tools.Errorf(tools.Invalid, "path: no page can be there: %s", file).WithHint("Folders named assets hold attachments; choose another place.")
	}
	if at, ok := o.places[stem(placed)]; ok && at.page != "" {
		return "", tools.Errorf(tools.Conflict, "The page exists already as %s", at.page).WithHint("Use that path.")
	}
	return placed, nil
}

// promote makes every leaf above a new page the page of a folder: Title.md
// becomes Title/_index.md. Notebooks of other programs, which keep Title.md
// beside Title/, are left as they are. It returns the new paths.
func (d *draft) promote(ctx context.Context, o *outline, file string) ([]string, error) {
	if !d.n.indexStyle(o) {
		return nil, nil
	}
	m := moves{}
	for place := parentPlace(stem(file)); place != ""; place = parentPlace(place) {
		if at, ok := o.places[place]; ok && at.page != "" && !isIndex(at.page) && len(at.children) == 0 {
			m[at.page] = place + "/" + index
		}
	}
	if isIndex(file) { // Title/_index.md where Title.md is a leaf is refused by room
		delete(m, stem(file)+".md")
	}
	return d.relocate(ctx, o, m, false)
}

// indexStyle says whether folders have their page in an _index.md: when some
// have, or when no other program's habits are to be expected.
func (n *Notebook) indexStyle(o *outline) bool {
	return o.indexed || !n.vault.Has(".obsidian") && !n.vault.Has("logseq")
}

// addPage writes a new page where room has found some.
func (n *Notebook) addPage(ctx context.Context, c tools.CallContext, o *outline, file string, data []byte) error {
	d := n.draft()
	changed, err := d.promote(ctx, o, file)
	if err != nil {
		return err
	}
	if err := d.addFile(file, data); err != nil {
		return err
	}
	if err := d.commit(ctx, c); err != nil {
		return err
	}
	n.announce(append(changed, file)...)
	return nil
}
