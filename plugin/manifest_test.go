package plugin

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func resolved(t *testing.T, name string) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	r, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func object(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t *testing.T, files fs.FS, name string) []byte {
	t.Helper()
	text, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The manifest for Logseq's marketplace has the fields that it names, and no
// others.
func TestManifestIsTheMarketplaces(t *testing.T) {
	text, err := Manifest(Files())
	if err != nil {
		t.Fatal(err)
	}
	schema, manifest := resolved(t, "manifest.schema.json"), object(t, text)
	if err := schema.Validate(manifest); err != nil {
		t.Error(err)
	}
	read(t, Files(), "dist/"+manifest["icon"].(string))
	if manifest["supportsDB"] != true || manifest["supportsDBOnly"] == true {
		t.Error("the plugin works with both kinds of graph")
	}
	for field, wrong := range map[string]any{"repo": "https://github.com/a/b", "icon": "", "author": nil, "supportsDB": "yes", "unsupportedGraphType": "file"} {
		other := maps.Clone(manifest)
		other[field] = wrong
		if schema.Validate(other) == nil {
			t.Errorf("%s may be %v", field, wrong)
		}
	}
}

// package.json in a release has what Logseq reads, and what it names is there.
func TestPackageIsWhatLogseqReads(t *testing.T) {
	text := read(t, Files(), "package.json")
	published := object(t, text)
	if err := resolved(t, "package.schema.json").Validate(published); err != nil {
		t.Error(err)
	}
	own := published["logseq"].(map[string]any)
	if published["name"] != ID || own["id"] != ID || own["main"] != published["main"] || own["effect"] == true || published["effect"] == true {
		t.Errorf("package.json: %v", published)
	}
	for _, name := range []string{own["main"].(string), strings.TrimPrefix(own["icon"].(string), "./")} {
		read(t, Files(), name)
	}
}

var picture = regexp.MustCompile(`!\[[^\]]*\]\(([^)]+)\)`)

// The marketplace wants a readme with a picture, which Logseq 2.x reads as
// readme.md.
func TestReadmeHasPictures(t *testing.T) {
	found := picture.FindAllSubmatch(read(t, Files(), "readme.md"), -1)
	if len(found) == 0 {
		t.Error("readme.md shows no picture")
	}
	for _, m := range found {
		file, ours := strings.CutPrefix(string(m[1]), "https://raw.githubusercontent.com/"+repo+"/main/plugin/")
		if _, err := os.Stat(filepath.FromSlash(file)); !ours || err != nil {
			t.Errorf("readme.md shows %s: %v", m[1], err)
		}
	}
}
