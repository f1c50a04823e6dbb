package approval

import (
	"bytes"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// findMoves are the targets that r moves within one source.
func (r Request) findMoves() []tools.TargetMove {
	if len(r.Sources) > 0 {
		return nil
	}
	return tools.FindTargetMoves(r.Changes)
}

// targetMove says that r moves targets; nil: it creates or deletes something else, too, but for
// folders, or moves nothing.
func (r Request) targetMove() *status.TargetMove {
	moves := r.findMoves()
	if len(moves) == 0 {
		return nil
	}
	first := moves[0]
	out := status.TargetMove{From: r.Changes[first.From].Target, To: r.Changes[first.To].Target, Count: len(moves)}
	moved := map[int]bool{}
	for _, m := range moves {
		moved[m.From], moved[m.To] = true, true
		before, after := r.Changes[m.From].Before.Data, r.Changes[m.To].After.Data
		if bytes.Equal(before, after) {
			continue
		}
		links, only := tools.EditedLinks(r.Changes, moves, before, after)
		if out.Links += links; !only {
			out.Edited++
		}
	}
	for i, c := range r.Changes {
		switch isFolder := strings.HasSuffix(c.Target, "/"); {
		case moved[i], isFolder && c.Before.Exists != c.After.Exists:
		case c.AfterUnknown, c.Before.Exists != c.After.Exists:
			return nil
		default:
			links, only := tools.EditedLinks(r.Changes, moves, c.Before.Data, c.After.Data)
			if out.Links += links; !only || links == 0 {
				out.Changed++
			}
		}
	}
	return &out
}
