package app_test

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/tools"
)

// The variables of a System make a source when all that are required are set.
func TestEnvironmentSources(t *testing.T) {
	a := apptest.New(t)
	a.Environ = append(a.Environ, "TENANT_ID=acme")
	if got := a.EnvironmentSources(); got != nil || a.HasEnvironmentSources() {
		t.Errorf("without the required variable: %+v", got)
	}
	dir := t.TempDir()
	a.Environ = append(a.Environ, "MIRROR_DIR="+dir+"/x/..")
	got := a.EnvironmentSources()
	want := []app.Source{{
		Source: config.Source{
			Name: "mirror", Kind: "markdown", Path: dir, Options: []byte(`{"path":"` + dir + `","tenant":"acme"}`),
			Effects: []string{"read", "write", "delete", "run"}, Ask: []string{},
		},
		Variable: "MIRROR_DIR",
	}}
	if d := cmp.Diff(want, got); d != "" || !a.HasEnvironmentSources() {
		t.Errorf("(-want +got)\n%s", d)
	}
	named := config.Config{Sources: []config.Source{{Name: "mirror", Kind: "cards"}}}
	if got := a.Sources(named); len(got) != 1 || got[0].Kind != "cards" {
		t.Errorf("beside a source of that name: %+v", got)
	}
}

// Sources of the environment show the tools that a variable names, of their kind.
func TestEnvironmentTools(t *testing.T) {
	for value, want := range map[string]string{
		"": "[]", "all": "[all]", "batch": "[batch]", "batch, get_tree": "[batch get_tree]",
		"batch read":     "LECTERN_TOOLS: the tool batch needs run, which LECTERN_ALLOW does not allow",
		"batch read,run": "[batch]",
		"bath":           `LECTERN_TOOLS: no tool named "bath", did you mean batch?`, "create_card": `LECTERN_TOOLS: no tool named "create_card"`,
	} {
		a := apptest.New(t)
		named, allowed, _ := strings.Cut(value, " read")
		if allowed != "" || named != value {
			allowed = "read" + allowed
		}
		a.Environ = append(a.Environ, "MIRROR_DIR="+t.TempDir(), "LECTERN_TOOLS="+named, "LECTERN_ALLOW="+allowed)
		got := fmt.Sprint(a.EnvironmentSources()[0].Tools)
		if err := a.CheckEnvironment(); err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
}

// The key of a secret gets a reference to the variable and not its value.
func TestEnvironmentSecret(t *testing.T) {
	a := apptest.New(t)
	kind := serviceKind()
	a.Systems = func() []tools.Kind { return []tools.Kind{kind} }
	a.Environment = func() map[string][]tools.EnvironmentVariable {
		return map[string][]tools.EnvironmentVariable{"service": kind.Manifest().Environment}
	}
	a.Environ = append(a.Environ, "SERVICE_KEY=hunter2", "SERVICE_LIMIT=7")
	got := a.Sources(config.Config{})
	if len(got) != 1 || got[0].Name != "service" || string(got[0].Options) != `{"key":"env:SERVICE_KEY","limit":7}` {
		t.Errorf("got %+v", got)
	}
}

// The first sample with files is served while there is no source.
func TestSampleSource(t *testing.T) {
	a := apptest.New(t)
	a.Systems = func() []tools.Kind { return []tools.Kind{serviceKind()} }
	got := a.Sources(config.Config{})
	dir := filepath.Join(a.Paths.Data, "small-shop")
	if len(got) != 1 || got[0].Name != "small-shop" || got[0].Sample == nil || got[0].Path != dir ||
		string(got[0].Options) != `{"folder":"`+dir+`","limit":3}` {
		t.Errorf("got %+v", got)
	}
	if got := a.Sources(config.Config{Sources: []config.Source{{Name: "a"}}}); len(got) != 1 || got[0].Sample != nil {
		t.Errorf("beside a source: %+v", got)
	}
}

func TestConfigKeys(t *testing.T) {
	want := []config.Key{
		{Name: "key", Type: config.Secret, Description: "its key"},
		{Name: "folder", Type: config.Folder, Description: "its files"},
		{Name: "limit", Type: config.Integer, Description: "at most so many", Required: true},
		{Name: "open", Type: config.Boolean, Description: "for all"},
		{Name: "tags", Type: config.List, Description: "some words"},
		{Name: "titles", Type: config.Map, Description: "by name"},
		{Name: "url", Type: config.Text, Description: "where it is"},
	}
	if d := cmp.Diff(want, app.ConfigKeys(serviceKind().Manifest())); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

type serviceConfig struct {
	Key    tools.Secret      `json:"key,omitzero" jsonschema:"its key"`
	Folder tools.Folder      `json:"folder,omitempty" jsonschema:"its files"`
	Limit  int               `json:"limit" jsonschema:"at most so many"`
	Open   bool              `json:"open,omitempty" jsonschema:"for all"`
	Tags   []string          `json:"tags,omitempty" jsonschema:"some words"`
	Titles map[string]string `json:"titles,omitempty" jsonschema:"by name"`
	URL    string            `json:"url,omitempty" jsonschema:"where it is"`
}

type service struct{}

func (service) Close() error                { return nil }
func (service) Check(context.Context) error { return nil }

func serviceKind() tools.Kind {
	return tools.Erase(tools.System[service, serviceConfig]{
		Name: "service", Title: "Service", Doc: "A service.",
		Open: func(context.Context, serviceConfig, tools.Env) (service, error) { return service{}, nil },
		Sample: &tools.Sample{
			Title: "Small Shop", Files: fs.FS(fstest.MapFS{"a.md": {Data: []byte("a")}}), Key: "folder", Keys: map[string]string{"limit": "3"},
		},
		Environment: []tools.EnvironmentVariable{
			{Name: "SERVICE_KEY", Key: "key", Doc: "the key", Required: true}, {Name: "SERVICE_LIMIT", Key: "limit", Doc: "the limit"},
		},
	})
}

// Of a source for which nobody chose a place, people see its own folder.
func TestLocationInOwnFolder(t *testing.T) {
	a := apptest.New(t)
	own := filepath.Join(a.Paths.SourceData(), "workspace.ws")
	for _, c := range []struct {
		source config.Source
		want   string
	}{
		{config.Source{Name: "ws", Kind: "workspace"}, own},
		{config.Source{Name: "ws", Kind: "workspace", Options: []byte(`{"welcome":true}`)}, own},
		{config.Source{Name: "ws", Kind: "workspace", Options: []byte(`{"database":"env:TEAM"}`)}, "database=env:TEAM"},
		{config.Source{Name: "ws", Kind: "workspace", Path: "/notes", Options: []byte(`{"folder":"/notes"}`)}, "/notes"},
		{config.Source{Name: "ws", Kind: "logseq"}, ""},
	} {
		if got := a.Sources(config.Config{Sources: []config.Source{c.source}})[0].Location(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.source, got, c.want)
		}
	}
}
