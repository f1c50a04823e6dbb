package tui

import (
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// fresh is a hub in its first minute on a new machine.
func fresh() status.Snapshot {
	return status.Snapshot{
		Seq: 1, Time: noon,
		Hub: status.Hub{
			Component: status.Component{Name: "hub", State: status.Ready, Since: noon},
			Version:   "0.1.0", PID: 4242, Started: noon.Add(-20 * time.Second), Memory: 21 << 20,
			Endpoint: "http://127.0.0.1:12740/mcp", Config: "/home/ada/.config/lectern/config.toml",
		},
		Sources: []status.Source{{
			Component: status.Component{Name: "welcome", State: status.Ready, Since: noon}, Kind: "markdown",
			Location: "/home/ada/.local/share/lectern/welcome", Effects: []string{"read", "write", "delete"}, Tools: 10, Sample: true,
		}},
		Snippets: []status.Snippet{
			{Client: "Claude Code", Destination: "run in a shell", Text: "claude mcp add lectern -- lectern serve"},
			{Client: "Codex", Destination: "~/.codex/config.toml", Text: "[mcp_servers.lectern]\ncommand = \"lectern\"\nargs = [\"serve\"]"},
			{Client: "Cursor", Destination: "~/.cursor/mcp.json", Text: "{\n  \"mcpServers\": {\n    \"lectern\": {\n      \"command\": \"lectern\",\n\t\t\t\"args\": [\"serve\"]\n    }\n  }\n}"},
		},
	}
}

// crashing is a hub that ended again and again, and what it said last.
func crashing() status.Snapshot {
	s := fresh()
	why := "the hub ended 5 times within 1m0s (exit status 2); it is not started again by itself"
	s.Hub.State, s.Hub.Note, s.Hub.PID = status.CrashLoop, "s tries again", 0
	s.Hub.Stderr = []string{"lectern: hub is starting\x1b[2J", "panic: runtime error: index out of range [3] with length 3", "goroutine 1 [running]:"}
	s.Sources[0].State = status.Stopped
	s.Problems = []status.Problem{{
		Code: "hub.start", Component: "hub", Severity: status.Error, Since: noon, Title: why,
		Fix: "Do what the message says, then start the hub again.", Action: &status.Action{Verb: status.StartHub},
	}}
	return s
}

// crowded is a hub with much to do and something wrong.
func crowded() status.Snapshot {
	s := fresh()
	s.Hub.State, s.Hub.Calls, s.Hub.Failures, s.Hub.Restarts = status.Degraded, 12_044, 3, 1
	s.Hub.Started = noon.Add(-26 * time.Hour)
	s.Sources = append(s.Sources,
		status.Source{
			Component: status.Component{Name: "notes", State: status.Failed, Since: noon.Add(-time.Hour), Note: "the folder is gone"},
			Kind:      "markdown", Location: "/home/ada/notes", Effects: []string{"read", "write"}, Tools: 10, Calls: 1204,
		},
		status.Source{
			Component: status.Component{Name: "会議-日本語", State: status.Starting, Since: noon},
			Kind:      "logseq", Application: "Logseq", Location: "graph 会議", Effects: []string{"read"}, ReadOnly: true, Tools: 28, Calls: 9,
		},
		status.Source{
			Component: status.Component{Name: "work-wiki", State: status.Ready, Since: noon},
			Kind:      "cards", Location: "https://wiki.example.org/", Effects: []string{"read", "write", "delete", "admin"}, Tools: 31, Calls: 10_831,
		},
	)
	s.Sessions = []status.Session{
		{
			Component: status.Component{Name: "1", State: status.Ready}, Client: "claude-code", Version: "2.0.1",
			Transport: status.Stdio, PID: 4711, Calls: 912, LastCall: noon.Add(-time.Minute), LastTool: "markdown_read_page",
		},
		{
			Component: status.Component{Name: "2", State: status.Ready}, Client: "cursor-vscode", Version: "1.99.3",
			Transport: status.HTTP, Scope: "work-wiki", Calls: 11_132, LastCall: noon.Add(-25 * time.Hour), LastTool: "search_cards",
		},
		{Component: status.Component{Name: "3", State: status.Ready}, Client: "codex-mcp-client", Version: "0.40", Transport: status.Stdio},
	}
	s.Problems = []status.Problem{
		{
			Code: "source.gone", Component: "notes", Severity: status.Error, Since: noon,
			Title: "notes: the folder /home/ada/notes is gone", Fix: "Put it back and reopen the source, or remove the source.",
			Action: &status.Action{Verb: status.ReopenSource, Target: "notes"},
		},
		{
			Code: "port.taken", Component: "hub", Severity: status.Warning, Since: noon,
			Title: "port 12740 is taken by python3 (pid 991)", Fix: "Stop that program, or set another port in the configuration.",
		},
	}
	return s
}

// lines is a piece of log with every level, a wide text, a long one and a gap.
func lines() []status.Line {
	texts := []string{
		"hub started version=0.1.0 pid=4242",
		"source opened source=welcome pages=12 duration=4ms",
		"page read page=日本語/会議 bytes=8812",
		"page is larger than a tool answer may be page=Journal/2026-11-21 limit=262144 size=918273 hint=\"ask for a part with offset and limit, or raise max_answer in the configuration\"",
		"open vault: no such directory place=/home/ada/notes",
	}
	levels := []status.Level{status.Info, status.Info, status.Debug, status.Warn, status.Fail}
	parts := []string{"hub", "welcome", "welcome", "hub", "notes"}
	var all []status.Line
	for i := range 60 {
		all = append(all, status.Line{Time: noon.Add(time.Duration(i) * 137 * time.Millisecond), Level: levels[i%5], Component: parts[i%5], Text: texts[i%5]})
	}
	return all
}

// removal is what it takes to remove notes.
func removal() status.Plan {
	return status.Plan{
		Title: "Remove source notes",
		Steps: []status.Step{
			{Description: "edit /home/ada/.config/lectern/config.toml", Diff: "--- config.toml\n+++ config.toml\n@@ -4,5 +4,2 @@\n [hub]\n-[[source]]\n-name = \"notes\"\n+# end\n"},
			{Description: "close the source; its files stay where they are"},
		},
		Risks: []string{"3 agents are connected and lose the tools of this source"},
	}
}
