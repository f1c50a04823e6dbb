package cards

import (
	"context"
	"net/http"
	"strconv"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
)

// GetCardHistoryIn are the arguments of get_card_history.
type GetCardHistoryIn struct {
	Name  string `json:"name" jsonschema:"name"`
	Limit Limit  `json:"limit,omitempty" jsonschema:"maximum number of revisions"`
}

// RevisionInfo is a change of a card.
type RevisionInfo struct {
	Act     string   `json:"act_id" jsonschema:"for get_revision and restore_card"`
	Action  string   `json:"action" jsonschema:"create, update or delete"`
	Actor   string   `json:"actor" jsonschema:"account"`
	At      string   `json:"acted_at" jsonschema:"time"`
	Changes []string `json:"changes" jsonschema:"what changed"`
}

// GetCardHistoryOut is the answer of get_card_history.
type GetCardHistoryOut struct {
	Card      string         `json:"card" jsonschema:"name"`
	Revisions []RevisionInfo `json:"revisions" jsonschema:"newest first"`
	Total     int            `json:"total" jsonschema:"of all revisions"`
	InTrash   bool           `json:"in_trash,omitempty" jsonschema:"the card is deleted"`
}

func getCardHistory() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[GetCardHistoryIn, GetCardHistoryOut]{
		Name: "get_card_history", Title: "List revisions", Effect: tools.Reads, OptIn: true,
		Selects: []string{"name"},
		Doc:     "Lists what happened to a card.", Errors: []tools.Code{tools.NotFound},
		Examples: []tools.Example[GetCardHistoryIn, GetCardHistoryOut]{{
			Purpose: "see who changed a card", In: GetCardHistoryIn{Name: "Harbour", Limit: 5}, AnyAnswer: true,
			Want: GetCardHistoryOut{
				Card: "Harbour", Total: 1, Revisions: []RevisionInfo{{
					Act: "4711", Action: "create", Actor: "mcp-admin", At: "2026-11-22T15:04:05Z", Changes: []string{"db_content"},
				}},
			},
		}},
	}, (*Wiki).GetCardHistory), func(_ *Wiki, _ context.Context, in GetCardHistoryIn) ([]string, error) { return []string{in.Name}, nil })
}

// GetCardHistory implements get_card_history.
func (w *Wiki) GetCardHistory(ctx context.Context, c tools.CallContext, in GetCardHistoryIn) (GetCardHistoryOut, error) {
	h, err := w.historyOf(ctx, c, in.Name, int(in.Limit))
	if err != nil {
		return GetCardHistoryOut{}, err
	}
	out := GetCardHistoryOut{Card: h.Card, Revisions: []RevisionInfo{}, Total: h.Total, InTrash: h.InTrash}
	for _, one := range h.Revisions {
		if one.Changes == nil {
			one.Changes = []string{}
		}
		out.Revisions = append(out.Revisions, RevisionInfo{one.Act.String(), one.Action, one.Actor, one.At, one.Changes})
	}
	return out, nil
}

func (s screened) historyOf(ctx context.Context, c tools.CallContext, name string, limit int) (cardHistory, error) {
	if err := checkReadable(name); err != nil {
		return cardHistory{}, err
	}
	h, err := s.as(c).history(ctx, name, limit)
	if err != nil {
		return cardHistory{}, err
	}
	hidden, err := s.hides(ctx, h.Card)
	if err == nil && hidden {
		err = absentError(name)
	}
	return h, err
}

// GetRevisionIn are the arguments of get_revision.
type GetRevisionIn struct {
	Name         string       `json:"name" jsonschema:"name"`
	Act          string       `json:"act_id" jsonschema:"from get_card_history"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"from the answer before, for the next part"`
}

// GetRevisionOut is the answer of get_revision.
type GetRevisionOut struct {
	Card         string       `json:"card" jsonschema:"name"`
	Act          string       `json:"act_id" jsonschema:"the revision"`
	At           string       `json:"acted_at" jsonschema:"time"`
	Actor        string       `json:"actor" jsonschema:"account"`
	Type         string       `json:"type" jsonschema:"type at that time"`
	Content      string       `json:"content" jsonschema:"text at that time, or a part of it"`
	Length       int          `json:"length" jsonschema:"characters of the whole text"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"there is more: call again with it"`
}

func getRevision() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[GetRevisionIn, GetRevisionOut]{
		Name: "get_revision", Title: "Read a revision", Effect: tools.Reads, OptIn: true,
		Selects: []string{"name", "act_id"},
		Doc:     "Reads a card as it was.\nWithout an act_id of the card's history, the newest is read.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[GetRevisionIn, GetRevisionOut]{{
			Purpose: "read the newest revision", In: GetRevisionIn{Name: "Harbour", Act: "newest"}, AnyAnswer: true,
			Want: GetRevisionOut{Card: "Harbour", Act: "4711"},
		}},
	}, (*Wiki).GetRevision), func(_ *Wiki, _ context.Context, in GetRevisionIn) ([]string, error) { return []string{in.Name}, nil })
}

// GetRevision implements get_revision.
func (w *Wiki) GetRevision(ctx context.Context, c tools.CallContext, in GetRevisionIn) (GetRevisionOut, error) {
	one, err := w.revisionAt(ctx, c, in.Name, in.Act)
	if err != nil {
		return GetRevisionOut{}, err
	}
	shown, err := part(one.Snapshot.Content, digest(one.Snapshot.Content), in.Continuation, maxText)
	if err != nil {
		return GetRevisionOut{}, err
	}
	return GetRevisionOut{one.Card, one.Act.String(), one.At, one.Actor, one.Snapshot.Type, shown.text, shown.length, shown.continuation}, nil
}

