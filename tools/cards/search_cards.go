package cards

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// SearchIn is where words are looked for: name (the default), content or both.
type SearchIn string

// JSONSchema implements [tools.SchemaProvider].
func (SearchIn) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"name", "content", "both"}}
}

// MatchMode is how words are compared: substring (the default), phrase or whole_word.
type MatchMode string

// JSONSchema implements [tools.SchemaProvider].
func (MatchMode) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"substring", "phrase", "whole_word"}}
}

// SearchCardsIn are the arguments of search_cards.
type SearchCardsIn struct {
	Query         string       `json:"query" jsonschema:"words, or empty"`
	SearchIn      SearchIn     `json:"search_in,omitempty" jsonschema:"name when omitted"`
	MatchMode     MatchMode    `json:"match_mode,omitempty" jsonschema:"substring when omitted"`
	CaseSensitive bool         `json:"case_sensitive,omitempty" jsonschema:"letter case counts"`
	Type          string       `json:"type,omitempty" jsonschema:"type"`
	Prefix        string       `json:"prefix,omitempty" jsonschema:"names that begin with this: Games+"`
	NotName       string       `json:"not_name,omitempty" jsonschema:"not names like *+GM*"`
	Tag           string       `json:"tag,omitempty" jsonschema:"tag"`
	UpdatedSince  string       `json:"updated_since,omitempty" jsonschema:"2026-11-22"`
	UpdatedBefore string       `json:"updated_before,omitempty" jsonschema:"date"`
	Limit         Limit        `json:"limit,omitempty" jsonschema:"at most"`
	Offset        tools.Offset `json:"offset,omitempty" jsonschema:"to skip"`
}

// SearchCardsOut is the answer of search_cards.
type SearchCardsOut struct {
	Cards      []CardInfo `json:"cards" jsonschema:"cards that match"`
	Total      int        `json:"total" jsonschema:"of all that match"`
	NextOffset int        `json:"next_offset,omitempty" jsonschema:"there are more: call again with it as offset"`
	Note       string     `json:"note,omitempty" jsonschema:"what is left out"`
}

func searchCards() tools.Tool[*Wiki] {
	return tools.DefineWithContext(tools.Spec[SearchCardsIn, SearchCardsOut]{
		Name: "search_cards", Title: "Search cards", Effect: tools.Reads,
		Doc:      "Finds cards by words in their names or contents.\nTry names first: contents take longer.",
		HitTotal: func(out SearchCardsOut) int { return out.Total },
		Hits: func(out SearchCardsOut) (hits []tools.Hit) {
			for _, c := range out.Cards {
				hits = append(hits, tools.Hit{Page: c.Name, Text: c.Summary})
			}
			return hits
		},
		Redact: func(out SearchCardsOut, covered func(string) bool) SearchCardsOut {
			out.Cards, out.Total, out.Note = redactInfos(out.Cards, out.Total, out.Note, covered)
			return out
		},
		Examples: []tools.Example[SearchCardsIn, SearchCardsOut]{
			{
				Purpose: "find a card by its name", In: SearchCardsIn{Query: "harbour"}, AnyAnswer: true,
				Want: SearchCardsOut{Total: 1, Cards: []CardInfo{{Name: "Harbour", Type: "RichText", ID: "~5311222206624837"}}},
			},
			{
				Purpose: "find words in texts", In: SearchCardsIn{Query: "ships", SearchIn: "content"}, AnyAnswer: true,
				Want: SearchCardsOut{Cards: []CardInfo{}},
			},
		},
	}, (*Wiki).SearchCards)
}

func redactInfos(cards []CardInfo, total int, note string, covered func(string) bool) (kept []CardInfo, count int, newNote string) {
	shown := len(cards)
	kept = slices.DeleteFunc(cards, func(c CardInfo) bool { return covered(c.Name) })
	count, newNote = redacted(total, shown-len(kept), note)
	return kept, count, newNote
}

// query is the search as the API takes it.
func (in SearchCardsIn) query() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{
		"q": in.Query, "search_in": string(in.SearchIn), "match_mode": string(in.MatchMode), "type": in.Type, "prefix": in.Prefix,
		"not_name": in.NotName,
		"tag":      in.Tag, "updated_since": in.UpdatedSince, "updated_before": in.UpdatedBefore,
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	for name, value := range map[string]bool{
		"case_sensitive": in.CaseSensitive, "include_virtual": true, "highlight": in.SearchIn == "content" || in.SearchIn == "both",
	} {
		if value {
			v.Set(name, "true")
		}
	}
	return v
}

// SearchCards implements search_cards.
func (w *Wiki) SearchCards(ctx context.Context, c tools.CallContext, in SearchCardsIn) (SearchCardsOut, error) {
	ask := func(limit, offset int) (cards []card, total int, err error) {
		q := apiRequest{Method: "GET", Path: "/cards", Query: in.query()}
		q.Query.Set("limit", fmt.Sprint(limit))
		q.Query.Set("offset", fmt.Sprint(offset))
		var out struct {
			Cards []card `json:"cards"`
			Total int    `json:"total"`
		}
		_, err = w.as(c).send(ctx, q, &out)
		return out.Cards, out.Total, err
	}
	cards, total, err := w.list(ctx, int(in.Limit), int(in.Offset), ask)
	return SearchCardsOut{Cards: infosOf(cards), Total: total, NextOffset: nextOffset(int(in.Offset), len(cards), total)}, err
}

// list asks for a page of cards, or where the user hides some for all of them, of which
// it counts and pages those that are left.
func (s screened) list(ctx context.Context, limit, offset int, ask func(limit, offset int) ([]card, int, error)) ([]card, int, error) {
	if !s.privacy.Any() {
		return ask(limit, offset)
	}
	var all []card
	for from := 0; ; from += pageSize {
		page, total, err := ask(pageSize, from)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, page...)
		if from+pageSize >= total {
			break
		}
		if len(all) >= mostCards {
			return nil, 0, tools.Errorf(tools.Limited, "more than %d cards match", mostCards).WithHint("Narrow the search.")
		}
	}
	all, err := s.visible(ctx, all)
	if err != nil {
		return nil, 0, err
	}
	return slicePage(all, limit, offset), len(all), nil
}
