// Package bundle makes the files of a release that describe the others: the
// MCP bundle that desktop clients open with a click, the page of the MCP
// registry, the manual page. All of them follow from the version alone.
//
// It compiles nothing, signs nothing and publishes nothing, and the installed
// lectern knows nothing of it: cmd/release, which goreleaser.yaml calls, is
// what imports it. Start reading at [Pack].
package bundle

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"time"
)

const (
	repository  = "https://github.com/lectern-mcp/lectern"
	description = "Opens your knowledge bases to AI agents, keeps the opening safe, and shows what they do."
)

// A Target is a system that there are releases for.
type Target struct{ OS, Arch string }

// Targets are all of them.
func Targets() []Target {
	return []Target{
		{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
	}
}

// File is the name of a target's bundle.
func (t Target) File(version string) string {
	return fmt.Sprintf("lectern_%s_%s_%s.mcpb", version, t.OS, t.Arch)
}

// binary is the program's name in a bundle.
func (t Target) binary() string {
	if t.OS == "windows" {
		return "server/lectern.exe"
	}
	return "server/lectern"
}

// platform is how manifests spell the system.
func (t Target) platform() string {
	if t.OS == "windows" {
		return "win32"
	}
	return t.OS
}

// object keeps JSON close to how the schemas are read.
type object map[string]any

// Manifest is the manifest.json of a target's bundle (manifest version 0.3).
func Manifest(version string, t Target) ([]byte, error) {
	return encodeJSON(object{
		"manifest_version": "0.3",
		"name":             "lectern",
		"display_name":     "Lectern",
		"version":          version,
		"description":      description,
		"author":           object{"name": "The Lectern authors", "url": repository},
		"repository":       object{"type": "git", "url": repository},
		"license":          "Apache-2.0",
		"keywords":         []string{"notes", "markdown", "knowledge base"},
		"server": object{
			"type":        "binary",
			"entry_point": t.binary(),
			"mcp_config": object{
				"command": "${__dirname}/" + t.binary(),
				"args":    []string{"serve"},
				"env":     object{},
			},
		},
		"tools_generated": true, // they depend on what the person opens
		"compatibility":   object{"platforms": []string{t.platform()}},
	})
}

// Pack makes a target's bundle. The same input makes the same bytes.
func Pack(version string, t Target, binary []byte) ([]byte, error) {
	manifest, err := Manifest(version, t)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range []struct {
		name string
		mode fs.FileMode
		text []byte
	}{{"manifest.json", 0o644, manifest}, {t.binary(), 0o755, binary}} {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(f.mode)
		in, err := w.CreateHeader(h)
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
		if _, err := in.Write(f.text); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack bundle: %w", err)
	}
	return out.Bytes(), nil
}

// Server is the server.json of the MCP registry. sums has the SHA-256 of every
// bundle in hex, by file name; a target without one is not in the release.
func Server(version string, sums map[string]string) ([]byte, error) {
	var packages []object
	for _, t := range Targets() {
		sum, ok := sums[t.File(version)]
		if !ok {
			continue
		}
		packages = append(packages, object{
			"registryType": "mcpb",
			"identifier":   fmt.Sprintf("%s/releases/download/v%s/%s", repository, version, t.File(version)),
			"fileSha256":   sum,
			"transport":    object{"type": "stdio"},
		})
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("make server.json: there are no bundles of version %s; run goreleaser first", version)
	}
	return encodeJSON(object{
		"$schema":     "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":        "io.github.lectern-mcp/lectern",
		"title":       "Lectern",
		"description": description,
		"repository":  object{"url": repository, "source": "github"},
		"version":     version,
		"packages":    packages,
	})
}

func encodeJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return out.Bytes(), err
}