// newest stands for the youngest revision of a card.
const newest = "newest"

func (s screened) revisionAt(ctx context.Context, c tools.CallContext, name, act string) (cardRevision, error) {
	h, err := s.historyOf(ctx, c, name, 1)
	if err != nil {
		return cardRevision{}, err
	}
	if act == newest && len(h.Revisions) > 0 {
		act = h.Revisions[0].Act.String()
	}
	if _, err := strconv.ParseInt(act, 10, 64); err != nil {
		return cardRevision{}, tools.Errorf(tools.Invalid, "act_id: must be a number of get_card_history, or newest")
	}
	return s.as(c).revision(ctx, h.Card, act)
}

// RestoreCardIn are the arguments of restore_card.
type RestoreCardIn struct {
	Name      string `json:"name" jsonschema:"name"`
	Act       string `json:"act_id,omitempty" jsonschema:"revision to go back to"`
	FromTrash bool   `json:"from_trash,omitempty" jsonschema:"or bring the card back out of the trash; what was below it stays there"`
	DryRun    bool   `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

// RestoreCardOut is the answer of restore_card.
type RestoreCardOut struct {
	Card   string          `json:"card" jsonschema:"name"`
	DryRun bool            `json:"dry_run,omitempty" jsonschema:"nothing was written"`
	Would  []PlannedChange `json:"would_change,omitempty" jsonschema:"what a call without dry_run would change"`
}

func restoreCard() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[RestoreCardIn, RestoreCardOut]{
		Name: "restore_card", Title: "Restore a card", Effect: tools.Writes, OptIn: true, Roles: adminsOnly,
		Selects: []string{"name", "act_id"},
		Doc:     "Brings back a revision of a card, or a card out of the trash.\nFor administrators.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[RestoreCardIn, RestoreCardOut]{{
			Purpose: "bring a deleted card back", In: RestoreCardIn{Name: "Wreck", FromTrash: true}, Want: RestoreCardOut{Card: "Wreck"},
		}},
	}, (*Wiki).RestoreCard), func(_ *Wiki, _ context.Context, in RestoreCardIn) ([]string, error) { return []string{in.Name}, nil })
}

// RestoreCard implements restore_card.
func (w *Wiki) RestoreCard(ctx context.Context, c tools.CallContext, in RestoreCardIn) (RestoreCardOut, error) {
	if err := checkReadable(in.Name); err != nil {
		return RestoreCardOut{}, err
	}
	if err := w.checkNewName(ctx, in.Name); err != nil {
		return RestoreCardOut{}, err
	}
	body := map[string]any{"from_trash": true}
	if !in.FromTrash {
		act, err := strconv.ParseInt(in.Act, 10, 64)
		if err != nil {
			return RestoreCardOut{}, tools.Errorf(tools.Invalid, "act_id: must be a number of get_card_history, or set from_trash")
		}
		body = map[string]any{"act_id": act}
	}
	var out RestoreCardOut
	_, changes, err := w.change(ctx, c, apiRequest{Method: http.MethodPost, Path: cardclient.Path("cards", in.Name, "restore"), Body: body},
		in.DryRun, &out)
	if err != nil {
		return RestoreCardOut{}, err
	}
	if in.DryRun {
		out = RestoreCardOut{Card: in.Name, DryRun: true}
	}
	for _, change := range changes {
		out.Would = append(out.Would, plannedChange(change))
	}
	return out, nil
}

// ListTrashIn are the arguments of list_trash.
type ListTrashIn struct {
	Limit  Limit        `json:"limit,omitempty" jsonschema:"maximum number of cards"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"cards to skip"`
}

// TrashedCard is a deleted card.
type TrashedCard struct {
	Name      string `json:"name" jsonschema:"name"`
	Type      string `json:"type" jsonschema:"type"`
	DeletedAt string `json:"deleted_at" jsonschema:"time"`
	DeletedBy string `json:"deleted_by" jsonschema:"account"`
}

// ListTrashOut is the answer of list_trash.
type ListTrashOut struct {
	Cards []TrashedCard `json:"cards" jsonschema:"youngest first"`
}

func listTrash() tools.Tool[*Wiki] {
	return tools.DefineWithContext(tools.Spec[ListTrashIn, ListTrashOut]{
		Name: "list_trash", Title: "List the trash", Effect: tools.Reads, OptIn: true, Roles: adminsOnly,
		Doc: "Lists deleted cards.\nFor administrators.",
		Examples: []tools.Example[ListTrashIn, ListTrashOut]{{
			Purpose: "see what was deleted", AnyAnswer: true, Want: ListTrashOut{Cards: []TrashedCard{{Name: "Wreck", Type: "RichText"}}},
		}},
	}, (*Wiki).ListTrash)
}

// ListTrash implements list_trash.
func (w *Wiki) ListTrash(ctx context.Context, c tools.CallContext, in ListTrashIn) (ListTrashOut, error) {
	q := getOf("trash")
	q.Query = map[string][]string{"limit": {strconv.Itoa(int(in.Limit))}, "offset": {strconv.Itoa(int(in.Offset))}}
	var answer ListTrashOut
	if _, err := w.as(c).send(ctx, q, &answer); err != nil {
		return ListTrashOut{}, err
	}
	out := ListTrashOut{Cards: []TrashedCard{}}
	for _, one := range answer.Cards {
		hidden, err := w.hides(ctx, one.Name)
		if err != nil {
			return ListTrashOut{}, err
		}
		if !hidden {
			out.Cards = append(out.Cards, one)
		}
	}
	return out, nil
}
