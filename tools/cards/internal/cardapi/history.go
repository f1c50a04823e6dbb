package cardapi

import (
	"net/http"
	"strconv"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

func getHistory(r *request) (answer, error) {
	limit, err := r.number("limit", 20, 1, mostList)
	if err != nil {
		return answer{}, err
	}
	c, revisions, total, err := r.store.History(r.Context(), r.by(), r.args[0], r.who.Role == cardstore.Admin, limit)
	if err != nil {
		return answer{}, err
	}
	list := make([]map[string]any, 0, len(revisions))
	for _, one := range revisions {
		list = append(list, map[string]any{
			"act_id": one.Act, "action": one.Action, "actor": one.Actor, "acted_at": stamp(one.At), "changes": one.Changes,
		})
	}
	return ok(map[string]any{"card": c.Name, "revisions": list, "total": total, "in_trash": c.InTrash()})
}

func getRevision(r *request) (answer, error) {
	act, err := strconv.ParseInt(r.args[1], 10, 64)
	if err != nil {
		return answer{}, notFound("Revision not found")
	}
	c, one, err := r.store.RevisionOf(r.Context(), r.by(), r.args[0], act)
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]any{
		"card": c.Name, "act_id": one.Act, "acted_at": stamp(one.At), "actor": one.Actor,
		"snapshot": map[string]any{"name": one.Name, "type": one.Type, "content": one.Content},
	})
}

func restoreCard(r *request) (answer, error) {
	var in struct {
		Act       *int64 `json:"act_id"`
		FromTrash bool   `json:"from_trash"`
		dryRunBody
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	if r.who.Role != cardstore.Admin {
		return answer{}, forbidden("Only admin role can restore cards", cardstore.Admin)
	}
	switch {
	case in.FromTrash:
		c, err := r.store.RestoreTrashed(r.Context(), r.by(), r.args[0])
		if err != nil {
			return answer{}, err
		}
		return ok(map[string]any{"success": true, "card": c.Name, "message": "Card restored from trash"})
	case in.Act != nil:
		c, one, err := r.store.Restore(r.Context(), r.by(), r.args[0], *in.Act)
		if err != nil {
			return answer{}, err
		}
		return ok(map[string]any{
			"success": true, "card": c.Name, "message": "Card restored to an earlier revision",
			"restored_from": map[string]any{"act_id": one.Act, "acted_at": stamp(one.At)},
		})
	}
	return answer{}, invalid("", "Must specify either act_id or from_trash: true")
}

func getTrash(r *request) (answer, error) {
	if r.who.Role != cardstore.Admin {
		return answer{}, &apiError{
			status: http.StatusForbidden, code: "permission_denied", message: "Only admin role can access trash",
			details: map[string]any{"required_role": cardstore.Admin},
		}
	}
	var f cardstore.Search
	if err := r.page(&f); err != nil {
		return answer{}, err
	}
	cards, total, err := r.store.Trash(r.Context(), r.by(), f.Limit, f.Offset)
	if err != nil {
		return answer{}, err
	}
	list := make([]map[string]any, 0, len(cards))
	for _, c := range cards {
		list = append(list, map[string]any{"name": c.Name, "type": c.Type, "deleted_at": stamp(c.DeletedAt), "deleted_by": c.DeletedBy})
	}
	return ok(map[string]any{
		"cards": list, "total": total, "limit": f.Limit, "offset": f.Offset, "next_offset": next(f.Offset, len(cards), total),
	})
}
