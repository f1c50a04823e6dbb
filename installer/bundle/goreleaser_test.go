package bundle_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/lectern-mcp/lectern/installer/bundle"
)

// goreleaser.yaml, the bundles and `lectern self-update` agree on systems and
// names; otherwise a release would be made that nobody finds.
func TestGoreleaser(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var conf struct {
		Version int
		Builds  []struct {
			Goos, Goarch, Flags, Env, Ldflags []string
		}
		Archives []struct {
			NameTemplate string `yaml:"name_template"`
			Formats      []string
		}
		Checksum struct {
			NameTemplate string `yaml:"name_template"`
		}
		Signs []struct{ Cmd, Artifacts, Signature string }
	}
	if err := yaml.Unmarshal(text, &conf); err != nil {
		t.Fatal(err)
	}
	b := conf.Builds[0]
	var targets []bundle.Target
	for _, goos := range b.Goos {
		for _, arch := range b.Goarch {
			targets = append(targets, bundle.Target{OS: goos, Arch: arch})
		}
	}
	slices.SortFunc(targets, func(a, b bundle.Target) int {
		return cmp.Or(cmp.Compare(a.OS, b.OS), cmp.Compare(a.Arch, b.Arch))
	})
	if d := diff.Diff(bundle.Targets(), targets); d != "" {
		t.Error(d)
	}
	if conf.Version != 2 || conf.Archives[0].NameTemplate != "lectern_{{ .Version }}_{{ .Os }}_{{ .Arch }}" || conf.Checksum.NameTemplate != "checksums.txt" {
		t.Errorf("names: %+v", conf)
	}
	if !slices.Contains(b.Env, "CGO_ENABLED=0") || b.Ldflags[0] != "-s -w -buildid= -X main.lecternVersion={{ .Version }}" {
		t.Errorf("build: %+v", b)
	}
	if d := diff.Diff([]string{"-trimpath", "-buildvcs=false"}, b.Flags); d != "" {
		t.Errorf("flags (-want +goreleaser.yaml):\n%s", d)
	}
	if s := conf.Signs[0]; s.Cmd != "minisign" || s.Artifacts != "checksum" || s.Signature != "${artifact}.minisig" {
		t.Errorf("signature: %+v", s)
	}
}
