package install

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/installer"
)

// Every snippet is what its client can read, whatever the path looks like.
func TestSnippets(t *testing.T) {
	p := Planner{App: apptest.New(t)}
	p.Exe = filepath.Join(t.TempDir(), `it's a "path"`, "lectern")
	for _, s := range p.Snippets("http://127.0.0.1:1/mcp") {
		var entry struct{ Command string }
		switch {
		case strings.HasPrefix(s.Text, "{"):
			var v map[string]map[string]struct{ Command string }
			if err := json.Unmarshal([]byte(s.Text), &v); err != nil {
				t.Fatalf("%s: %v", s.Client, err)
			}
			for _, servers := range v {
				entry.Command = servers["lectern"].Command
			}
		case strings.HasPrefix(s.Text, "["):
			var v map[string]map[string]struct{ Command string }
			if err := toml.Unmarshal([]byte(s.Text), &v); err != nil {
				t.Fatalf("%s: %v", s.Client, err)
			}
			entry.Command = v["mcp_servers"]["lectern"].Command
		case !strings.HasPrefix(s.Text, "claude mcp add "):
			t.Errorf("%s: nobody reads %q", s.Client, s.Text)
			continue
		default:
			continue
		}
		if entry.Command != p.Exe {
			t.Errorf("%s: command %q, want %q", s.Client, entry.Command, p.Exe)
		}
	}
}

// A binary that `go run` built is gone tomorrow, so no client is told of it.
func TestStableBinary(t *testing.T) {
	p := Planner{App: apptest.New(t)}
	p.Environ = append(p.Environ, "GOBIN=/go/bin")
	p.Exe = "/tmp/go-build12/b001/exe/lectern"
	if bin, hint := p.StableBinary(); filepath.Dir(bin) != filepath.FromSlash("/go/bin") || !strings.Contains(hint, "go install") {
		t.Errorf("%s, %s", bin, hint)
	}
	p.Exe = "/usr/bin/lectern"
	if bin, hint := p.StableBinary(); bin != p.Exe || hint != "" {
		t.Errorf("%s, %s", bin, hint)
	}
}

func TestPluginSummary(t *testing.T) {
	good := installer.PluginState{
		Folder: "/f", Settings: "/s", Installed: true, Version: "1", Current: true,
		Port: 7, PortRight: true, HasToken: true, TokenRight: true, Private: true,
	}
	for want, change := range map[string]func(*installer.PluginState){
		"installed by Lectern 1, up to date: /f | port 7 and token match the hub": func(*installer.PluginState) {},
		"not installed in /f":                  func(s *installer.PluginState) { s.Installed = false },
		"this build carries another version":   func(s *installer.PluginState) { s.Current = false },
		"an unknown version":                   func(s *installer.PluginState) { s.Version = "" },
		"disabled in Logseq":                   func(s *installer.PluginState) { s.Disabled = true },
		"no token in /s":                       func(s *installer.PluginState) { s.HasToken = false },
		"wrong token":                          func(s *installer.PluginState) { s.TokenRight = false },
		"port is 7, but the hub uses 8":        func(s *installer.PluginState) { s.PortRight = false },
		"other users can read the token in /s": func(s *installer.PluginState) { s.Private = false },
	} {
		s := good
		change(&s)
		if got := PluginSummary(s) + " | " + PluginSettingsSummary(s, 8); !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
