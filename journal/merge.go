package journal

import (
	"github.com/lectern-mcp/lectern/internal/textmerge"
	"github.com/lectern-mcp/lectern/tools"
)

// mergeStates applies the change from base to theirs to ours, which was edited since
// it was base. It returns false if both changed the same or adjacent lines, or
// if one of the three is not text.
func mergeStates(base, ours, theirs tools.State) (tools.State, bool) {
	if !base.Exists || !ours.Exists || !theirs.Exists || !isText(base.Data) || !isText(ours.Data) || !isText(theirs.Data) {
		return tools.State{}, false
	}
	merged, ok := textmerge.Merge(string(base.Data), string(ours.Data), string(theirs.Data))
	if !ok {
		return tools.State{}, false
	}
	mode := ours.Mode
	if mode == base.Mode {
		mode = theirs.Mode
	}
	return tools.State{Exists: true, Data: []byte(merged), Mode: mode}, true
}
