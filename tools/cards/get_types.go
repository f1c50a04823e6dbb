package cards

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// GetTypesIn are the arguments of get_types.
type GetTypesIn struct {
	CommonOnly bool `json:"common_only,omitempty" jsonschema:"only those that writers need"`
}

// CardType is a type of cards.
type CardType struct {
	Name   string `json:"name" jsonschema:"name"`
	Common bool   `json:"common,omitempty" jsonschema:"writers need it"`
}

// GetTypesOut is the answer of get_types.
type GetTypesOut struct {
	Types []CardType `json:"types" jsonschema:"by name"`
}

func getTypes() tools.Tool[*Wiki] {
	return tools.DefineWithContext(tools.Spec[GetTypesIn, GetTypesOut]{
		Name: "get_types", Title: "List types", Effect: tools.Reads, OptIn: true,
		Doc: "Lists the types of cards.",
		Examples: []tools.Example[GetTypesIn, GetTypesOut]{{
			Purpose: "see what cards can be", In: GetTypesIn{CommonOnly: true}, AnyAnswer: true,
			Want: GetTypesOut{Types: []CardType{{"RichText", true}}},
		}},
	}, (*Wiki).GetTypes)
}

// GetTypes implements get_types.
func (w *Wiki) GetTypes(ctx context.Context, c tools.CallContext, in GetTypesIn) (GetTypesOut, error) {
	var answer struct {
		Types []CardType `json:"types"`
	}
	if _, err := w.as(c).send(ctx, getOf("types"), &answer); err != nil {
		return GetTypesOut{}, err
	}
	out := GetTypesOut{Types: []CardType{}}
	for _, t := range answer.Types {
		hidden, err := w.hides(ctx, t.Name)
		if err != nil {
			return GetTypesOut{}, err
		}
		if !hidden && (t.Common || !in.CommonOnly) {
			out.Types = append(out.Types, t)
		}
	}
	return out, nil
}
