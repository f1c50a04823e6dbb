package cards

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// RelationshipType is how cards refer to each other.
type RelationshipType string

// JSONSchema implements [tools.SchemaProvider].
func (RelationshipType) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"referers", "linked_by", "nested_in", "nests", "links"}}
}

// GetRelationshipsIn are the arguments of get_relationships.
type GetRelationshipsIn struct {
	Name string           `json:"card_name" jsonschema:"name"`
	Type RelationshipType `json:"relationship_type" jsonschema:"referers: cards that link or nest it; linked_by, nested_in: only these; links, nests: cards that it links or nests"`
}

// GetRelationshipsOut is the answer of get_relationships.
type GetRelationshipsOut struct {
	Card  string     `json:"card" jsonschema:"name"`
	Cards []CardInfo `json:"cards" jsonschema:"the others, at most 200"`
	Total int        `json:"total" jsonschema:"of all of them"`
	Note  string     `json:"note,omitempty" jsonschema:"what is left out"`
}

// mostRelated is how many cards an answer has.
const mostRelated = 200

func getRelationships() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[GetRelationshipsIn, GetRelationshipsOut]{
		Name: "get_relationships", Title: "List relationships", Effect: tools.Reads, OptIn: true,
		Selects: []string{"card_name"},
		Doc:     "Lists the cards that refer to a card, or that it refers to.", Errors: []tools.Code{tools.NotFound},
		Redact: func(out GetRelationshipsOut, covered func(string) bool) GetRelationshipsOut {
			out.Cards, out.Total, out.Note = redactInfos(out.Cards, out.Total, out.Note, covered)
			return out
		},
		Examples: []tools.Example[GetRelationshipsIn, GetRelationshipsOut]{{
			Purpose: "see where a card is used", In: GetRelationshipsIn{Name: "Town", Type: "referers"}, AnyAnswer: true, Want: GetRelationshipsOut{
				Card: "Town", Total: 1, Cards: []CardInfo{{Name: "Harbour", Type: "RichText", ID: "~7"}},
			},
		}},
	}, (*Wiki).GetRelationships), func(_ *Wiki, _ context.Context, in GetRelationshipsIn) ([]string, error) {
		return []string{in.Name}, nil
	})
}

// GetRelationships implements get_relationships.
func (w *Wiki) GetRelationships(ctx context.Context, c tools.CallContext, in GetRelationshipsIn) (GetRelationshipsOut, error) {
	found, err := w.get(ctx, c, in.Name)
	if err != nil {
		return GetRelationshipsOut{}, err
	}
	var answer map[string]json.RawMessage
	if _, err := w.as(c).send(ctx, getOf("cards", found.Name, string(in.Type)), &answer); err != nil {
		return GetRelationshipsOut{}, err
	}
	var cards []card
	if err := json.Unmarshal(answer[string(in.Type)], &cards); err != nil {
		return GetRelationshipsOut{}, &tools.Error{Code: tools.Unavailable, Message: "the wiki's answer cannot be read", Cause: err}
	}
	if cards, err = w.visible(ctx, cards); err != nil {
		return GetRelationshipsOut{}, err
	}
	out := GetRelationshipsOut{Card: found.Name, Total: len(cards), Cards: infosOf(cards[:min(len(cards), mostRelated)])}
	if out.Total > mostRelated {
		out.Note = "Only the first 200 are listed. "
	}
	out.Cards = slices.Clip(out.Cards)
	return out, nil
}
