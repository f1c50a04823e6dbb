package main

import (
	"errors"
	"fmt"
	"testing"
)

// An agentTask is a piece of work, what each server that can do it is asked, and what
// shows that it is done.
type agentTask struct {
	name  string
	steps map[string]func(t *testing.T, s *vaultServer)
	done  func(s *vaultServer) error
}

// calls are steps that do not depend on answers: a tool and its arguments in turns.
func calls(toolsAndArguments ...string) func(t *testing.T, s *vaultServer) {
	return func(t *testing.T, s *vaultServer) {
		t.Helper()
		for i := 0; i < len(toolsAndArguments); i += 2 {
			s.call(t, toolsAndArguments[i], toolsAndArguments[i+1])
		}
	}
}

type serverSteps = map[string]func(t *testing.T, s *vaultServer)

// agentTasks are the twenty tasks. A server has no steps for what its tools cannot do.
func agentTasks() []agentTask {
	openTasks := func(s *vaultServer) error {
		for i := range 20 {
			if err := s.says(fmt.Sprintf("Step %d of the preparation", 2*i+1)); err != nil {
				return err
			}
		}
		return errors.Join(s.says("Ask for offers", "Book the hall", "Find a sponsor", "Order stickers", "Errand 5", "Minutes of Pricing"),
			s.saysNone("Sign the lease", "Archive the files", "Step 2 of"))
	}
	return append([]agentTask{{
		"find a decision, add it to a long page", serverSteps{
			"lectern": calls("search_pages", `{"query":"October pricing decision","limit":5}`,
				"edit_page", `{"path":"Projects/Aurora.md","heading":"Decisions","action":"append","content":"- 12 EUR a seat."}`),
			"mcpvault": calls("search_notes", `{"query":"October pricing decision"}`, "read_note", `{"path":"Meetings/2026-10-07 Pricing.md"}`,
				"patch_note", `{"path":"Projects/Aurora.md","oldString":"## Decisions\n","newString":"## Decisions\n\n- 12 EUR a seat."}`),
		}, func(s *vaultServer) error {
			return errors.Join(s.says("12 EUR a seat"), s.has("Projects/Aurora.md", "- 12 EUR a seat.\n", "- The name is Aurora.\n"))
		},
	}, {
		"add a line to a section of a daily note", serverSteps{
			"lectern":  calls("edit_page", `{"path":"Daily/2026-11-20.md","heading":"Log","action":"append","content":"- Called Ada."}`),
			"mcpvault": calls("patch_note", `{"path":"Daily/2026-11-20.md","oldString":"## Log\n","newString":"## Log\n\n- Called Ada."}`),
		}, func(s *vaultServer) error {
			return s.has("Daily/2026-11-20.md", "- Called Ada.\n", "## Log\n", "- Wrote to [[Ada]].\n")
		},
	}, {
		"set a property", serverSteps{
			"lectern":  calls("edit_page", `{"path":"Projects/Aurora.md","property":"status","action":"replace","content":"done"}`),
			"mcpvault": calls("update_frontmatter", `{"path":"Projects/Aurora.md","frontmatter":{"status":"done"}}`),
		}, func(s *vaultServer) error { return s.has("Projects/Aurora.md", "status: done\n", "\n# Aurora\n") },
	}, {
		"tick a task of a long page", serverSteps{
			"lectern":  calls("edit_page", `{"path":"Projects/Aurora.md","task":"Step 7 of the preparation","action":"check"}`),
			"mcpvault": calls("patch_note", `{"path":"Projects/Aurora.md","oldString":"- [ ] Step 7 of the preparation","newString":"- [x] Step 7 of the preparation"}`),
		}, func(s *vaultServer) error {
			return s.has("Projects/Aurora.md", "- [x] Step 7 of the preparation\n", "- [ ] Step 9 of")
		},
	}, {
		"collect all open tasks", serverSteps{
			"lectern":      calls("search_pages", `{"kind":"task","tasks":"open","limit":200}`),
			"obsidian-mcp": calls("obsidian_search_vault", `{"vault":"v","query":"- [ ]","limit":200}`),
		}, openTasks,
	}, {
		"which pages link here", serverSteps{
			"lectern":      calls("search_pages", `{"links_to":"Projects/Aurora.md"}`),
			"obsidian-mcp": calls("obsidian_search_vault", `{"vault":"v","query":"[[Aurora"}`),
		}, func(s *vaultServer) error {
			return errors.Join(s.says("Home.md", "Projects/Borealis.md", "Projects/Cumulus.md", "People/Ada.md", "People/Cleo.md"), s.saysNone("Dune.md"))
		},
	}, {
		"rename a page with its links", serverSteps{
			"lectern":      calls("move_page", `{"sourcePath":"Projects/Aurora.md","destinationPath":"Projects/Polar Light.md"}`),
			"obsidian-mcp": calls("obsidian_move_note", `{"vault":"v","source":"Projects/Aurora.md","destination":"Projects/Polar Light.md"}`),
		}, func(s *vaultServer) error {
			return errors.Join(s.lacks("Projects/Aurora.md"), s.has("Home.md", "[[Polar Light]]"), s.has("Projects/Borealis.md", "[[Polar Light|the first one]]"),
				s.has("Projects/Cumulus.md", "](Polar%20Light.md#Log)"))
		},
	}, {
		"make a daily note by its template", serverSteps{
			"lectern": calls("create_daily_note", `{"date":"2026-11-21"}`),
			"mcpvault": calls("read_note", `{"path":"Templates/Daily.md"}`,
				"write_note", `{"path":"Daily/2026-11-21.md","content":"# 2026-11-21\n\n## Plan\n\n## Log\n"}`),
			"obsidian-mcp": calls("obsidian_read_note", `{"vault":"v","path":"Templates/Daily.md"}`,
				"obsidian_create_note", `{"vault":"v","path":"Daily/2026-11-21.md","content":"# 2026-11-21\n\n## Plan\n\n## Log\n"}`),
		}, func(s *vaultServer) error {
			return s.has("Daily/2026-11-21.md", "# 2026-11-21\n\n## Plan\n\n## Log\n")
		},
	}, {
		"rename a tag on thirty pages", serverSteps{
			"lectern":      calls("rename_tag", `{"tag":"planning","new_tag":"plans"}`),
			"obsidian-mcp": calls("obsidian_rename_tag", `{"vault":"v","old_tag":"planning","new_tag":"plans","include_children":true}`),
		}, func(s *vaultServer) error {
			return errors.Join(s.has("Projects/Aurora.md", "plans"), s.hasNo("Projects/Aurora.md", "planning"), s.has("Notes/Suppliers.md", "#plans/suppliers"), s.has("Notes/Reading 3.md", "#plans #reading"))
		},
	}, {
		"list all tags", serverSteps{
			"lectern":  calls("search_pages", `{"kind":"tag"}`),
			"mcpvault": calls("list_all_tags", `{}`),
		}, func(s *vaultServer) error {
			return s.says("planning", "project", "people", "daily", "meeting", "reading", "planning/suppliers")
		},
	}}, moreAgentTasks()...)
}

