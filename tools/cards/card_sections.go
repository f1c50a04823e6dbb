package cards

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// GetCardOutlineIn are the arguments of get_card_outline.
type GetCardOutlineIn struct {
	Name string `json:"name" jsonschema:"name"`
}

// GetCardOutlineOut is the answer of get_card_outline.
type GetCardOutlineOut struct {
	Name     string    `json:"name" jsonschema:"name"`
	Length   int       `json:"length" jsonschema:"characters of the text"`
	Headings []Heading `json:"headings" jsonschema:"the first 100 headings"`
	Revision string    `json:"revision,omitempty" jsonschema:"for expected_revision"`
}

func getCardOutline() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[GetCardOutlineIn, GetCardOutlineOut]{
		Name: "get_card_outline", Title: "Read an outline", Effect: tools.Reads, OptIn: true,
		Selects: []string{"name"},
		Doc:     "Lists the headings of a card.", Errors: []tools.Code{tools.NotFound},
		Examples: []tools.Example[GetCardOutlineIn, GetCardOutlineOut]{{
			Purpose: "see what a long card is about", In: GetCardOutlineIn{Name: "Chronicle"}, AnyAnswer: true, Want: GetCardOutlineOut{
				Name: "Chronicle", Length: 61, Headings: []Heading{{2, "First age", 0}},
			},
		}},
	}, (*Wiki).GetCardOutline), func(_ *Wiki, _ context.Context, in GetCardOutlineIn) ([]string, error) { return []string{in.Name}, nil })
}

// GetCardOutline implements get_card_outline.
func (w *Wiki) GetCardOutline(ctx context.Context, c tools.CallContext, in GetCardOutlineIn) (GetCardOutlineOut, error) {
	found, err := w.get(ctx, c, in.Name)
	if err != nil {
		return GetCardOutlineOut{}, err
	}
	return GetCardOutlineOut{found.Name, found.length(), outlineOf(found.Content), found.revision()}, nil
}

// GetSectionIn are the arguments of get_section.
type GetSectionIn struct {
	Name         string       `json:"name" jsonschema:"name"`
	Section      string       `json:"section" jsonschema:"text of its heading"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"from the answer before, for the next part"`
}

// GetSectionOut is the answer of get_section.
type GetSectionOut struct {
	Name         string       `json:"name" jsonschema:"name of the card"`
	Section      string       `json:"section" jsonschema:"text of the heading"`
	Content      string       `json:"content" jsonschema:"the section with its heading, or a part of it"`
	Length       int          `json:"length" jsonschema:"characters of the section"`
	Continuation Continuation `json:"continuation,omitempty" jsonschema:"there is more: call again with it"`
	Revision     string       `json:"revision,omitempty" jsonschema:"for expected_revision"`
}

func getSection() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[GetSectionIn, GetSectionOut]{
		Name: "get_section", Title: "Read a section", Effect: tools.Reads, OptIn: true,
		Selects: []string{"name", "section"},
		Doc:     "Reads one section of a card: its heading and all up to the next heading of its level.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[GetSectionIn, GetSectionOut]{{
			Purpose: "read one section", In: GetSectionIn{Name: "Chronicle", Section: "First age"}, AnyAnswer: true, Want: GetSectionOut{
				Name: "Chronicle", Section: "First age", Content: "<h2>First age</h2><p>Fire.</p>", Length: 30,
			},
		}},
	}, (*Wiki).GetSection), func(_ *Wiki, _ context.Context, in GetSectionIn) ([]string, error) { return []string{in.Name}, nil })
}

// GetSection implements get_section.
func (w *Wiki) GetSection(ctx context.Context, c tools.CallContext, in GetSectionIn) (GetSectionOut, error) {
	found, err := w.get(ctx, c, in.Name)
	if err != nil {
		return GetSectionOut{}, err
	}
	h, from, to, err := sectionOf(found, in.Section)
	if err != nil {
		return GetSectionOut{}, err
	}
	text := string([]rune(found.Content)[from:to])
	shown, err := part(text, digest(text), in.Continuation, maxText)
	return GetSectionOut{found.Name, h.Text, shown.text, shown.length, shown.continuation, found.revision()}, err
}

// sectionOf finds a section by the text of its heading: characters from to to of the
// content.
func sectionOf(c card, section string) (h cardtext.Heading, from, to int, err error) {
	all := cardtext.Outline(c.Content)
	for i, h := range all {
		if !strings.EqualFold(strings.TrimSpace(h.Text), strings.TrimSpace(section)) {
			continue
		}
		to = c.length()
		for _, next := range all[i+1:] {
			if next.Level <= h.Level {
				to = next.Position
				break
			}
		}
		return h, h.Position, to, nil
	}
	return h, 0, 0, tools.Errorf(tools.NotFound, "the card '%.100s' has no section '%.100s'", c.Name, section).
		WithHint("get_card_outline lists its sections.")
}

// UpdateSectionIn are the arguments of update_section.
type UpdateSectionIn struct {
	Name     string `json:"name" jsonschema:"name"`
	Section  string `json:"section" jsonschema:"text of its heading"`
	Content  string `json:"content" jsonschema:"new text below the heading, which stays, up to the next heading of its level"`
	Expected string `json:"expected_revision,omitempty" jsonschema:"revision from get_card; refused if the card has changed"`
	DryRun   bool   `json:"dry_run,omitempty" jsonschema:"only show what would change"`
}

func updateSection() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[UpdateSectionIn, WrittenCard]{
		Name: "update_section", Title: "Change a section", Effect: tools.Writes, OptIn: true,
		Selects: []string{"name", "section"},
		Doc:     "Replaces the text of one section of a card.\nThe rest of the card stays as it is, to the byte.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[UpdateSectionIn, WrittenCard]{{
			Purpose: "rewrite a section from its heading on", In: UpdateSectionIn{Name: "Chronicle", Section: "First age", Content: "<p>Ice.</p>"},
			AnyAnswer: true,
			Want:      WrittenCard{Name: "Chronicle", ID: "~7", Type: "RichText", Length: 60},
		}},
	}, (*Wiki).UpdateSection), func(_ *Wiki, _ context.Context, in UpdateSectionIn) ([]string, error) { return []string{in.Name}, nil })
}

// UpdateSection implements update_section. It writes onto the card that it has read and
// no other.
func (w *Wiki) UpdateSection(ctx context.Context, c tools.CallContext, in UpdateSectionIn) (WrittenCard, error) {
	found, err := w.get(ctx, c, in.Name)
	if err != nil {
		return WrittenCard{}, err
	}
	if in.Expected != "" && in.Expected != found.revision() {
		return WrittenCard{}, refusalError(&cardclient.APIError{Code: "conflict"})
	}
	h, from, to, err := sectionOf(found, in.Section)
	if err != nil {
		return WrittenCard{}, err
	}
	rs := []rune(found.Content)
	text := string(rs[from:to])
	end := fmt.Sprintf("</h%d>", h.Level)
	at := strings.Index(strings.ToLower(text), end)
	switch {
	case at >= 0:
		at += len(end)
	case strings.Contains(text, "\n"):
		at = strings.Index(text, "\n") + 1
	default:
		at = len(text)
		in.Content = "\n" + in.Content
	}
	body := map[string]any{"content": string(rs[:from]) + text[:at] + in.Content + string(rs[to:])}
	q := apiRequest{Method: http.MethodPatch, Path: cardclient.Path("cards", found.Name), Body: body, Header: expecting(found.revision())}
	return w.writtenCard(ctx, c, q, found.Name, in.DryRun)
}
