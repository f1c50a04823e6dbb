package markdown

import (
	"context"
	"crypto/sha256"
	"errors"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/vault"
	"github.com/lectern-mcp/lectern/tools"
)

// maxPage is the size of the largest page that is written.
const maxPage = 16 << 20

// Etag is what read_page answered for a page; quotes around it are ignored.
type Etag string

// matches refuses when a page is not as the etag says. An empty one demands
// nothing.
func (e Etag) matches(p *page) error {
	if e == "" || strings.Trim(string(e), `"`) == p.etag() {
		return nil
	}
	return conflict(p.etag())
}

// replace writes text as the whole page, if the page still is as it was read.
// It keeps the line endings and the byte order mark.
func (n *Notebook) replace(p *page, text string) error {
	if !p.utf8 {
		return tools.Errorf(tools.Invalid, "The page is not UTF-8 text and cannot be edited as such: %s", p.file).
			WithHint("Ask the user to convert it to UTF-8.")
	}
	data := vault.Rewrite(p.data, text)
	if string(data) == string(p.data) {
		return nil
	}
	root, file, err := n.vault.Prepare(p.file)
	if err != nil {
		return n.failure(p.file, err)
	}
	err = atomicfile.Write(root, file, data, atomicfile.Options{IfHash: new(sha256.Sum256(p.data))})
	if errors.Is(err, atomicfile.ErrChanged) {
		if now, readErr := n.read(file); readErr == nil {
			return conflict(now.etag())
		}
	}
	if err != nil {
		return n.failure(p.file, err)
	}
	return nil
}

// add writes a file that must not exist yet and returns the name it got.
func (n *Notebook) add(file string, data []byte) (string, error) {
	root, placed, err := n.vault.Prepare(file)
	if err == nil {
		err = atomicfile.Write(root, placed, data, atomicfile.Options{Create: true})
	}
	if err != nil {
		return "", n.failure(file, err)
	}
	return placed, nil
}

// room checks that a new page can be at file: a page, none of the files that
// are not pages, and not a second page of a place that has one.
func (n *Notebook) room(o *outline, file string) (string, error) {
	if !isPage(file) {
		return "", tools.Errorf(tools.Invalid, "path: must end in .md, got %s", path.Base(file)).WithHint("Paths look like Projects/Alpha.md.")
	}
	placed, err := n.vault.Placed(file, "")
	if err != nil {
		return "", n.failure(file, err)
	}
	if !n.serves(placed) {
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
func (n *Notebook) promote(ctx context.Context, o *outline, file string) ([]string, error) {
	if !n.indexStyle(o) {
		return nil, nil
	}
	moves := moves{}
	for place := parentOf(stem(file)); place != ""; place = parentOf(place) {
		if at, ok := o.places[place]; ok && at.page != "" && !isIndex(at.page) && len(at.children) == 0 {
			moves[at.page] = place + "/" + index
		}
	}
	if isIndex(file) { // Title/_index.md where Title.md is a leaf is refused by room
		delete(moves, stem(file)+".md")
	}
	return n.relocate(ctx, o, moves, nil, false)
}

// indexStyle says whether folders have their page in an _index.md: when some
// have, or when no other program's habits are to be expected.
func (n *Notebook) indexStyle(o *outline) bool {
	return o.indexed || !n.vault.Has(".obsidian") && !n.vault.Has("logseq")
}
