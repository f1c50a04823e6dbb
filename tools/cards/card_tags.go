package cards

import (
	"context"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// GetTagsIn are the arguments of get_tags.
type GetTagsIn struct {
	Name string `json:"card_name,omitempty" jsonschema:"tags of this card; of all cards when omitted"`
}

// TagInfo is a tag.
type TagInfo struct {
	Tag   string `json:"tag" jsonschema:"tag"`
	Cards int    `json:"cards,omitempty" jsonschema:"cards that have it"`
}

// GetTagsOut is the answer of get_tags.
type GetTagsOut struct {
	Tags []TagInfo `json:"tags" jsonschema:"of a card as listed, of all by number of cards; at most 200"`
	Note string    `json:"note,omitempty" jsonschema:"what is left out"`
}

func getTags() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[GetTagsIn, GetTagsOut]{
		Name: "get_tags", Title: "List tags", Effect: tools.Reads, OptIn: true,
		Doc: "Lists the tags of a card, or of all cards.\nThe tags of A are the lines of the card A+tags; change them with update_card and " +
			"append_item. search_cards finds cards by tag.",
		Errors: []tools.Code{tools.NotFound},
		Examples: []tools.Example[GetTagsIn, GetTagsOut]{
			{Purpose: "see the tags of a card", In: GetTagsIn{Name: "Chronicle"}, Want: GetTagsOut{Tags: []TagInfo{{Tag: "Age"}}}},
			{Purpose: "see all tags", Want: GetTagsOut{Tags: []TagInfo{{"Age", 1}}}},
		},
	}, (*Wiki).GetTags), func(_ *Wiki, _ context.Context, in GetTagsIn) ([]string, error) {
		if in.Name == "" {
			return []string{tagsPart}, nil
		}
		return []string{in.Name}, nil
	})
}

// GetTags implements get_tags.
func (w *Wiki) GetTags(ctx context.Context, c tools.CallContext, in GetTagsIn) (GetTagsOut, error) {
	out := GetTagsOut{Tags: []TagInfo{}}
	if in.Name != "" {
		found, err := w.get(ctx, c, in.Name)
		if err != nil {
			return GetTagsOut{}, err
		}
		tags, err := w.get(ctx, c, string(cardname.Join(cardname.Name(found.Name), tagsPart)))
		if isCode(err, tools.NotFound, tools.Denied) {
			return out, nil
		}
		for _, tag := range cardtext.Items(tags.Content) {
			out.Tags = append(out.Tags, TagInfo{Tag: string(tag)})
		}
		return out, err
	}
	lists, err := w.SearchCards(ctx, c, SearchCardsIn{Query: tagsPart, Limit: pageSize})
	if err != nil {
		return GetTagsOut{}, err
	}
	counts, names := map[string]int{}, map[string]string{}
	for _, list := range lists.Cards {
		n := cardname.Name(list.Name)
		if !n.IsCompound() || n.Right().Key() != cardname.Name(tagsPart).Key() {
			continue
		}
		found, err := w.get(ctx, c, list.Name)
		if err != nil {
			return GetTagsOut{}, err
		}
		for _, tag := range cardtext.Items(found.Content) {
			counts[tag.Key()]++
			names[tag.Key()] = string(tag)
		}
	}
	for key, count := range counts {
		out.Tags = append(out.Tags, TagInfo{names[key], count})
	}
	slices.SortFunc(out.Tags, func(a, b TagInfo) int {
		if a.Cards != b.Cards {
			return b.Cards - a.Cards
		}
		return strings.Compare(a.Tag, b.Tag)
	})
	if lists.Total > pageSize {
		out.Note = "Only the tags of the first 100 cards that have some are counted. "
	}
	out.Tags = out.Tags[:min(len(out.Tags), mostRelated)]
	return out, nil
}
