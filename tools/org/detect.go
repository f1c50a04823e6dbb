package org

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// Detect recognises folders with .org files at or near the top.
func Detect(dir fs.FS) tools.Detection {
	for _, pattern := range []string{"*.org", "*/*.org"} {
		if found, err := fs.Glob(dir, pattern); err == nil && len(found) > 0 {
			return tools.Detection{Score: 50, Reason: "it has Org files, such as " + path.Base(found[0]), Ext: ".org"}
		}
	}
	return tools.Detection{}
}

// initFiles are where people set Emacs's variables.
var initFiles = []string{
	".emacs", ".emacs.el", ".emacs.d/init.el", ".emacs.d/custom.el", ".config/emacs/init.el", ".config/emacs/custom.el",
	".doom.d/config.el", ".config/doom/config.el", ".spacemacs",
}

// UsualFolders lists ~/org and the folders that org-directory and org-agenda-files
// name in the files of Emacs. They are read as text: nothing in them is run.
func UsualFolders(home fs.FS) []string {
	folders := []string{"~/org"}
	for _, name := range initFiles {
		text, err := fs.ReadFile(home, name)
		if err != nil || len(text) > 1<<20 {
			continue
		}
		for _, setting := range folderSetting.FindAllSubmatch(text, -1) {
			for _, quoted := range quotedText.FindAllSubmatch(setting[1], -1) {
				folder := string(quoted[1])
				if isOrg(folder) {
					folder = path.Dir(folder)
				}
				if folder = strings.TrimSuffix(folder, "/"); folder != "~" && !slices.Contains(folders, folder) {
					folders = append(folders, folder)
				}
			}
		}
	}
	return folders
}

var (
	folderSetting = regexp.MustCompile(`\borg-(?:directory|agenda-files)\b[\s'(]*(?:list\b|quote\b)?((?:[\s(]*"[^"\n]*")+)`)
	quotedText    = regexp.MustCompile(`"([^"\n]*)"`)
)

//go:embed all:welcome
var embedded embed.FS

// sample is a folder that shows what agents can do with Org files.
func sample() *tools.Sample {
	files, err := fs.Sub(embedded, "welcome")
	if err != nil {
		panic(err) // the name is valid
	}
	return &tools.Sample{Title: "Tasks", Files: files, Key: "path"}
}
