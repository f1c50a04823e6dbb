package cardapi

import (
	"net/http"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

func renderMarkdown(r *request) (answer, error) {
	var in struct {
		HTML    *string `json:"html"`
		Content *string `json:"content"`
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	html := in.HTML
	if html == nil {
		html = in.Content
	}
	if html == nil {
		return answer{}, invalid("html", "Missing html or content parameter")
	}
	if len(*html) > r.api.Limits.Content {
		return answer{}, invalid("html", "The content is larger than %d bytes", r.api.Limits.Content)
	}
	text, err := r.api.converter.Markdown(*html)
	if err != nil {
		return answer{}, &apiError{status: http.StatusBadRequest, code: "conversion_error", message: "The HTML cannot be converted"}
	}
	return ok(map[string]any{"markdown": text, "format": "gfm"})
}

func renderHTML(r *request) (answer, error) {
	var in struct {
		Markdown *string `json:"markdown"`
		Content  *string `json:"content"`
		Trusted  bool    `json:"trusted"`
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	markdown := in.Markdown
	if markdown == nil {
		markdown = in.Content
	}
	if markdown == nil {
		return answer{}, invalid("markdown", "Missing markdown or content parameter")
	}
	if in.Trusted && r.who.Role != cardstore.Admin {
		return answer{}, forbidden("Only admin role can render trusted Markdown", cardstore.Admin)
	}
	if len(*markdown) > r.api.Limits.Content {
		return answer{}, invalid("markdown", "The content is larger than %d bytes", r.api.Limits.Content)
	}
	html, err := r.api.converter.HTML(*markdown, in.Trusted)
	if err != nil {
		return answer{}, &apiError{status: http.StatusBadRequest, code: "conversion_error", message: "The Markdown cannot be converted"}
	}
	return ok(map[string]any{"html": html, "format": "html"})
}

// Markdown converts the content of a card, for people.
func (a *API) Markdown(html string) (string, error) { return a.converter.Markdown(html) }
