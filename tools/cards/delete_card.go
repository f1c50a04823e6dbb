package cards

import (
	"context"
	"net/http"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// DeleteCardIn are the arguments of delete_card.
type DeleteCardIn struct {
	Name     string `json:"name" jsonschema:"name"`
	Expected string `json:"expected_revision,omitempty" jsonschema:"revision from get_card"`
	DryRun   bool   `json:"dry_run,omitempty" jsonschema:"only name what would go"`
}

// DeleteCardOut is the answer of delete_card.
type DeleteCardOut struct {
	Status string          `json:"status" jsonschema:"deleted, or dry_run"`
	Name   string          `json:"name" jsonschema:"name"`
	Would  []PlannedChange `json:"would_change,omitempty" jsonschema:"what a call without dry_run would change"`
}

// adminsOnly are the roles of tools that take away or bring back.
var adminsOnly = []string{string(cardstore.Admin)}

func deleteCard() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[DeleteCardIn, DeleteCardOut]{
		Name: "delete_card", Title: "Delete a card", Effect: tools.Deletes, Roles: adminsOnly,
		Selects: []string{"name"},
		Doc:     "Moves a card and all cards below it to the trash.\nFor administrators.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[DeleteCardIn, DeleteCardOut]{
			{
				Purpose: "see what would go", In: DeleteCardIn{Name: "Harbour", DryRun: true}, AnyAnswer: true, Want: DeleteCardOut{
					Status: "dry_run", Name: "Harbour", Would: []PlannedChange{{"Harbour", "delete"}},
				},
			},
			{Purpose: "delete a card", In: DeleteCardIn{Name: "Harbour"}, Want: DeleteCardOut{Status: "deleted", Name: "Harbour"}},
		},
	}, (*Wiki).DeleteCard), func(_ *Wiki, _ context.Context, in DeleteCardIn) ([]string, error) { return []string{in.Name}, nil })
}

// DeleteCard implements delete_card.
func (w *Wiki) DeleteCard(ctx context.Context, c tools.CallContext, in DeleteCardIn) (DeleteCardOut, error) {
	found, err := w.get(ctx, c, in.Name)
	if err != nil {
		return DeleteCardOut{}, err
	}
	if in.Expected != "" && in.Expected != found.revision() {
		return DeleteCardOut{}, refusalError(&cardclient.APIError{Code: "conflict"})
	}
	_, changes, err := w.change(ctx, c, apiRequest{Method: http.MethodDelete, Path: cardclient.Path("cards", found.Name)}, in.DryRun, nil)
	if err != nil {
		return DeleteCardOut{}, err
	}
	out := DeleteCardOut{Status: "deleted", Name: found.Name}
	if in.DryRun {
		out.Status = "dry_run"
	}
	for _, change := range changes {
		out.Would = append(out.Would, plannedChange(change))
	}
	return out, nil
}
