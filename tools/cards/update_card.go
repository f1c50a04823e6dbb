package cards

import (
	"context"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// PatchMode is a way to change a part of a text.
type PatchMode string

// JSONSchema implements [tools.SchemaProvider].
func (PatchMode) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "string", Enum: []any{
			"append", "prepend", "find_replace", "replace_between", "regex_replace", "append_item", "remove_item",
			"replace_items", "append_toc", "remove_toc", "replace_toc",
		},
	}
}

// Occurrence is which of several places counts: first (the default), last or all.
type Occurrence string

// JSONSchema implements [tools.SchemaProvider].
func (Occurrence) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"first", "last", "all"}}
}

// UpdateCardIn are the arguments of update_card.
type UpdateCardIn struct {
	Name     string            `json:"name" jsonschema:"name"`
	Content  *string           `json:"content,omitempty" jsonschema:"the new text"`
	Markdown *string           `json:"markdown_content,omitempty" jsonschema:"or Markdown"`
	Patch    *CardPatch        `json:"patch,omitempty" jsonschema:"or change a part"`
	Type     string            `json:"type,omitempty" jsonschema:"the new type"`
	Fields   map[string]string `json:"fields,omitempty" jsonschema:"cards below it"`
	Expected string            `json:"expected_revision,omitempty" jsonschema:"revision from get_card"`
	DryRun   bool              `json:"dry_run,omitempty" jsonschema:"only show it"`
}

// CardPatch changes a part of a text.
type CardPatch struct {
	Mode         PatchMode  `json:"mode" jsonschema:"_item: of lists; _toc: links of a table of contents"`
	Content      string     `json:"content,omitempty" jsonschema:"to append or prepend; an item or link a line"`
	Separator    string     `json:"separator,omitempty" jsonschema:"between"`
	Find         string     `json:"find,omitempty" jsonschema:"text, or RE2 of regex_replace"`
	Replace      *string    `json:"replace,omitempty" jsonschema:"the new text"`
	Occurrence   Occurrence `json:"occurrence,omitempty" jsonschema:"first when omitted"`
	StartMarker  string     `json:"start_marker,omitempty" jsonschema:"replaced too"`
	EndMarker    string     `json:"end_marker,omitempty" jsonschema:"kept"`
	Replacement  *string    `json:"replacement_html,omitempty" jsonschema:"between them"`
	EndInclusive bool       `json:"end_inclusive,omitempty" jsonschema:"replace end_marker too"`
}

func updateCard() tools.Tool[*Wiki] {
	expand := "<p>Ships land here.</p>"
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[UpdateCardIn, WrittenCard]{
		Name: "update_card", Title: "Change a card", Effect: tools.Writes,
		Selects: []string{"name", "patch.find", "patch.start_marker", "patch.end_marker"},
		Doc:     "Changes a card: its text, a part of its text, or its type.\nPrefer patch for a part.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[UpdateCardIn, WrittenCard]{
			{
				Purpose: "add to a text", In: UpdateCardIn{
					Name: "Harbour", Patch: &CardPatch{Mode: "append", Content: "<p>At night it is closed.</p>", Separator: "\n"},
				}, AnyAnswer: true,
				Want: WrittenCard{Name: "Harbour", ID: "~4711", Type: "RichText", Length: 62, Revision: "5f2c90"},
			},
			{
				Purpose: "see what a new text would change", In: UpdateCardIn{Name: "Harbour", Content: &expand, DryRun: true}, AnyAnswer: true,
				Want: WrittenCard{Name: "Harbour", DryRun: true, Would: []PlannedChange{{"Harbour", "update"}}, Content: "<p>Ships land here.</p>"},
			},
		},
	}, (*Wiki).UpdateCard), func(_ *Wiki, _ context.Context, in UpdateCardIn) ([]string, error) { return []string{in.Name}, nil })
}

// UpdateCard implements update_card.
func (w *Wiki) UpdateCard(ctx context.Context, c tools.CallContext, in UpdateCardIn) (WrittenCard, error) {
	given := 0
	body := map[string]any{}
	if in.Content != nil {
		body["content"], given = *in.Content, given+1
	}
	if in.Markdown != nil {
		body["markdown_content"], given = *in.Markdown, given+1
	}
	if in.Patch != nil {
		body["patch"], given = in.Patch.full(), given+1
	}
	if in.Type != "" {
		body["type"] = in.Type
	}
	if len(in.Fields) > 0 {
		body["fields"] = in.Fields
	}
	switch {
	case given > 1:
		return WrittenCard{}, tools.Errorf(tools.Invalid, "content: give one of content, markdown_content and patch")
	case len(body) == 0:
		return WrittenCard{}, tools.Errorf(tools.Invalid, "content: there is nothing to change: give content, markdown_content, patch, type or "+
			"fields")
	}
	found, err := w.get(ctx, c, in.Name)
	if err != nil {
		return WrittenCard{}, err
	}
	q := apiRequest{Method: http.MethodPatch, Path: cardclient.Path("cards", found.Name), Body: body, Header: expecting(in.Expected)}
	if in.DryRun && in.Expected != "" && in.Expected != found.revision() {
		return WrittenCard{}, refusalError(&cardclient.APIError{Code: "conflict"})
	}
	return w.writtenCard(ctx, c, q, found.Name, in.DryRun)
}

// full is the patch as the API takes it. end_inclusive is always said, because Decko and
// the specification disagree on what its absence means.
func (p CardPatch) full() cardtext.Patch {
	out := cardtext.Patch{
		Mode: string(p.Mode), StartMarker: p.StartMarker, EndMarker: p.EndMarker, Replacement: p.Replacement, EndInclusive: p.EndInclusive,
		Pattern:   p.Find,
		Separator: p.Separator, Find: p.Find, Replace: p.Replace, Occurrence: string(p.Occurrence),
	}
	if p.Content != "" {
		out.Content = &p.Content
	}
	return out
}
