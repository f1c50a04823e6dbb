// Package markdown opens a folder of Markdown pages: the mirror of a wiki, an
// Obsidian vault, the files of Logseq, or any folder of .md files. It declares
// the tools, resources and prompts of this System and works on the files
// directly. An index of what is searched for is a cache beside them.
//
// It does not know MCP and does not decide who may call what. tools/all imports
// it. Start reading at [System], then [Notebook]. How files form a tree of pages
// is in outline.go; how a write is worked out and made is in draft.go.
package markdown

import (
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// System declares the kind of knowledge base named markdown.
func System() tools.Kind {
	callable := []tools.Tool[*Notebook]{
		listPages(), readPage(), writePage(), editPage(), createPage(), deletePage(),
		movePage(), searchPages(), getPageLinks(), addAttachment(), getTree(),
		readPages(), readAttachment(), renameHeading(), renameTag(), mergePages(), getPageContext(), createDailyNote(), splitPage(),
	}
	return tools.Erase(tools.System[*Notebook, Config]{
		Name:  "markdown",
		Title: "Markdown pages",
		Doc: "A folder of Markdown pages with YAML front matter and wikilinks: the mirror of a wiki, an Obsidian vault, Logseq's files, or any " +
			"folder of .md files. " +
			"A page with children is Title/_index.md, or Title.md beside the folder Title; paths are relative, like Projects/Alpha.md.",
		Open:        Open,
		Detect:      Detect,
		ErrorFormat: errorFormat(),
		Tools:       append(callable, batch(callable)),
		Problems:    []status.ProblemType{indexBroken, syncStopped, syncConflicts, syncBlocks},
		Folders:     true,
		Resources:   resources(),
		Prompts:     prompts(),
		Pages:       pages(),

		Checks:      checks(),
		Commands:    append(indexCommands(), syncCommands()...),
		Sample:      sample(),
		Environment: Environment(),
		TextTarget:  isPage,
	})
}

// ErrorObject is the specification's error object, with a hint and an etag.
type ErrorObject struct {
	Error string `json:"error" jsonschema:"one sentence for a person"`
	Code  string `json:"code" jsonschema:"INVALID, NOT_FOUND, CONFLICT, DENIED, UNAVAILABLE, LIMITED, TIMEOUT or INTERNAL"`
	Hint  string `json:"hint,omitempty" jsonschema:"what to do next"`
	Etag  string `json:"etag,omitempty" jsonschema:"after a conflict: the page's current etag"`
	// Applied says of a write that was cut short whether it happened.
	Applied any `json:"applied,omitempty" jsonschema:"of a write without an answer: false, or unknown"`
}

// currentEtag is the data of a conflict: the page's current etag.
type currentEtag struct {
	Etag string `json:"etag"`
}

func errorFormat() tools.ErrorFormat {
	return tools.NewErrorFormat(map[tools.Code]string{
		tools.Invalid: "INVALID", tools.NotFound: "NOT_FOUND", tools.Conflict: "CONFLICT", tools.Denied: "DENIED",
		tools.Unavailable: "UNAVAILABLE", tools.Limited: "LIMITED", tools.Timeout: "TIMEOUT", tools.Internal: "INTERNAL",
	}, func(code string, e *tools.Error) ErrorObject {
		f := ErrorObject{Error: e.Message, Code: code, Hint: e.Hint, Applied: e.Applied}
		if now, ok := e.Data.(currentEtag); ok {
			f.Etag = now.Etag
		}
		return f
	})
}
