package cards

import (
	"context"
	"net/http"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
)

// RenameCardIn are the arguments of rename_card.
type RenameCardIn struct {
	Name           string `json:"name" jsonschema:"present name"`
	NewName        string `json:"new_name" jsonschema:"new name"`
	UpdateReferers *bool  `json:"update_referers,omitempty" jsonschema:"let links and nests in other cards follow; true when omitted"`
	Expected       string `json:"expected_revision,omitempty" jsonschema:"revision from get_card; refused if the card has changed"`
	DryRun         bool   `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

// RenameCardOut is the answer of rename_card.
type RenameCardOut struct {
	Status  string          `json:"status" jsonschema:"renamed, or dry_run"`
	OldName string          `json:"old_name" jsonschema:"name before"`
	NewName string          `json:"new_name" jsonschema:"name after"`
	Would   []PlannedChange `json:"would_change,omitempty" jsonschema:"what a call without dry_run would change"`
}

func renameCard() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[RenameCardIn, RenameCardOut]{
		Name: "rename_card", Title: "Rename a card", Effect: tools.Writes, OptIn: true, Roles: adminsOnly,
		Selects: []string{"name", "new_name"},
		Doc:     "Renames a card, what is below it, and the references to them.\nFor administrators.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[RenameCardIn, RenameCardOut]{{
			Purpose: "rename a card with its references", In: RenameCardIn{Name: "Sketch", NewName: "Drawing"},
			Want: RenameCardOut{Status: "renamed", OldName: "Sketch", NewName: "Drawing"},
		}},
	}, (*Wiki).RenameCard), func(_ *Wiki, _ context.Context, in RenameCardIn) ([]string, error) {
		return []string{in.Name, in.NewName}, nil
	})
}

// RenameCard implements rename_card.
func (w *Wiki) RenameCard(ctx context.Context, c tools.CallContext, in RenameCardIn) (RenameCardOut, error) {
	found, err := w.get(ctx, c, in.Name)
	if err != nil {
		return RenameCardOut{}, err
	}
	if in.Expected != "" && in.Expected != found.revision() {
		return RenameCardOut{}, refusalError(&cardclient.APIError{Code: "conflict"})
	}
	if err := w.checkNewName(ctx, in.NewName); err != nil {
		return RenameCardOut{}, err
	}
	body := map[string]any{"new_name": in.NewName, "update_referers": in.UpdateReferers == nil || *in.UpdateReferers}
	out := RenameCardOut{Status: "renamed"}
	_, changes, err := w.change(ctx, c, apiRequest{Method: http.MethodPut, Path: cardclient.Path("cards", found.Name, "rename"), Body: body},
		in.DryRun, &out)
	if err != nil {
		return RenameCardOut{}, err
	}
	if in.DryRun {
		out = RenameCardOut{Status: "dry_run", OldName: found.Name, NewName: in.NewName}
	}
	for _, change := range changes {
		out.Would = append(out.Would, plannedChange(change))
	}
	return out, nil
}
