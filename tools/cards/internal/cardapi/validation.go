package cardapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// usualChildren are the cards that writers usually put below a card of a type.
var usualChildren = map[string][]string{"species": {"*traits", "*description", "*culture"}}

func childrenFor(kind string) []string {
	if children := usualChildren[cardname.Name(kind).Key()]; children != nil {
		return children
	}
	return []string{}
}

type typeBody struct {
	Type     string   `json:"type"`
	Name     string   `json:"name"`
	Tags     []string `json:"tags"`
	Children []string `json:"children_names"`
	Has      bool     `json:"has_children"`
}

func (r *request) typeBody() (in typeBody, err error) {
	if err := r.into(&in); err != nil {
		return in, err
	}
	if in.Type == "" {
		return in, invalid("type", "Missing type parameter")
	}
	if in.Tags == nil {
		in.Tags = []string{}
	}
	return in, nil
}

func validateTags(r *request) (answer, error) {
	in, err := r.typeBody()
	if err != nil {
		return answer{}, err
	}
	none := []string{}
	return ok(map[string]any{
		"valid": true, "errors": none, "warnings": none, "required_tags": none, "suggested_tags": none, "provided_tags": in.Tags,
	})
}

// missingChildren are the usual children of a type that are not among the names.
func missingChildren(kind string, names []string) []string {
	missing := []string{}
	for _, usual := range childrenFor(kind) {
		want := cardname.Name(strings.TrimPrefix(usual, "*")).Key()
		if !slices.ContainsFunc(names, func(name string) bool {
			parts := cardname.Parse(name).Parts()
			return len(parts) > 0 && strings.TrimPrefix(parts[len(parts)-1].Key(), "*") == want
		}) {
			missing = append(missing, usual)
		}
	}
	return missing
}

func validateStructure(r *request) (answer, error) {
	in, err := r.typeBody()
	if err != nil {
		return answer{}, err
	}
	warnings := []string{}
	if missing := missingChildren(in.Type, in.Children); len(missing) > 0 {
		warnings = append(warnings, "Consider adding suggested child cards: "+strings.Join(missing, ", "))
	}
	return ok(map[string]any{
		"valid": true, "errors": []string{}, "warnings": warnings, "has_children": in.Has || len(in.Children) > 0,
		"required_children": []string{}, "suggested_children": childrenFor(in.Type),
	})
}

func getRequirements(r *request) (answer, error) {
	none := []string{}
	return ok(map[string]any{
		"required_tags": none, "suggested_tags": none, "required_children": none, "suggested_children": childrenFor(r.args[0]),
	})
}

func recommendStructure(r *request) (answer, error) {
	in, err := r.typeBody()
	if err != nil {
		return answer{}, err
	}
	if in.Name == "" {
		return answer{}, invalid("name", "Missing name parameter")
	}
	children := []map[string]any{}
	for _, child := range childrenFor(in.Type) {
		children = append(children, map[string]any{"name": in.Name + "+" + strings.TrimPrefix(child, "*"), "type": "RichText"})
	}
	return ok(map[string]any{
		"card_name": in.Name, "card_type": in.Type, "children": children, "naming": []string{}, "tags": []string{},
		"summary": fmt.Sprintf("Recommendations: %d suggested children", len(children)),
	})
}

func suggestImprovements(r *request) (answer, error) {
	var in typeBody
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	if in.Name == "" {
		return answer{}, invalid("name", "Missing name parameter")
	}
	c, err := r.store.Get(r.Context(), r.by(), in.Name)
	if errors.Is(err, cardstore.ErrNotFound) {
		e := invalid("name", "Card '%s' not found", in.Name)
		e.code = "not_found"
		return answer{}, e
	}
	if err != nil {
		return answer{}, err
	}
	_, children, _, err := r.store.Children(r.Context(), r.by(), in.Name, 1, cardstore.Search{Limit: mostList})
	if err != nil {
		return answer{}, err
	}
	missing := missingChildren(string(c.Type), listOf(children, func(c cardstore.Card) string { return string(c.Name) }))
	none := []string{}
	return ok(map[string]any{
		"card_name": c.Name, "card_type": c.Type, "missing_children": missing, "missing_tags": none, "naming_issues": none,
		"suggested_additions": none,
		"summary":             fmt.Sprintf("%d suggested children are missing", len(missing)),
	})
}
