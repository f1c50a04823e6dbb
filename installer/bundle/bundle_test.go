package bundle_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/installer/bundle"
)

func golden(t *testing.T, name string, got []byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\nrun: make update", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s: %s", file, d)
	}
}

func TestManifest(t *testing.T) {
	for _, target := range []bundle.Target{{OS: "linux", Arch: "amd64"}, {OS: "windows", Arch: "arm64"}} {
		text, err := bundle.Manifest("1.2.3", target)
		golden(t, "manifest_"+target.OS+".json", text, err)
	}
}

func TestServer(t *testing.T) {
	sums := map[string]string{}
	for _, target := range bundle.Targets() {
		sums[target.File("1.2.3")] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	}
	text, err := bundle.Server("1.2.3", sums)
	golden(t, "server.json", text, err)
	var server struct {
		Description string `json:"description"`
	}
	if err := json.Unmarshal(text, &server); err != nil || len(server.Description) > 100 {
		t.Errorf("the registry takes descriptions of 100 characters, got %d, %v", len(server.Description), err)
	}
	if _, err := bundle.Server("1.2.3", nil); err == nil {
		t.Error("a release without bundles is registered")
	}
}

func TestPack(t *testing.T) {
	linux := bundle.Target{OS: "linux", Arch: "amd64"}
	one, err := bundle.Pack("1.2.3", linux, []byte("ELF"))
	if err != nil {
		t.Fatal(err)
	}
	if two, err := bundle.Pack("1.2.3", linux, []byte("ELF")); err != nil || !bytes.Equal(one, two) {
		t.Errorf("not the same twice: %v", err)
	}
	z, err := zip.NewReader(bytes.NewReader(one), int64(len(one)))
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]fs.FileMode{}
	for _, f := range z.File {
		modes[f.Name] = f.Mode()
	}
	if d := cmp.Diff(map[string]fs.FileMode{"manifest.json": 0o644, "server/lectern": 0o755}, modes); d != "" {
		t.Error(d)
	}
}

func TestManual(t *testing.T) {
	golden(t, "lectern.1", bundle.Manual("1.2.3", []bundle.Page{
		{Command: "lectern", Help: "Open.\n\n.dots and 'quotes\nC:\\notes --flag\n"}, {Command: "lectern serve", Help: "Serve.\n"},
	}), nil)
}
