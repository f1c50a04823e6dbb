package markdown

import (
	"context"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// maxPage is the maximum size of a page, in bytes.
const maxPage = 16 << 20

// checkContent checks the text that an agent gives.
func checkContent(content string) error {
	switch {
	case len(content) > maxPage:
		return tools.Errorf(tools.Limited, "content: at most %d bytes, got %d", maxPage, len(content))
	case strings.Contains(content, "\x00"): // other programs would take the page for no text
		return tools.Errorf(tools.Invalid, "content: has a NUL character on line %d",
			strings.Count(content[:strings.IndexByte(content, 0)], "\n")+1).
			WithHint("Leave it out; bytes are attached with add_attachment.")
	}
	return nil
}

// Etag is a version of a page from read_page; quotes around it are ignored.
type Etag string

// version is the etag without quotes, and of a whole SHA-256 as much as an etag has.
func (e Etag) version() string {
	v := strings.Trim(string(e), `"`)
	if len(v) == 64 {
		return v[:etagLength]
	}
	return v
}

// check returns a conflict if the page has another version. An empty Etag
// matches every version.
func (e Etag) check(p *page) error {
	if e == "" || e.version() == p.etag() {
		return nil
	}
	return conflictError(p.etag())
}

// findToChange finds a page that a tool will change, checks its version, and
// returns it with the outline. The caller holds n.writing.
func (n *Notebook) findToChange(ctx context.Context, path string, version Etag) (*page, *outline, error) {
	file, err := n.findExact(path)
	if err != nil {
		return nil, nil, explainMissing(ctx, n, path, err)
	}
	p, err := n.read(file)
	if err != nil {
		return nil, nil, explainMissing(ctx, n, path, err)
	}
	if err := version.check(p); err != nil {
		return nil, nil, err
	}
	now, err := n.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	return p, now.outline, nil
}

// checkNewPage checks that a new page can be created at file: it must be a page,
// and its place must not have a page yet. It returns the exact path.
func (n *Notebook) checkNewPage(o *outline, file string) (string, error) {
	if !isPage(file) {
		return "", tools.Errorf(tools.Invalid, "path: must end in .md, got %s", path.Base(file)).WithHint("Paths look like Projects/Alpha.md.")
	}
	if err := checkLinkable(file); err != nil {
		return "", err
	}
	placed, err := n.checkDestination(file, "")
	if err != nil {
		return "", err
	}
	if !n.isServed(placed) {
		return "", tools.Errorf(tools.Invalid, "path: pages cannot be created here: %s", file).
			WithHint("Folders named assets hold attachments; choose another place.")
	}
	if at := o.places.at(stem(placed)); at != nil && at.page != "" {
		return "", tools.Errorf(tools.Conflict, "The page already exists as %s", at.page).WithHint("Use that path.")
	}
	return placed, nil
}

// checkLinkable refuses names that no wikilink can name.
func checkLinkable(file string) error {
	if name := path.Base(stem(file)); strings.ContainsAny(name, unlinkable) {
		return tools.Errorf(tools.Invalid, "path: no link can name a page with one of %s in its name", unlinkable).WithHint("Leave them out.")
	}
	return nil
}

// promote turns every leaf above a new page into the page of a folder: Title.md
// becomes Title/_index.md. In notebooks of other programs, which keep Title.md
// beside Title/, nothing changes. It returns the new paths.
func (d *draft) promote(ctx context.Context, o *outline, file string) ([]string, LinkReport, error) {
	if !d.n.indexStyle(o) {
		return nil, LinkReport{}, nil
	}
	m := moves{}
	for place := parentPlace(stem(file)); place != ""; place = parentPlace(place) {
		if at := o.places.at(place); at != nil && at.page != "" && !isIndex(at.page) && len(at.children) == 0 {
			m[at.page] = place + "/" + indexPage
		}
	}
	if isIndex(file) { // checkNewPage has refused Title/_index.md if Title.md is a leaf
		delete(m, stem(file)+".md")
	}
	return d.relocate(ctx, o, m, true)
}

// addPage writes a new page at a path from checkNewPage.
func (n *Notebook) addPage(ctx context.Context, c tools.CallContext, o *outline, file string, data []byte) error {
	d := n.draft()
	changed, _, err := d.promote(ctx, o, file)
	if err != nil {
		return err
	}
	if err := d.AddFile(file, data); err != nil {
		return n.toolError(file, err)
	}
	if err := d.commit(ctx, c); err != nil {
		return err
	}
	n.announce(append(changed, file)...)
	return nil
}
