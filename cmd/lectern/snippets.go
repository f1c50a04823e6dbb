package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// snippets are what to paste into MCP clients. Clients with a window do not
// know the shell's PATH, so the binary is named in full. endpoint is the HTTP
// address; empty: HTTP is off.
func (w *world) snippets(endpoint string) []status.Snippet {
	bin, hint := w.stableBinary()
	type entry struct {
		Type    string   `json:"type,omitempty"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	stdio := entry{Command: bin, Args: []string{"serve"}}
	typed := stdio
	typed.Type = "stdio"
	under := func(key string, e entry) string {
		return shortList.ReplaceAllString(jsonText(map[string]any{key: map[string]any{"lectern": e}}), "[$1]")
	}
	list := []status.Snippet{
		{Client: "Claude Code", Where: "run in a shell", Text: "claude mcp add --scope user lectern -- " + shellWord(bin) + " serve"},
		{Client: "Claude Desktop", Where: "Settings > Developer > Edit Config", Text: under("mcpServers", stdio)},
		{Client: "Cursor", Where: "~/.cursor/mcp.json", Text: under("mcpServers", stdio)},
		{Client: "VS Code", Where: ".vscode/mcp.json, or the command MCP: Open User Configuration", Text: under("servers", typed)},
		{Client: "Codex", Where: "~/.codex/config.toml", Text: fmt.Sprintf("[mcp_servers.lectern]\ncommand = %s\nargs = [\"serve\"]", tomlString(bin))},
	}
	if endpoint != "" {
		list = append(list, status.Snippet{
			Client: "Over HTTP", Where: "run in a shell; the token is in " + w.tokenFile(),
			Text: fmt.Sprintf("claude mcp add --scope user --transport http lectern %s --header \"Authorization: Bearer $(cat %s)\"",
				endpoint, shellWord(w.tokenFile())),
		})
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

// shortList matches a list of one word, which json spreads over three lines.
var shortList = regexp.MustCompile(`\[\s*("[^"]*")\s*\]`)

// jsonText is v as people write it into files.
func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // maps of strings
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// shellWord quotes s for a POSIX shell where it needs that.
func shellWord(s string) string {
	if runtime.GOOS == "windows" {
		return strconv.Quote(s)
	}
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("/._-+@%", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// tomlString quotes s for TOML: literally, so that Windows paths stay legible.
func tomlString(s string) string {
	if !strings.Contains(s, "'") {
		return "'" + s + "'"
	}
	return jsonText(s)
}
