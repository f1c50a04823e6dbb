package cards

import "github.com/lectern-mcp/lectern/tools"

// agentTools are the tools that agents see: those of the specification, and behind them
// those that a source opts in to.
func agentTools() []tools.Tool[*Wiki] {
	return []tools.Tool[*Wiki]{
		getCard(), searchCards(), createCard(), updateCard(), deleteCard(), listChildren(), runQuery(), uploadAttachment(), renderSnippet(),
		batchCards(), renameCard(), getTypes(), getRelationships(), getTags(), getFileURL(),
		getCardOutline(), getSection(), updateSection(),
		getCardHistory(), getRevision(), diffCard(), restoreCard(), listTrash(), spoilerScan(),
	}
}
