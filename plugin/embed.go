// Package plugin holds the Logseq plugin as this build carries it, and packs it
// for Logseq's marketplace. The plugin itself is TypeScript in src. What it is
// built into, dist/index.js, is committed with the licences of what it contains, so
// that Go alone builds Lectern; `make test` fails when a new build of it differs.
// Lectern carries it packed, as plugin.zip, which [Pack] writes and a test compares.
//
// It installs nothing; installer does. cmd/lectern imports it. Start reading at
// [Files]; pack.go writes the zip.
package plugin

import (
	"archive/zip"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

// ID is the name of the plugin's folder and settings in Logseq.
const ID = "logseq-lectern"

// The System whose sources work through this plugin, and the title of its
// application.
const (
	System      = "logseq"
	Application = "Logseq"
)

//go:embed plugin.zip
var packed string

// Files are the plugin's files as Logseq wants them in its folder.
func Files() fs.FS {
	files, err := zip.NewReader(strings.NewReader(packed), int64(len(packed)))
	if err != nil {
		panic(fmt.Sprintf("plugin.zip, as it was built in: %v", err)) // TestFiles reads it
	}
	return files
}

// packageInfo is the part of package.json that we need.
type packageInfo struct {
	Version     string `json:"version"`
	Description string `json:"description"`
	Author      string `json:"author"`
	Logseq      struct {
		Title string `json:"title"`
		Icon  string `json:"icon"`
	} `json:"logseq"`
}

func readPackageJSON(files fs.FS) (a packageInfo, err error) {
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
	a, err := readPackageJSON(files)
	return a.Version, err
}
