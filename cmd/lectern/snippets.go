package main

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/status"
)

// snippets are what to paste into MCP clients, as `lectern client show` says
// it. endpoint is the HTTP address; empty: HTTP is off.
func (w *world) snippets(endpoint string) []status.Snippet {
	m := w.machine()
	s, hint := w.server(endpoint)
	list := installer.Snippets(m, s)
	for _, c := range installer.Clients() {
		if c.ID != "claude-code" {
			continue
		}
		if snip, ok := c.Snippet(m, s, true); ok {
			snip.Client = "Over HTTP"
			snip.Where += ", where " + installer.TokenVariable + " is what " + w.tokenFile() + " holds"
			list = append(list, snip)
		}
	}
	for i := range list {
		list[i].Where += hint
	}
	return list
}

// stableBinary is the path to write into other programs' files. `go run`
// builds into a directory that is gone tomorrow; then it is where `go install`
// puts the binary, and hint says to do that first.
func (w *world) stableBinary() (path, hint string) {
	if !strings.Contains(filepath.ToSlash(w.exe), "/go-build") {
		return w.exe, ""
	}
	dir := w.env("GOBIN")
	if dir == "" {
		dir = filepath.Join(w.home, "go", "bin")
		if gopath := filepath.SplitList(w.env("GOPATH")); len(gopath) > 0 && gopath[0] != "" {
			dir = filepath.Join(gopath[0], "bin")
		}
	}
	name := "lectern"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name), " (first: go install ./cmd/lectern)"
}
