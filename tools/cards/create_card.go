package cards

import (
	"context"
	"net/http"

	"github.com/lectern-mcp/lectern/tools"
)

// usualType is the type of a card for which none is given. It is always sent: Decko
// takes any type for a missing one.
const usualType = "RichText"

// CreateCardIn are the arguments of create_card.
type CreateCardIn struct {
	Name     string            `json:"name" jsonschema:"+ joins parts; missing ones are made"`
	Type     string            `json:"type,omitempty" jsonschema:"RichText when omitted"`
	Content  string            `json:"content,omitempty" jsonschema:"HTML; for Pointer a name a line"`
	Markdown string            `json:"markdown_content,omitempty" jsonschema:"or Markdown"`
	Fields   map[string]string `json:"fields,omitempty" jsonschema:"cards below it: +tags, *subject"`
	DryRun   bool              `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

func createCard() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[CreateCardIn, WrittenCard]{
		Name: "create_card", Title: "Create a card", Effect: tools.Writes, Additive: true,
		Selects: []string{"name"},
		Doc:     "Creates a card.\nA name that exists is refused; update_card changes it.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[CreateCardIn, WrittenCard]{
			{
				Purpose: "create a card with tags", In: CreateCardIn{
					Name: "Lighthouse", Markdown: "It stands on a **rock**.", Fields: map[string]string{"+tags": "Coast"},
				}, AnyAnswer: true,
				Want: WrittenCard{Name: "Lighthouse", ID: "~4711", Type: "RichText", Length: 47, Revision: "5f2c90"},
			},
			{
				Purpose: "see what a new part would change", In: CreateCardIn{Name: "Lighthouse+Keeper+Dog", Content: "<p>Old.</p>", DryRun: true},
				AnyAnswer: true,
				Want:      WrittenCard{Name: "Lighthouse+Keeper+Dog", DryRun: true, Would: []PlannedChange{{"Keeper", "create"}}},
			},
		},
	}, (*Wiki).CreateCard), func(_ *Wiki, _ context.Context, in CreateCardIn) ([]string, error) { return []string{in.Name}, nil })
}

// CreateCard implements create_card.
func (w *Wiki) CreateCard(ctx context.Context, c tools.CallContext, in CreateCardIn) (WrittenCard, error) {
	if in.Content != "" && in.Markdown != "" {
		return WrittenCard{}, tools.Errorf(tools.Invalid, "markdown_content: give content or markdown_content, not both")
	}
	if err := w.checkNewName(ctx, in.Name); err != nil {
		return WrittenCard{}, err
	}
	body := map[string]any{"name": in.Name, "type": in.Type, "content": in.Content}
	if in.Type == "" {
		body["type"] = usualType
	}
	if in.Markdown != "" {
		delete(body, "content")
		body["markdown_content"] = in.Markdown
	}
	if len(in.Fields) > 0 {
		body["fields"] = in.Fields
	}
	return w.writtenCard(ctx, c, apiRequest{Method: http.MethodPost, Path: "/cards", Body: body}, in.Name, in.DryRun)
}
