package cards

import (
	"context"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// BatchAction is what an operation of a batch does.
type BatchAction string

// JSONSchema implements [tools.SchemaProvider].
func (BatchAction) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"create", "update"}}
}

// BatchMode is how a batch fails: per_item (the default), or transactional: all or none.
type BatchMode string

// JSONSchema implements [tools.SchemaProvider].
func (BatchMode) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"per_item", transactional}}
}

// BatchChild is a card below one of a batch.
type BatchChild struct {
	Name     string `json:"name" jsonschema:"+tags or *subject"`
	Type     string `json:"type,omitempty" jsonschema:"RichText when omitted"`
	Content  string `json:"content,omitempty" jsonschema:"text"`
	Markdown string `json:"markdown_content,omitempty" jsonschema:"text as Markdown"`
}

// BatchOp is one operation of a batch.
type BatchOp struct {
	Action   BatchAction       `json:"action" jsonschema:"create or update"`
	Name     string            `json:"name" jsonschema:"name"`
	Type     string            `json:"type,omitempty" jsonschema:"of a new card RichText when omitted"`
	Content  *string           `json:"content,omitempty" jsonschema:"text"`
	Markdown *string           `json:"markdown_content,omitempty" jsonschema:"text as Markdown"`
	Patch    *CardPatch        `json:"patch,omitempty" jsonschema:"change a part of the text"`
	Fields   map[string]string `json:"fields,omitempty" jsonschema:"cards below it with their texts"`
	Children []BatchChild      `json:"children,omitempty" jsonschema:"cards below it"`
	Upsert   bool              `json:"fetch_or_initialize,omitempty" jsonschema:"create: update the card if it exists"`
}

// BatchCardsIn are the arguments of batch_cards.
type BatchCardsIn struct {
	Operations []BatchOp `json:"operations" jsonschema:"1 to 100, in order"`
	Mode       BatchMode `json:"mode,omitempty" jsonschema:"per_item (default): each separately; transactional: all or none"`
	DryRun     bool      `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

// BatchResult is what came of an operation.
type BatchResult struct {
	Status  string `json:"status" jsonschema:"ok or error"`
	Name    string `json:"name" jsonschema:"name"`
	Message string `json:"message,omitempty" jsonschema:"what is wrong"`
}

// BatchCardsOut is the answer of batch_cards.
type BatchCardsOut struct {
	Results []BatchResult   `json:"results" jsonschema:"one for each operation; none on a dry run"`
	Failed  int             `json:"failed" jsonschema:"operations that failed"`
	DryRun  bool            `json:"dry_run,omitempty" jsonschema:"nothing was written"`
	Would   []PlannedChange `json:"would_change,omitempty" jsonschema:"what a call without dry_run would change"`
}

func batchCards() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[BatchCardsIn, BatchCardsOut]{
		Name: "batch_cards", Title: "Write many cards", Effect: tools.Writes, OptIn: true,
		Selects: []string{
			"operations.name", "operations.children.name", "operations.patch.find", "operations.patch.start_marker", "operations.patch.end_marker",
		},
		Doc:    "Creates and updates up to 100 cards in one call.\nTry it with dry_run first. One undo takes all of it back.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[BatchCardsIn, BatchCardsOut]{{
			Purpose: "write two cards or none",
			In: BatchCardsIn{Mode: transactional, Operations: []BatchOp{
				{
					Action: "create", Name: "Mill", Content: new("<p>It grinds.</p>"),
					Children: []BatchChild{{Name: "+owner", Type: "Phrase", Content: "Anna"}},
				},
				{Action: "update", Name: "Harbour", Patch: &CardPatch{Mode: "append", Content: "<p>See [[Mill]].</p>"}},
			}},
			Want: BatchCardsOut{Results: []BatchResult{{Status: "ok", Name: "Mill"}, {Status: "ok", Name: "Harbour"}}},
		}},
	}, (*Wiki).BatchCards), func(_ *Wiki, _ context.Context, in BatchCardsIn) (names []string, err error) {
		for _, op := range in.Operations {
			names = append(names, op.Name)
		}
		return names, nil
	})
}

// BatchCards implements batch_cards.
func (w *Wiki) BatchCards(ctx context.Context, c tools.CallContext, in BatchCardsIn) (BatchCardsOut, error) {
	if len(in.Operations) == 0 || len(in.Operations) > pageSize {
		return BatchCardsOut{}, tools.Errorf(tools.Invalid, "operations: give 1 to %d operations", pageSize)
	}
	ops := make([]map[string]any, 0, len(in.Operations))
	for _, op := range in.Operations {
		if err := w.checkNewName(ctx, op.Name); err != nil {
			return BatchCardsOut{}, err
		}
		ops = append(ops, op.body())
	}
	body := map[string]any{"ops": ops}
	if in.Mode != "" {
		body["mode"] = in.Mode
	}
	var answer struct {
		Results []opResult `json:"results"`
	}
	_, changes, err := w.change(ctx, c, apiRequest{Method: http.MethodPost, Path: "/cards/batch", Body: body}, in.DryRun, &answer)
	if err != nil {
		return BatchCardsOut{}, err
	}
	out := BatchCardsOut{Results: []BatchResult{}, DryRun: in.DryRun}
	for _, change := range changes {
		out.Would = append(out.Would, plannedChange(change))
	}
	for _, one := range answer.Results {
		if one.RolledBack {
			one.Status, one.Message = "error", "not written, because another operation failed"
		}
		if one.Status == "error" {
			out.Failed++
		}
		out.Results = append(out.Results, BatchResult{one.Status, one.Name, one.Message})
	}
	return out, nil
}

// body is the operation as the API takes it. The type of a new card is always said.
func (op BatchOp) body() map[string]any {
	out := map[string]any{"action": op.Action, "name": op.Name}
	if op.Type != "" {
		out["type"] = op.Type
	} else if op.Action == "create" && !op.Upsert {
		out["type"] = usualType
	}
	if op.Content != nil {
		out["content"] = *op.Content
	}
	if op.Markdown != nil {
		out["markdown_content"] = *op.Markdown
	}
	if op.Patch != nil {
		out["patch"] = op.Patch.full()
	}
	if len(op.Fields) > 0 {
		out["fields"] = op.Fields
	}
	if op.Upsert {
		out["fetch_or_initialize"] = true
	}
	var children []map[string]any
	for _, child := range op.Children {
		one := map[string]any{"name": child.Name, "type": child.Type, "content": child.Content}
		if child.Type == "" {
			one["type"] = usualType
		}
		if child.Markdown != "" {
			delete(one, "content")
			one["markdown_content"] = child.Markdown
		}
		children = append(children, one)
	}
	if children != nil {
		out["children"] = children
	}
	return out
}
