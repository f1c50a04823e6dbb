package markdown

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
)

// A layout is whose habits a folder of pages follows. It decides what a new page
// gets, where attachments go and what a link may name.
type layout int

const (
	plainLayout    layout = iota // any folder of .md files, such as the documents of a program
	mirrorLayout                 // the mirror of a wiki: ids, and Title/_index.md for a page with children
	obsidianLayout               // an Obsidian vault
	logseqLayout                 // the files of a Logseq graph
)

// findLayout tells a layout by what its application keeps in the folder, hidden or
// not.
func findLayout(all *folder.View, tenant bool) layout {
	switch {
	case all.Exists(".obsidian"):
		return obsidianLayout
	case all.Exists("logseq"):
		return logseqLayout
	case tenant, all.Exists(".skb-meta.json"):
		return mirrorLayout
	}
	return plainLayout
}

// indexStyle reports whether the page of a folder is its _index.md, and a new page
// has an id: in the mirror of a wiki, or where some folder has an _index.md.
func (n *Notebook) indexStyle(o *outline) bool {
	return n.layout == mirrorLayout || o.indexed && n.layout == plainLayout
}

// resolvesTitles reports whether a link may name a page by its title or an alias.
// Obsidian does not: such a link would make a new page there.
func (n *Notebook) resolvesTitles() bool { return n.layout != obsidianLayout }

// attachmentFolder is where an attachment of a page goes: by Obsidian's own setting,
// in Logseq's assets, or else beside the page.
func (n *Notebook) attachmentFolder(page string) string {
	switch n.layout {
	case obsidianLayout:
		return n.obsidianAttachments(page)
	case logseqLayout:
		return "assets"
	default:
		return path.Join(stem(page), "assets")
	}
}

// obsidianAttachments follows attachmentFolderPath: the vault itself when it is
// missing or "/", the page's folder for "./", and a folder below either.
func (n *Notebook) obsidianAttachments(page string) string {
	var app struct {
		AttachmentFolderPath string `json:"attachmentFolderPath"`
	}
	if data, err := n.settings(".obsidian/app.json"); err != nil || json.Unmarshal(data, &app) != nil {
		return "."
	}
	if below, ok := strings.CutPrefix(app.AttachmentFolderPath, "./"); ok {
		return path.Join(path.Dir(page), path.Clean("/" + below)[1:])
	}
	return path.Join(".", path.Clean("/" + app.AttachmentFolderPath)[1:])
}

// relativePath is the path of a file as seen from a folder.
func relativePath(from, file string) string {
	rel, err := filepath.Rel(filepath.FromSlash(from), filepath.FromSlash(file))
	if err != nil { // both are relative to the same folder
		return file
	}
	return filepath.ToSlash(rel)
}
