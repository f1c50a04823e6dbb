package cards

import (
	"context"
	"net/http"
	"net/url"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// Format is how content is answered: html, as it is stored, or markdown.
type Format string

// JSONSchema implements [tools.SchemaProvider].
func (Format) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"html", "markdown"}}
}

// GetCardIn are the arguments of get_card.
type GetCardIn struct {
	Name         string       `json:"name" jsonschema:"name, such as Games+Butterfly+Player"`
	Format       Format       `json:"format,omitempty" jsonschema:"html when omitted"`
	Full         bool         `json:"full,omitempty" jsonschema:"page through all of a long text"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"of the answer before"`
	Rendered     bool         `json:"rendered,omitempty" jsonschema:"with nested cards in place"`
	WithChildren bool         `json:"with_children,omitempty" jsonschema:"name its children too"`
}

// GetCardOut is the answer of get_card.
type GetCardOut struct {
	Name         string       `json:"name" jsonschema:"name"`
	ID           string       `json:"id" jsonschema:"its number after ~"`
	Type         string       `json:"type" jsonschema:"type"`
	Content      string       `json:"content" jsonschema:"text, or a part of it"`
	Length       int          `json:"length" jsonschema:"characters of the whole text"`
	Outline      []Heading    `json:"outline,omitempty" jsonschema:"headings of a text that was cut"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"there is more: call again with it"`
	Revision     string       `json:"revision,omitempty" jsonschema:"for expected_revision"`
	CreatedAt    string       `json:"created_at,omitempty" jsonschema:"time"`
	UpdatedAt    string       `json:"updated_at,omitempty" jsonschema:"time"`
	Children     []string     `json:"children,omitempty" jsonschema:"names of the first 100 children"`
}

func getCard() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[GetCardIn, GetCardOut]{
		Name: "get_card", Title: "Read a card", Effect: tools.Reads,
		Selects: []string{"name"},
		Doc: "Reads one card.\nBeyond 8,000 characters: outline, first part, continuation. " +
			"Links [[name]] and nests {{name}} stay as written.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[GetCardIn, GetCardOut]{
			{
				Purpose: "read a card as Markdown", In: GetCardIn{Name: "Harbour", Format: "markdown"}, AnyAnswer: true,
				Want: GetCardOut{
					Name: "Harbour", ID: "~5311222206624837", Type: "RichText", Content: "Ships of the [[Guild]] land here.", Length: 33,
					Revision: "5f2c90",
				},
			},
			{
				Purpose: "go on after a first part", In: GetCardIn{Name: "Harbour", Full: true, WithChildren: true}, AnyAnswer: true,
				Want: GetCardOut{Name: "Harbour"},
			},
		},
	}, (*Wiki).GetCard), func(_ *Wiki, _ context.Context, in GetCardIn) ([]string, error) { return []string{in.Name}, nil })
}

// GetCard implements get_card.
func (w *Wiki) GetCard(ctx context.Context, c tools.CallContext, in GetCardIn) (GetCardOut, error) {
	var query url.Values
	if in.Rendered {
		if w.privacy.Any() {
			return GetCardOut{}, tools.Errorf(tools.Denied, "rendered: not where cards are hidden").
				WithHint("Read the card, and the cards that it nests, one by one.")
		}
		query = url.Values{"rendered": {"true"}}
	}
	found, err := w.getAs(ctx, c, in.Name, query)
	if err != nil {
		return GetCardOut{}, err
	}
	text := found.Content
	if in.Format == "markdown" {
		if text, err = w.as(c).markdown(ctx, text); err != nil {
			return GetCardOut{}, err
		}
	}
	size := maxText
	cut := len([]rune(text)) > maxText && !in.Full && in.Continuation == ""
	if cut {
		size = firstText
	}
	shown, err := part(text, digest(text), in.Continuation, size)
	if err != nil {
		return GetCardOut{}, err
	}
	out := GetCardOut{
		Name: found.Name, ID: found.id(), Type: found.Type, Content: shown.text, Length: shown.length, Continuation: shown.continuation,
		Revision: found.revision(), CreatedAt: found.CreatedAt, UpdatedAt: found.UpdatedAt,
	}
	if cut {
		out.Outline = outlineOf(text)
	}
	if in.WithChildren {
		page, err := w.as(c).children(ctx, found.Name, 1, pageSize, 0)
		if err != nil {
			return GetCardOut{}, err
		}
		shown, err := w.visible(ctx, page.Children)
		if err != nil {
			return GetCardOut{}, err
		}
		for _, child := range shown {
			out.Children = append(out.Children, child.Name)
		}
	}
	return out, nil
}

// markdown converts HTML by the wiki's converter.
func (r requester) markdown(ctx context.Context, html string) (string, error) {
	var out struct {
		Markdown string `json:"markdown"`
	}
	_, err := r.send(ctx, apiRequest{Method: http.MethodPost, Path: "/render", Body: map[string]string{"html": html}}, &out)
	return out.Markdown, err
}
