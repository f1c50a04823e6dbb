package plugin

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const packageJSON = `{"version": "1.2.3", "description": "D", "author": "A", "scripts": {"test": "x"}, "devDependencies": {"x": "1"}, "logseq": {"title": "T", "icon": "./dist/icon.svg"}}`

func built() fstest.MapFS {
	return fstest.MapFS{
		"package.json":  {Data: []byte(packageJSON)},
		"readme.md":     {Data: []byte("# Read\n")},
		"dist/index.js": {Data: []byte("run()\n")},
		"dist/icon.svg": {Data: []byte("<svg/>\n")},
	}
}

// What is committed is whole, and has a name that Logseq and installer agree on.
func TestFiles(t *testing.T) {
	for _, name := range []string{"dist/index.html", "dist/index.js", "dist/LICENSES.txt", "readme.md"} {
		if info, err := fs.Stat(Files(), name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	text, err := fs.ReadFile(Files(), "package.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name": "` + ID + `"`, `"id": "` + ID + `"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("package.json has no %s", want)
		}
	}
	if v, err := Version(Files()); v == "" || err != nil {
		t.Errorf("version %q, %v", v, err)
	}
}

// What Lectern carries is what is committed beside it, packed. UPDATE=1 packs it again.
func TestCarriesWhatIsBuilt(t *testing.T) {
	committed := fstest.MapFS{}
	for _, pattern := range []string{"package.json", "readme.md", "dist/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no such file (%v)", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			committed[filepath.ToSlash(name)] = &fstest.MapFile{Data: text}
		}
	}
	var archive bytes.Buffer
	if err := Pack(&archive, committed); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("plugin.zip", archive.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		t.Fatal(err)
	}
	// The texts are compared: another Go may pack the same ones into other bytes.
	if diff := cmp.Diff(texts(t, want), texts(t, Files())); diff != "" {
		t.Errorf("plugin.zip is not what is committed; run UPDATE=1 go test ./plugin:\n%s", diff)
	}
}

func texts(t *testing.T, files fs.FS) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		texts[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func TestPack(t *testing.T) {
	var one, two bytes.Buffer
	if err := Pack(&one, built()); err != nil {
		t.Fatal(err)
	}
	if err := Pack(&two, built()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the same files give other bytes")
	}
	z, err := zip.NewReader(bytes.NewReader(one.Bytes()), int64(one.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
		text, err := fs.ReadFile(z, f.Name)
		if f.Name == "package.json" {
			var members map[string]any
			if err := json.Unmarshal(text, &members); err != nil || members["version"] != "1.2.3" || members["scripts"] != nil || members["devDependencies"] != nil {
				t.Errorf("%s holds %q, %v", f.Name, text, err)
			}
		} else if err != nil || !bytes.Equal(text, built()[f.Name].Data) {
			t.Errorf("%s holds %q, %v", f.Name, text, err)
		}
	}
	if diff := cmp.Diff([]string{"dist/icon.svg", "dist/index.js", "package.json", "readme.md"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestManifest(t *testing.T) {
	got, err := Manifest(built())
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "title": "T",
  "description": "D",
  "author": "A",
  "repo": "lectern-mcp/lectern",
  "icon": "icon.svg",
  "effect": false,
  "supportsDB": true
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}
