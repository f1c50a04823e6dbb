package cards

import (
	"context"
	"net/http"

	"github.com/lectern-mcp/lectern/tools"
)

// RenderSnippetIn are the arguments of render_snippet.
type RenderSnippetIn struct {
	Name         string       `json:"name,omitempty" jsonschema:"card, to Markdown"`
	HTML         string       `json:"html,omitempty" jsonschema:"or HTML, to Markdown"`
	Markdown     string       `json:"markdown,omitempty" jsonschema:"or Markdown, to HTML for RichText"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"of the answer before"`
}

// RenderSnippetOut is the answer of render_snippet.
type RenderSnippetOut struct {
	Format       string       `json:"format" jsonschema:"gfm or html"`
	Text         string       `json:"text" jsonschema:"the converted text, or a part of it"`
	Length       int          `json:"length" jsonschema:"characters of all of it"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"there is more: call again with it"`
}

func renderSnippet() tools.Tool[*Wiki] {
	return tools.DefineWithContext(tools.Spec[RenderSnippetIn, RenderSnippetOut]{
		Name: "render_snippet", Title: "Convert text", Effect: tools.Reads,
		Doc:    "Converts a card or HTML to Markdown, or Markdown to HTML.\nAnswers at most 8,000 characters at once.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[RenderSnippetIn, RenderSnippetOut]{
			{
				Purpose: "convert Markdown", In: RenderSnippetIn{Markdown: "Ask the [[Guild]]."}, Want: RenderSnippetOut{
					Format: "html", Text: "<p>Ask the [[Guild]].</p>\n", Length: 26,
				},
			},
			{
				Purpose: "show a card as Markdown", In: RenderSnippetIn{Name: "Harbour"}, AnyAnswer: true,
				Want: RenderSnippetOut{Format: "gfm", Text: "Ships land here.\n\n", Length: 18},
			},
		},
	}, (*Wiki).RenderSnippet)
}

// RenderSnippet implements render_snippet.
func (w *Wiki) RenderSnippet(ctx context.Context, c tools.CallContext, in RenderSnippetIn) (RenderSnippetOut, error) {
	given := 0
	for _, text := range []string{in.Name, in.HTML, in.Markdown} {
		if text != "" {
			given++
		}
	}
	if given != 1 {
		return RenderSnippetOut{}, tools.Errorf(tools.Invalid, "name: give one of name, html and markdown")
	}
	out := RenderSnippetOut{Format: "gfm"}
	var text string
	var err error
	if in.Markdown != "" {
		var answer struct {
			HTML string `json:"html"`
		}
		_, err = w.as(c).send(ctx, apiRequest{
			Method: http.MethodPost, Path: "/render/markdown", Body: map[string]string{"markdown": in.Markdown},
		}, &answer)
		out.Format, text = "html", answer.HTML
	} else {
		if in.Name != "" {
			found, err := w.get(ctx, c, in.Name)
			if err != nil {
				return RenderSnippetOut{}, err
			}
			in.HTML = found.Content
		}
		text, err = w.as(c).markdown(ctx, in.HTML)
	}
	if err != nil {
		return RenderSnippetOut{}, err
	}
	shown, err := part(text, digest(text), in.Continuation, maxText)
	if err != nil {
		return RenderSnippetOut{}, err
	}
	out.Text, out.Length, out.Continuation = shown.text, shown.length, shown.continuation
	return out, nil
}