// moreAgentTasks are the second half.
func moreAgentTasks() []agentTask {
	five := `["Projects/Borealis.md","Projects/Cumulus.md","Projects/Dune.md","Projects/Ember.md","Notes/Suppliers.md"]`
	return []agentTask{{
		"read a section", serverSteps{
			"lectern": calls("read_page", `{"path":"Projects/Aurora.md","part":"Plan"}`),
			"mcpvault": calls("get_note_outline", `{"path":"Projects/Aurora.md"}`,
				"read_note_lines", `{"path":"Projects/Aurora.md","startLine":22,"endLine":29}`),
			"obsidian-mcp": calls("obsidian_read_note", `{"vault":"v","path":"Projects/Aurora.md"}`),
		}, func(s *vaultServer) error { return s.says("Week 1: prepare", "Week 6: prepare") },
	}, {
		"read five pages", serverSteps{
			"lectern":  calls("read_pages", `{"paths":`+five+`}`),
			"mcpvault": calls("read_multiple_notes", `{"paths":`+five+`}`),
		}, func(s *vaultServer) error {
			return s.says("Ask for offers", "Book the hall", "Archive the files", "Find a sponsor", "Ott & Sons", "paused")
		},
	}, {
		"orphans and broken links", serverSteps{
			"lectern": calls("search_pages", `{"links":"orphan"}`, "search_pages", `{"links":"broken"}`),
		}, func(s *vaultServer) error { return s.says("Notes/Lonely.md", "Notes/Suppliers.md") },
	}, {
		"merge two pages", serverSteps{
			"lectern": calls("merge_pages", `{"sourcePath":"Notes/Launch ideas.md","destinationPath":"Notes/Launch checklist.md"}`),
		}, func(s *vaultServer) error {
			return errors.Join(s.lacks("Notes/Launch ideas.md"), s.has("Notes/Launch checklist.md", "Order stickers", "an open door"), s.has("Notes/Suppliers.md", "[[Launch checklist]]"))
		},
	}, {
		"rename a folder", serverSteps{
			"lectern": calls("move_page", `{"sourcePath":"Notes","destinationPath":"Reference"}`),
		}, func(s *vaultServer) error {
			return errors.Join(s.lacks("Notes/Suppliers.md"), s.has("Reference/Suppliers.md", "Ott"), s.has("Home.md", "](Reference/Suppliers.md)"))
		},
	}, {
		"attach an image and link it", serverSteps{
			"lectern": calls("add_attachment", `{"pagePath":"Projects/Borealis.md","fileName":"hall.png","data":"`+onePixel+`"}`,
				"edit_page", `{"path":"Projects/Borealis.md","action":"append","content":"![](../Files/hall.png)"}`),
		}, func(s *vaultServer) error {
			return errors.Join(s.says("../Files/hall.png"), s.has("Files/hall.png", "PNG"), s.has("Projects/Borealis.md", "![](../Files/hall.png)"))
		},
	}, {
		"what did we decide about pricing", serverSteps{
			"lectern":      calls("search_pages", `{"query":"what did we decide about pricing","limit":5}`),
			"mcpvault":     calls("search_notes", `{"query":"what did we decide about pricing"}`),
			"obsidian-mcp": calls("obsidian_search_vault", `{"vault":"v","query":"what did we decide about pricing"}`),
		}, func(s *vaultServer) error { return s.says("Meetings/2026-10-07 Pricing") },
	}, {
		"what changed this week", serverSteps{
			"lectern":  calls("search_pages", `{"since":"7d"}`),
			"mcpvault": calls("get_vault_stats", `{"recentCount":20}`),
		}, func(s *vaultServer) error { return s.says(modifiedThisWeek()...) },
	}, {
		"pages with status active", serverSteps{
			"lectern":      calls("search_pages", `{"property":"status=active"}`),
			"mcpvault":     calls("search_notes", `{"query":"status: active","searchFrontmatter":true,"searchContent":false,"limit":20}`),
			"obsidian-mcp": calls("obsidian_search_vault", `{"vault":"v","query":"status: active"}`),
		}, func(s *vaultServer) error {
			return errors.Join(s.says("Projects/Aurora", "Projects/Borealis", "Projects/Cumulus"), s.saysNone("Dune", "Ember"))
		},
	}, {
		"list attachments, see one", serverSteps{
			"lectern": calls("search_pages", `{"kind":"attachment"}`, "read_attachment", `{"path":"Files/plan.png"}`),
		}, func(s *vaultServer) error {
			if s.images != 1 {
				return fmt.Errorf("%d images were shown", s.images)
			}
			return s.says("Files/budget.csv", "Files/plan.png")
		},
	}}
}
