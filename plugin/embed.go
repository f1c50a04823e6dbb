// Package plugin holds the Logseq plugin as this build carries it, and packs it
// for Logseq's marketplace. The plugin itself is TypeScript, in src; what is
// built from it is in dist.
//
// It installs nothing: installer does, with what cmd/lectern, the only importer,
// takes from here. Start reading at [Files]; pack.go makes the zip.
package plugin

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// ID is the plugin's name for Logseq: of its folder, and of its settings.
const ID = "logseq-lectern"

// script is what is built, and not committed.
const script = "dist/index.js"

//go:embed package.json README.md dist
var carried embed.FS

// ErrNotBuilt is for builds made before the plugin's script was.
var ErrNotBuilt = errors.New("this build carries no plugin; build it with `make plugin/dist/index.js`, then build lectern again")

// Files are the plugin's files as Logseq wants them in its folder, or
// ErrNotBuilt.
func Files() (fs.FS, error) {
	if _, err := fs.Stat(carried, script); err != nil {
		return nil, ErrNotBuilt
	}
	return carried, nil
}

// about is what package.json says.
type about struct {
	Version     string `json:"version"`
	Description string `json:"description"`
	Author      string `json:"author"`
	Logseq      struct {
		Title string `json:"title"`
		Icon  string `json:"icon"`
	} `json:"logseq"`
}

func read(files fs.FS) (a about, err error) {
	text, err := fs.ReadFile(files, "package.json")
	if err != nil {
		return a, fmt.Errorf("read plugin: %w", err)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("read plugin: package.json: %w", err)
	}
	return a, nil
}

// Version is the plugin's own version.
func Version(files fs.FS) (string, error) {
	a, err := read(files)
	return a.Version, err
}
