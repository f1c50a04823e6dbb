package logseq_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/logseq"
)

var assetLink = regexp.MustCompile(`\.\./assets/([^)]+)\)`)

// showFile adds a block that shows a file.
func showFile(p *fakePage, n int, file string) {
	content := "![](../assets/" + file + ")"
	p.blocks = append(p.blocks, &fakeBlock{UUID: id(n), Content: content, Properties: map[string]any{}, Tags: []string{}})
}

// listAssets is what the fake's plugin does for assets.list.
func (f *fakePeer) listAssets(in map[string]any) (any, error) {
	found := f.all(func(b *fakeBlock) bool { return b.filesShown() != nil })
	return map[string]any{"blocks": listBatch(found, in), "total": len(found)}, nil
}

func (b *fakeBlock) filesShown() (files []string) {
	for _, m := range assetLink.FindAllStringSubmatch(b.Content, -1) {
		files = append(files, m[1])
	}
	return files
}

// assetFolder is the folder of a graph with files in and beside its assets.
func assetFolder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"assets/beds.png": "\x89PNG\xff", "assets/notes.txt": "rows of beans", "assets/hidden.png": "\x89PNG\xfe", "assets/vault.png": "x", "assets/gold.png": "x",
		"secret.png": "outside", "assets/large.bin": strings.Repeat("\xff", 4<<20+1),
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "secret.png"), filepath.Join(dir, "assets", "link.png")); err != nil {
		t.Skip("this machine makes no symbolic links:", err)
	}
	return dir
}

// openAssets opens a graph whose pages show files, with its folder.
func openAssets(t *testing.T, privacy tools.Privacy, config logseq.Config) *testSource {
	t.Helper()
	f := fixtureGraph("file")
	garden, compost := f.pages[0], f.pages[1]
	showFile(garden, 70, "beds.png")
	showFile(garden, 71, "beds.png) and ![](../assets/notes.txt")
	for i, name := range []string{"hidden.png", "link.png", "large.bin", "../secret.png", "gone.png"} {
		showFile(compost, 80+i, name)
	}
	return openConfigured(t, config, f, func(e *tools.Env) { e.Privacy = privacy })
}

func TestListAssets(t *testing.T) {
	d := openAssets(t, tools.Privacy{}, logseq.Config{})
	files := func(in string) string {
		var all []any
		for _, b := range d.must("list_assets", in)["blocks"].([]any) {
			all = append(all, b.(map[string]any)["files"])
		}
		return fmt.Sprint(all)
	}
	// What leads out of the folder of assets is no file of the graph.
	want := "[[assets/beds.png] [assets/beds.png assets/notes.txt] [assets/hidden.png] [assets/link.png] [assets/large.bin] <nil> [assets/gone.png]]"
	if got := files(`{}`); got != want {
		t.Errorf("assets: %s", got)
	}
	if m := d.must("list_assets", `{"limit":1,"offset":1}`); m["total"] != 7.0 || m["note"] == nil || files(`{"limit":1,"offset":1}`) != "[[assets/beds.png assets/notes.txt]]" {
		t.Errorf("a part: %v", m)
	}
	// Every answer says which files a block shows.
	if m := d.must("get_block", `{"block_uuid":"`+id(70)+`"}`); fmt.Sprint(m["block"].(map[string]any)["files"]) != "[assets/beds.png]" {
		t.Errorf("a block: %v", m)
	}
}

func TestReadAsset(t *testing.T) {
	d := openAssets(t, tools.Privacy{}, logseq.Config{GraphFolder: assetFolder(t)})
	for in, want := range map[string]tools.Content{
		"assets/beds.png":     {Kind: tools.Image, MIME: "image/png", Data: []byte("\x89PNG\xff")},
		"../assets/notes.txt": {Kind: tools.Text, Text: "rows of beans"},
	} {
		r, err := d.open.Call(t.Context(), tools.CallContext{}, "read_asset", []byte(`{"path":"`+in+`"}`))
		if err != nil || len(r.Content) != 1 || r.Content[0].Kind != want.Kind || r.Content[0].Text != want.Text || string(r.Content[0].Data) != string(want.Data) {
			t.Errorf("%s: %v, %v", in, r.Content, err)
		}
		if !slices.Equal(r.Targets, []string{"page Garden"}) {
			t.Errorf("%s: targets %q", in, r.Targets)
		}
	}
	for in, code := range map[string]string{
		"assets/nobody.png": "NOT_FOUND", // no block shows it
		"assets/gone.png":   "NOT_FOUND",
		"assets/link.png":   "NOT_FOUND", // leads out of the folder
		"../secret.png":     "INVALID_INPUT", "assets/../secret.png": "INVALID_INPUT", "../../secret.png": "INVALID_INPUT", "/etc/passwd": "INVALID_INPUT",
		"assets/large.bin": "LIMITED",
	} {
		if m, err := d.call("read_asset", `{"path":"`+in+`"}`); err == nil || errorCode(err) != code {
			t.Errorf("%s: %v, %v", in, m, err)
		}
	}
}

// Without the folder the files are listed, and the user is told what is missing.
func TestReadAssetWithoutFolder(t *testing.T) {
	d := openAssets(t, tools.Privacy{}, logseq.Config{})
	_, err := d.call("read_asset", `{"path":"beds.png"}`)
	if err == nil || errorCode(err) != "UNAVAILABLE" || !strings.Contains(err.Hint, "lectern source set home graph_folder=") {
		t.Errorf("%+v", err)
	}
}

// A file is hidden with the blocks that show it.
func TestHiddenAssets(t *testing.T) {
	d := openAssets(t, tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Compost"}}}, logseq.Config{GraphFolder: assetFolder(t)})
	if m := d.must("list_assets", `{}`); m["total"] != 2.0 { // blocks of the garden
		t.Errorf("%v", m)
	}
	_, hidden := d.call("read_asset", `{"path":"hidden.png"}`)
	_, missing := d.call("read_asset", `{"path":"nobody.png"}`)
	if hidden == nil || missing == nil || strings.ReplaceAll(hidden.Message, "hidden", "nobody") != missing.Message || hidden.Hint != missing.Hint {
		t.Errorf("a hidden file is told from a missing one: %v, %v", hidden, missing)
	}
}

func TestGraphFolderIsAbsolute(t *testing.T) {
	if _, err := testSystem().Open(t.Context(), []byte(`{"graph_folder":"graph"}`), tools.Env{Name: "home"}); err == nil || !strings.Contains(err.Error(), "absolute") {
		t.Errorf("opened with a relative folder: %v", err)
	}
}
