package plugin

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"
)

// repo is where the marketplace finds releases.
const repo = "lectern-mcp/lectern"

// Pack writes the zip of a release for the marketplace, with package.json at the
// top level. The same files give the same bytes.
func Pack(out io.Writer, files fs.FS) error {
	z := zip.NewWriter(out)
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if name == "package.json" {
			if text, err = published(text); err != nil {
				return err
			}
		}
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(0o644)
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	if err != nil {
		return fmt.Errorf("pack plugin: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("pack plugin: %w", err)
	}
	return nil
}

// published is package.json without what only a build of the plugin needs.
func published(text []byte) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, fmt.Errorf("package.json: %w", err)
	}
	for _, name := range []string{"scripts", "dependencies", "devDependencies", "private"} {
		delete(members, name)
	}
	text, err := json.MarshalIndent(members, "", "  ")
	return append(text, '\n'), err
}

// Manifest is the marketplace's manifest.json. The icon that it names is beside
// it.
func Manifest(files fs.FS) ([]byte, error) {
	a, err := readPackageJSON(files)
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		Author      string `json:"author"`
		Repo        string `json:"repo"`
		Icon        string `json:"icon"`
		Effect      bool   `json:"effect"`
		SupportsDB  bool   `json:"supportsDB"`
	}{a.Logseq.Title, a.Description, a.Author, repo, path.Base(a.Logseq.Icon), false, true}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	return append(text, '\n'), nil
}
