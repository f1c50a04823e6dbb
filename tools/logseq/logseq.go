// Package logseq opens a running Logseq: pages, blocks, journals, tasks and
// queries of the graph that is open in it, through the Peer that lives in
// Logseq as a plugin. It serves both product lines, file graphs and DB graphs,
// with the same tools and the same answers.
//
// It keeps nothing: no copy, no cache, no file. It does not know how the Peer
// is connected; what it asks for are the methods in wire.go, and which of them
// a Logseq offers is in capability.go. It is imported by tools/all. Start
// reading at [System], then at [Graph]; how a write is read back is in
// write.go.
package logseq

import (
	"github.com/lectern-mcp/lectern/tools"
)

// Config are the keys of a source.
type Config struct {
	Graph string `json:"graph,omitempty" jsonschema:"name of the graph as Logseq shows it; when omitted, the only one that is connected"`
}

// System declares the kind of knowledge base named logseq.
func System() tools.Kind {
	return tools.Erase(tools.System[*Graph, Config]{
		Name:  "logseq",
		Title: "Logseq",
		Doc: "A graph that is open in a running Logseq, a file graph or a DB graph. Pages go by their name or uuid, blocks by their uuid. " +
			"What this Logseq cannot do answers CAPABILITY_MISSING; get_capabilities tells beforehand. " +
			"Every write is read back: verified says whether it was found as asked. A write that ends in TIMEOUT or a lost connection says in data.applied whether it happened: true, false or \"unknown\".",
		Open:        Open,
		Peer:        func(c Config) string { return c.Graph },
		ErrorFormat: errorFormat(),
		Tools: []tools.Tool[*Graph]{
			listPages(), getPageContent(), createPage(), updatePage(), deletePage(), search(),
			getBlock(), createBlock(), updateBlock(), deleteBlock(), moveBlock(),
			datascriptQuery(), ping(), getCapabilities(),
			renamePage(), getBacklinks(), insertBlocks(), getJournal(), appendToJournal(),
			listTasks(), setTask(), getTags(), listProperties(), listTemplates(), batch(),
		},
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
		return ErrorObject{Code: code, Message: e.Message, Data: e.Data, Hint: e.Hint}
	})
}
