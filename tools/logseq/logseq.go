// Package logseq opens a running Logseq: the pages, blocks, journals, tasks
// and queries of the graph that is open in it, through a Peer that runs in
// Logseq as a plugin. It serves both product lines, file graphs and DB graphs,
// with the same tools and answers.
//
// It keeps no copy, cache or file, and does not know how the Peer is
// connected. It is imported by tools/all. Start reading at [System], then
// define.go and [Graph]. Each tool has its own file. privacy_*.go is what
// agents must not see, undo_*.go is undo, write_*.go is how blocks are
// written, and query_*.go guards DataScript queries. The requests to the Peer
// are in wire.go; write.go reads back what a write did.
package logseq

import (
	"github.com/lectern-mcp/lectern/tools"
)

// Config holds the keys of a [[source]] table with kind "logseq".
type Config struct {
	Graph string `json:"graph,omitempty" jsonschema:"name of the graph as Logseq shows it; when omitted, the only one that is connected"`
	// GraphFolder is no tools.Folder: the source is the running graph, also where
	// another source opens the files in this folder.
	GraphFolder string `json:"graph_folder,omitempty" jsonschema:"absolute path of the folder with the graph's assets in it, for read_asset"`
}

// System declares the kind of knowledge base named logseq.
func System() tools.Kind {
	return tools.Erase(tools.System[*Graph, Config]{
		Name:  "logseq",
		Title: "Logseq",
		Doc: "A graph that is open in a running Logseq, a file graph or a DB graph. Pages are named by name or uuid, blocks by uuid. " +
			"A tool that this Logseq does not support answers CAPABILITY_MISSING; get_capabilities lists what is available. " +
			"Every write is read back: verified tells whether the result is as requested. Of a write that ends in an error data.applied tells " +
			"whether it happened: true, false, \"partly\" (data.done tells what) or \"unknown\".",
		Open:        Open,
		Peer:        peerSpec(),
		ErrorFormat: errorFormat(),
		Tools: []tools.Tool[*Graph]{
			listPages(), getPageContent(), createPage(), updatePage(), deletePage(), search(),
			getBlock(), createBlock(), updateBlock(), deleteBlock(), moveBlock(),
			datascriptQuery(), ping(), getCapabilities(), find(),
			renamePage(), getBacklinks(), insertBlocks(), getJournal(), appendToJournal(),
			replacePageContent(), setTags(), createTag(), createProperty(),
			listAssets(), readAsset(), logseqQuery(), getFocus(), openPage(), listRequests(), answerRequest(),
			listTasks(), setTask(), getTags(), listProperties(), listTemplates(), batch(),
		},
		Checks:    checks(),
		Resources: resources(),
		Pages:     pages(),
	})
}

// ErrorObject is the specification's error object, with a hint.
type ErrorObject struct {
	Code    string `json:"code" jsonschema:"what went wrong, such as CAPABILITY_MISSING or NOT_FOUND"`
	Message string `json:"message" jsonschema:"one sentence for a person"`
	Data    any    `json:"data,omitempty" jsonschema:"further facts"`
	Hint    string `json:"hint,omitempty" jsonschema:"what to do next"`
}

func errorFormat() tools.ErrorFormat {
	return tools.NewErrorFormat(map[tools.Code]string{
		tools.Invalid: "INVALID_INPUT", tools.NotFound: "NOT_FOUND", tools.Conflict: "CONFLICT", tools.Denied: "DENIED",
		tools.Unavailable: "UNAVAILABLE", tools.Limited: "LIMITED", tools.Timeout: "TIMEOUT", tools.Internal: "INTERNAL",
	}, func(code string, e *tools.Error) ErrorObject {
		return ErrorObject{Code: code, Message: e.Message, Data: e.DataOrApplied(), Hint: e.Hint}
	}).WithSpecCode(tools.SpecCode{
		Code: tools.Unavailable, Word: capabilityMissingCode, Meaning: "This Logseq, its kind of graph or the plugin's settings do not offer it.",
		ToDo: "Continue without it; get_capabilities tells why.",
	})
}
