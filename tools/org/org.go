// Package org opens Org files: headlines with states, tags, properties, dates and
// clocks, edited in place so that every byte is what Emacs would have written,
// without Emacs. It declares the tools and resources of this System.
//
// It does not know MCP and does not decide who may call what. tools/all imports
// it. Start reading at [System], then source.go. Which files are open is in
// roots.go, a file without what is hidden in shown_file.go, what a URI means in
// target.go, and how an edit becomes Changes in edit.go. Parsing and editing are
// in its internal packages orgfile and orgedit.
package org

import (
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// System declares the kind of knowledge base named org.
func System() tools.Kind {
	return tools.Erase(tools.System[*Source, Config]{
		Name:  "org",
		Title: "Org files",
		Doc: "Org-mode files: tasks with states, tags, properties, dates and clocks. Every edit leaves the bytes that Emacs would have " +
			"written; Emacs need not run. " +
			"A headline is named by a URI, org://projects.org/headline/Alpha/Tasks or org://id/ID, as answers give it.",
		Open:         Open,
		CheckConfig:  Config.check,
		Detect:       Detect,
		UsualFolders: UsualFolders,
		ErrorFormat:  errorFormat(),
		Tools:        systemTools(),
		Resources:    resources(),
		Prompts:      prompts(),
		Pages:        pages(),
		Sample:       sample(),
		Checks:       append(fileChecks(), emacsChecks()...),
		Problems:     []status.ProblemType{duplicateIDs, missingFiles},
		TextTarget:   isOrg,
	})
}

func systemTools() []tools.Tool[*Source] {
	return []tools.Tool[*Source]{
		searchHeadlines(), getTodos(), searchContent(), updateTodoState(), scheduleTask(), setPlanning(), getProperties(), getTodoConfig(),
		getTagConfig(), exportSection(),
		getAgendaItems(), getAgenda(), queryTool(), clockReport(), getHabits(),
		addTodo(), editBody(), editHeadline(), refileHeadline(), archiveSubtree(), setProperties(), setTags(), setPriority(), startClock(),
		stopClock(), bulkUpdate(), capture(),
		readFile(), readOutline(), readHeadline(), readByID(), grepFiles(), findTaggedAncestor(), getBacklinks(), findNodes(), getAttachments(),
		getAllowedFiles(),
	}
}
