package tui

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// A fakeQueries answers queries with what a test puts into it.
type fakeQueries struct {
	mu       sync.Mutex
	changes  []status.Change // newest first
	diffs    map[string]string
	calls    chan status.Call
	recorded []status.Call // newest first
	agents   []status.Agent
	tools    []status.Tool
	checks   []status.Check
	settings []status.Setting
	answer   json.RawMessage
	ran      []string // source, tool and arguments
	asked    []string // prefixes of checks, scopes of tools
	pages    fakePages
	logPage  func(status.LogPageFilter) (status.LogPage, error) // nil: nothing is on disk
	proposed string                                             // the text that the calls that wait would write
	err      error
}

func newFakeQueries() *fakeQueries { return &fakeQueries{calls: make(chan status.Call, 20_000)} }

// RecordedCalls answers status.RecordedCallsQuery from 200 calls at a time.
func (c *fakeQueries) RecordedCalls(_ context.Context, f status.RecordedCallFilter) (status.RecordedCalls, error) {
	found := status.RecordedCalls{Calls: []status.Call{}}
	for seen, call := range c.recorded {
		if f.Before != 0 && call.ID >= f.Before {
			continue
		}
		if f.Matches(&call) {
			found.Calls = append(found.Calls, call)
		}
		if seen%200 == 199 && seen < len(c.recorded)-1 {
			found.Next = call.ID
			break
		}
	}
	return found, c.failing()
}

func (c *fakeQueries) failing() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *fakeQueries) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// client is hub with the answers of c.
func (c *fakeQueries) client(hub status.Client) status.Client {
	queries := status.QueryHandlers{}
	status.HandleStream(queries, status.CallsQuery, c.Calls)
	status.HandleQuery(queries, status.RecordedCallsQuery, c.RecordedCalls)
	status.HandleQuery(queries, status.LogPageQuery, c.LogPage)
	status.HandleQuery(queries, status.ChangesQuery, c.Changes)
	status.HandleQuery(queries, status.AgentsQuery, func(context.Context, struct{}) ([]status.Agent, error) { return c.agents, c.failing() })
	status.HandleQuery(queries, status.ToolsQuery, c.Tools)
	status.HandleQuery(queries, status.RunToolQuery, c.Call)
	status.HandleStream(queries, status.ChecksQuery, c.Check)
	status.HandleQuery(queries, status.SettingsQuery, c.Settings)
	status.HandleQuery(queries, status.SourceKindsQuery, func(context.Context, struct{}) ([]status.SourceKind, error) { return sourceKinds(), c.failing() })
	status.HandleQuery(queries, status.CompletePathQuery, c.CompletePath)
	status.HandleQuery(queries, status.PagesQuery, c.Pages)
	status.HandleQuery(queries, status.PageQuery, c.Page)
	status.HandleQuery(queries, status.PageLinksQuery, c.PageLinks)
	status.HandleQuery(queries, status.PageFileQuery, func(_ context.Context, p status.PageRef) (status.PageFile, error) {
		return status.PageFile{Path: "/home/ada/" + p.Source + "/" + p.Name}, c.failing()
	})
	status.HandleQuery(queries, status.SearchQuery, c.Search)
	fakeApproval(queries, hub)
	status.HandleQuery(queries, status.ProposedTextQuery, func(_ context.Context, r status.ApprovalRange) (status.ApprovalText, error) {
		return status.ApprovalText{Text: c.proposed, From: r.From, Bytes: len(c.proposed)}, c.failing()
	})
	return status.Router{Client: hub, Queries: queries}
}

// sourceKinds are a kind with a folder and one with a secret.
func sourceKinds() []status.SourceKind {
	return []status.SourceKind{
		{Kind: "markdown", Title: "Markdown pages", Doc: "A folder of pages.", Keys: []status.ConfigKey{
			{Name: "path", Type: "folder", Description: "the folder that holds the pages", Required: true},
			{Name: "inbox", Type: "list", Description: "folders to take files from"},
		}},
		{Kind: "logseq", Title: "Logseq", Doc: "A graph that is open in Logseq.\nMore.", Keys: []status.ConfigKey{
			{Name: "graph", Type: "text", Description: "name of the graph as Logseq shows it"},
		}},
		{Kind: "cards", Title: "Cards", Doc: "A server of cards.", Keys: []status.ConfigKey{
			{Name: "url", Type: "text", Description: "where the server is", Required: true},
			{Name: "key", Type: "secret", Description: "its key"},
			{Name: "watch", Type: "boolean", Description: "follow changes"},
		}},
	}
}

