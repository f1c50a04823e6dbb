package markdown

import (
	"encoding/json"
	"strings"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
)

// trashNames are where the application of a layout keeps a file that its users delete:
// Obsidian in .trash if its settings say so, Logseq always. Nil: it keeps none.
func trashNames(l layout, settings func(file string) ([]byte, error)) func(file string) string {
	switch l {
	case plainLayout, mirrorLayout:
	case obsidianLayout:
		return func(file string) string {
			var app struct {
				TrashOption string `json:"trashOption"`
			}
			if data, err := settings(".obsidian/app.json"); err != nil || json.Unmarshal(data, &app) != nil || app.TrashOption != "local" {
				return ""
			}
			return ".trash/" + file
		}
	case logseqLayout:
		return func(file string) string { return "logseq/.recycle/" + strings.ReplaceAll(file, "/", "_") }
	}
	return nil
}

// trashNote says where a deleted page is kept; empty: nowhere.
func trashNote(n *Notebook, file string) string {
	names := trashNames(n.layout, n.settings)
	if names == nil || names(file) == "" {
		return ""
	}
	return "A copy is in " + trashFolder(names(file)) + ", where the application keeps what is deleted. "
}

// trashFolder is the part of a name in the trash up to the folder that hides it.
func trashFolder(name string) string {
	at := strings.Index("/"+name, "/.")
	end := strings.IndexByte(name[at:], '/')
	return name[:at+end]
}

// newCommitter is what writes the folder of a view.
func newCommitter(view *folder.View, l layout, settings func(file string) ([]byte, error)) *folder.Committer {
	disk := folder.NewCommitter(view, writeFile, probeModes, atomicfile.IsTemp)
	disk.UseTrash(trashNames(l, settings))
	return disk
}
