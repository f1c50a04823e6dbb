package markdown

import (
	"io/fs"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// Detect recognises folders of Obsidian and Logseq, and others with .md files near
// the top.
func Detect(dir fs.FS) tools.Detection {
	for name, why := range map[string]string{".obsidian": "it has an .obsidian folder", "logseq": "it has a logseq folder"} {
		if info, err := fs.Stat(dir, name); err == nil && info.IsDir() {
			return tools.Detection{Score: 90, Reason: why, Ext: ".md"}
		}
	}
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return tools.Detection{}
	}
	if anyPage(entries) {
		return tools.Detection{Score: 50, Reason: "it has .md files", Ext: ".md"}
	}
	for _, e := range entries[:min(len(entries), 200)] {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" {
			continue
		}
		if inner, err := fs.ReadDir(dir, e.Name()); err == nil && anyPage(inner) {
			return tools.Detection{Score: 30, Reason: "it has folders with .md files", Ext: ".md"}
		}
	}
	return tools.Detection{}
}

func anyPage(entries []fs.DirEntry) bool {
	for _, e := range entries {
		if e.Type().IsRegular() && isPage(e.Name()) && !strings.HasPrefix(e.Name(), ".") {
			return true
		}
	}
	return false
}