// CompletePath answers status.CompletePathQuery from a few folders and a file.
func (c *fakeQueries) CompletePath(_ context.Context, p status.PathPrefix) (status.PathCompletion, error) {
	all := []string{"~/", "~/Documents/", "~/Documents/Garden/", "~/Documents/Garden/Attachments/", "~/Documents/Garden paths/", "~/Downloads/", "~/会議/", "~/key"}
	cut := strings.LastIndex(p.Path, "/") + 1
	found := status.PathCompletion{Dir: p.Path[:cut], Names: []string{}, Folder: slices.Contains(all, strings.TrimSuffix(p.Path, "/")+"/")}
	for _, path := range all {
		name, ok := strings.CutPrefix(path, found.Dir)
		isFolder := strings.HasSuffix(name, "/")
		if ok && name != "" && strings.HasPrefix(name, p.Path[cut:]) && !strings.Contains(strings.TrimSuffix(name, "/"), "/") && (isFolder || p.Files) {
			found.Names = append(found.Names, name)
		}
	}
	return found, c.failing()
}

// Calls answers status.CallsQuery.
func (c *fakeQueries) Calls(ctx context.Context, _ status.CallFilter) (<-chan status.Call, error) {
	if err := c.failing(); err != nil {
		return nil, err
	}
	ch := make(chan status.Call)
	go func() {
		defer close(ch)
		for {
			select {
			case call := <-c.calls:
				select {
				case ch <- call:
				case <-ctx.Done():
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, nil
}

// Changes answers status.ChangesQuery.
func (c *fakeQueries) Changes(_ context.Context, p status.Filter) (status.Changes, error) {
	if err := c.failing(); err != nil {
		return status.Changes{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	page, found := status.Changes{Diffs: map[string]string{}}, p.Before == ""
	for _, one := range c.changes {
		switch {
		case len(p.IDs) > 0 && slices.Contains(p.IDs, one.ID):
			page.Changes = append(page.Changes, one)
			page.Diffs[one.ID] = c.diffs[one.ID]
		case len(p.IDs) > 0:
		case !found:
			found = one.ID == p.Before
		case one.Time.Before(p.Since):
		case len(page.Changes) == 100:
			page.More = true
		default:
			page.Changes = append(page.Changes, one)
		}
	}
	return page, nil
}

// Tools answers status.ToolsQuery.
func (c *fakeQueries) Tools(_ context.Context, f status.ToolFilter) ([]status.Tool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, f.Source+"/"+f.Client)
	return c.tools, c.err
}

// Call answers status.RunToolQuery.
func (c *fakeQueries) Call(_ context.Context, call status.ToolCall) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ran = append(c.ran, call.Source+" "+call.Tool+" "+string(call.Args))
	return c.answer, c.err
}

// Check answers status.ChecksQuery.
func (c *fakeQueries) Check(ctx context.Context, prefix string) (<-chan status.Check, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, prefix)
	if c.err != nil {
		return nil, c.err
	}
	ch := make(chan status.Check)
	go func() {
		defer close(ch)
		for _, one := range c.checks {
			if !strings.HasPrefix(one.Name, prefix) {
				continue
			}
			select {
			case ch <- one:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, nil
}

// Settings answers status.SettingsQuery.
func (c *fakeQueries) Settings(context.Context, struct{}) ([]status.Setting, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings, c.err
}

// filledQueries has something for every pane.
func filledQueries() *fakeQueries {
	c := newFakeQueries()
	c.changes = []status.Change{
		{ID: "c9", Time: noon.Add(-time.Minute), Client: "claude-code", Session: "1", Source: "notes", Tool: "edit_page", Target: "Journal/2026-11-21", Action: "update", Outcome: status.Written, Before: 812, After: 1290, Reason: "the person asked for a summary"},
		{ID: "c8", Time: noon.Add(-2 * time.Minute), Client: "codex-mcp-client", Session: "3", Source: "work-wiki", Tool: "create_card", Target: "Plan", Action: "create", Outcome: status.OutcomeUnknown, After: 44},
		{ID: "c7", Time: noon.Add(-3 * time.Minute), Client: "claude-code", Session: "1", Source: "notes", Tool: "write_page", Target: "会議/日本語", Action: "create", Outcome: status.Undone, After: 2_400_000},
		{ID: "c6", Time: noon.Add(-26 * time.Hour), Client: "claude-code", Session: "1", Source: "notes", Tool: "delete_page", Target: "Old", Action: "delete", Outcome: status.Written, Before: 90, CannotUndo: "its pre-image was too large to keep"},
	}
	c.diffs = map[string]string{
		"c9": "--- a/Journal/2026-11-21.md\n+++ b/Journal/2026-11-21.md\n@@ -1,3 +1,4 @@\n # Today\n-- call the plumber\n+- call the plumber before noon, because he leaves early on Saturdays and does not come back until the week after\n+- water the plants\n \tindented\n",
		"c8": "--- /dev/null\n+++ b/Plan\n@@ -0,0 +1 @@\n+A plan\n",
	}
	c.tools, c.checks, c.settings = someTools(), someChecks(), someSettings()
	c.answer = json.RawMessage(`{"matches":[{"path":"Projects/会議.md","line":11,"context":"a <b> & \u001b[31m"}],"total":1}`)
	for _, call := range someCalls() {
		c.calls <- call
	}
	c.pages = somePages()
	return c
}

// someCalls are forty calls of the last four minutes; every ninth fails.
func someCalls() []status.Call {
	var all []status.Call
	tools := []string{"read_page", "search_pages", "edit_page", "get_card"}
	for i := range 40 {
		c := status.Call{
			Seq: uint64(i + 1), Time: noon.Add(time.Duration(i*i-1600) * 150 * time.Millisecond), Session: "1", Client: "claude-code", Source: "notes",
			Tool: tools[i%4], Effect: "read", Duration: time.Duration(i%7*i+1) * time.Millisecond, RequestBytes: 40 + i, ResponseBytes: i * 977,
		}
		if i%4 == 2 {
			c.Effect, c.Changes, c.Targets = "write", []string{"c9"}, []string{"Journal/2026-11-21", "Projects/会議"}
		}
		if i%4 == 0 {
			c.Targets, c.Proven, c.Waited = []string{"Private/a page with a name that is long.md"}, true, c.Duration/2
		}
		if i%4 == 3 {
			c.Source, c.Client, c.Session = "work-wiki", "cursor-vscode", "2"
		}
		if i%9 == 8 {
			c.Code, c.Message, c.ResponseBytes = "not_found", "no page at …", 61
		}
		all = append(all, c)
	}
	return all
}

func someTools() []status.Tool {
	return []status.Tool{
		{
			Name: "search_pages", Title: "Search pages", System: "markdown", Effect: "read", Sources: []string{"notes", "welcome"}, Bytes: 1311,
			Description: "Finds pages whose title, tags or text contain the query.\nOne literal phrase; no operators.",
			Schema: json.RawMessage(`{"type":"object","required":["query"],"properties":{
				"query":{"type":"string","description":"text to find as it stands"},
				"limit":{"type":"integer","description":"most pages to answer","default":50,"minimum":1,"maximum":200},
				"ratio":{"type":"number"},
				"fuzzy":{"type":["boolean","null"],"description":"near hits too"},
				"sort":{"type":"string","enum":["title","path"]},
				"tags":{"type":"array","items":{"type":"string"},"maxItems":9},
				"where":{"type":"object","description":"conditions"},
				"source":{"type":"string","description":"which one"}}}`),
			Examples: []status.Example{{Purpose: "find a phrase", Args: json.RawMessage(`{"query":"architecture diagram","limit":20}`)}},
		},
		{
			Name: "delete_page", Title: "Delete a page", System: "markdown", Effect: "delete", Sources: []string{"notes"}, Bytes: 404, Description: "Deletes it.",
			Schema: json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}`),
		},
		{Name: "ping", System: "logseq", Effect: "read", Sources: []string{"会議-日本語"}, Bytes: 80, Description: "Answers.", Schema: json.RawMessage(`{"type":"object"}`)},
		{Name: "odd", Effect: "read", Schema: json.RawMessage(`[]`)},
	}
}

func someChecks() []status.Check {
	return []status.Check{
		{Name: "hub.runs", Title: "The hub runs", Result: status.CheckOK, Detail: "pid 4242, version 0.1.0"},
		{Name: "hub.port", Title: "The hub's port is free", Result: status.CheckFail, Detail: "port 12740 is taken by python3 (pid 991)", Fix: "Stop that program, or set another port."},
		{Name: "source.notes", Title: "notes can be read", Result: status.CheckFail, Detail: "the folder is gone", Fix: "Put it back and reopen the source.", Action: &status.Action{Verb: status.ReopenSource, Target: "notes"}},
		{Name: "disk", Title: "There is room on the disk", Result: status.CheckWarn, Detail: "1.2 GB free"},
		{Name: "plugin", Title: "The Logseq plugin answers", Result: status.CheckSkipped, Detail: "no Logseq runs"},
	}
}

func someSettings() []status.Setting {
	return []status.Setting{
		{Key: "hub.port", Description: "The port on 127.0.0.1 for clients that speak HTTP, and for plugins.", Value: "12740", Default: "12740", Restart: true},
		{Key: "hub.idle", Description: "How long the hub stays when no agent is connected.", Value: "2h", Default: "30m", Set: true, Line: 7},
		{Key: "policy.default", Description: "What happens to a call that no rule is about.", Value: "ask", Default: "allow", Set: true, Line: 12, Choices: []string{"allow", "ask", "deny"}},
	}
}

// lively is a hub with something in every corner of the overview.
func lively() status.Snapshot {
	s := asked()
	s.Peers = []status.Peer{
		{
			Component: status.Component{Name: "会議", State: status.Ready, Since: noon}, System: "logseq", Application: "Logseq", Facts: []status.Fact{{Name: "Logseq", Value: "0.10.14"}, {Name: "plugin", Value: "0.1.0"}},
			Transport: "websocket", Latency: 3 * time.Millisecond, Calls: 90, Failures: 2, LastError: "TIMEOUT",
			Capabilities: capabilities("the plugin is set to read-only", "list pages", "read pages", "search", "read blocks", "journals"),
		},
	}
	s.Installations = []status.Installation{
		{ID: "client/claude-code", Title: "Claude Code", Detected: true, Condition: "connected", State: status.Ready, File: "/home/ada/.claude.json"},
		{ID: "client/amp", Title: "Amp", Condition: "not there", State: status.Stopped, File: "/home/ada/.config/amp/settings.json"},
		{ID: "client/cursor", Title: "Cursor", Detected: true, Condition: "outdated", State: status.Degraded, File: "/home/ada/.cursor/mcp.json", Note: "it starts another lectern: /old/bin/lectern"},
		{ID: "plugin/logseq", Title: "Logseq plugin", Detected: true, Condition: "not there", State: status.Stopped, Version: "", File: "/home/ada/.logseq/plugins/lectern"},
	}
	s.Sessions[0].Proven, s.Sessions[0].Grants = true, "notes: read, asks before writing"
	s.Update = status.Update{
		Installed: "0.1.1", Available: "0.2.0", Asked: noon, Previous: "0.0.9", Done: 4_400_000, Total: 11_000_000, Rate: 900_000,
		Steps: []status.Check{{Name: "find", Title: "Find the release", Result: status.CheckOK}, {Name: "get", Title: "Download", Result: status.CheckRunning}, {Name: "swap", Title: "Swap the binary", Result: status.CheckPending}},
	}
	return s
}

// capabilities are the twelve of the fake peer; but for those that it can, all
// are missing for a reason.
func capabilities(reason string, can ...string) []status.Capability {
	var all []status.Capability
	for _, title := range []string{
		"list pages", "read pages", "create pages", "update pages", "delete pages", "search", "read blocks", "create blocks", "update blocks",
		"delete blocks", "move blocks", "query",
	} {
		c := status.Capability{Key: title, Title: title}
		if !slices.Contains(can, title) {
			c.Reason = reason
		}
		all = append(all, c)
	}
	return all
}

// approvals are two calls that wait for a person.
func approvals() []status.Approval {
	return []status.Approval{
		{
			ID: "a1", Since: noon.Add(-10 * time.Second), Until: noon.Add(5 * time.Minute), Session: "1", Client: "claude-code", Proven: true,
			Source: "notes", Tool: "markdown_delete_page", Effect: "delete", Targets: []string{"Journal/2026-11-20", "Journal/2026-11-19"}, More: 3, Removed: 3,
			Within: []string{"Journal/**", "**"}, AskReason: "deleting asks first in notes", Args: `{"pages":["Journal/2026-11-20","Journal/2026-11-19"]}`,
		},
		{
			ID: "a2", Since: noon, Until: noon.Add(6 * time.Minute), Session: "3", Client: "codex-mcp-client",
			Source: "work-wiki", Tool: "update_card", Effect: "write", Targets: []string{"Home+*read"}, Added: 1, Within: []string{"Home+*read", "**"}, AskReason: "a rule of the configuration", OnlyOnce: true, Args: `{"name":"Home+*read","content":"x"}`,
		},
	}
}

// asked is a crowded hub where two calls wait for a person.
func asked() status.Snapshot {
	s := crowded()
	s.Approvals = approvals()
	return s
}

// permitted is a crowded hub with two approvals for ten minutes.
func permitted() status.Snapshot {
	s := crowded()
	s.Sessions = slices.Clone(s.Sessions)
	s.Sessions[0].Proven = true
	s.Permits = []status.Permit{
		{ID: "p1", Client: "claude-code", Proven: true, Source: "notes", Effect: "write", Within: "Journal/**", Since: noon.Add(-time.Minute), Until: noon.Add(9 * time.Minute), Calls: 12},
		{ID: "p2", Client: "codex-mcp-client", Session: "3", Source: "work-wiki", Effect: "write", Within: "**", Since: noon, Until: noon.Add(42 * time.Second)},
	}
	return s
}

// deletion is what the first of them would do.
func deletion() status.Plan {
	return status.Plan{
		Title: "Allow markdown_delete_page",
		Steps: []status.Step{
			{Description: "delete Journal/2026-11-20", Diff: "--- a/Journal/2026-11-20.md\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-# Yesterday\n-- paid the rent\n"},
			{Description: "delete Journal/2026-11-19", Diff: "--- a/Journal/2026-11-19.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-nothing\n"},
		},
		Risks: []string{"5 pages link here"},
	}
}
