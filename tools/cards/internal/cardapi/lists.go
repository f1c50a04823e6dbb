package cardapi

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// Sizes of lists.
const (
	usualList = 50
	mostList  = 100
	mostLinks = 1000
)

func listOf[T any](cards []cardstore.Card, one func(cardstore.Card) T) []T {
	out := make([]T, 0, len(cards))
	for _, c := range cards {
		out = append(out, one(c))
	}
	return out
}

// next is the offset of the page that follows; nil: none.
func next(offset, shown, total int) any {
	if offset+shown >= total || shown == 0 {
		return nil
	}
	return offset + shown
}

// page reads limit and offset.
func (r *request) page(f *cardstore.Search) (err error) {
	if f.Limit, err = r.number("limit", usualList, 1, mostList); err != nil {
		return err
	}
	f.Offset, err = r.number("offset", 0, 0, 1<<30)
	return err
}

func searchCards(r *request) (answer, error) {
	v := r.URL.Query()
	f := cardstore.Search{
		Words: v.Get("q"), In: v.Get("search_in"), Match: v.Get("match_mode"), CaseSensitive: v.Get("case_sensitive") == "true",
		Prefix: v.Get("prefix"), NotName: v.Get("not_name"), Tag: v.Get("tag"), WithVirtual: v.Get("include_virtual") == "true" ||
			v.Get("prefix") != "",
	}
	if f.In != "" && !slices.Contains([]string{"name", "content", "both"}, f.In) {
		return answer{}, invalid("search_in", "search_in must be name, content or both")
	}
	if !slices.Contains([]string{"", "substring", "phrase", "whole_word"}, f.Match) {
		return answer{}, invalid("match_mode", "match_mode must be substring, phrase or whole_word")
	}
	if kind := v.Get("type"); kind != "" {
		f.Types = []string{kind}
	}
	if f.In == "both" {
		f.Descending = true
	}
	if err := r.page(&f); err != nil {
		return answer{}, err
	}
	var err error
	if f.UpdatedSince, err = moment("updated_since", v.Get("updated_since")); err != nil {
		return answer{}, err
	}
	if f.UpdatedBefore, err = moment("updated_before", v.Get("updated_before")); err != nil {
		return answer{}, err
	}
	cards, total, err := r.store.Search(r.Context(), r.by(), f)
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]any{
		"cards": listOf(cards, func(c cardstore.Card) map[string]any {
			one := summary(c)
			if v.Get("highlight") == "true" && f.Words != "" && f.In != "" && f.In != "name" {
				one["highlight"] = cardtext.Around(cardtext.VisibleText(c.Content), strings.Fields(f.Words), 60)
			}
			return one
		}), "total": total, "limit": f.Limit, "offset": f.Offset, "next_offset": next(f.Offset, len(cards), total),
	})
}

// compact is a card in a list that is not read for its contents.
func compact(c cardstore.Card) map[string]any {
	return map[string]any{"name": c.Name, "type": c.Type, "id": c.ID}
}

func getChildren(r *request) (answer, error) {
	depth, err := r.number("depth", 1, 1, 20)
	if err != nil {
		return answer{}, err
	}
	v := r.URL.Query()
	f := cardstore.Search{Sort: v.Get("sort"), Descending: v.Get("sort") != "" && v.Get("dir") != "asc"}
	if !slices.Contains([]string{"", "name", "created", "updated"}, f.Sort) {
		return answer{}, invalid("sort", "sort must be name, created or updated")
	}
	if err := r.page(&f); err != nil {
		return answer{}, err
	}
	parent, cards, total, err := r.store.Children(r.Context(), r.by(), r.args[0], depth, f)
	if err != nil {
		return answer{}, err
	}
	after, child := next(f.Offset, len(cards), total), compact
	if v.Get("include_content") == "true" {
		child = full
	}
	return ok(map[string]any{
		"parent": parent.Name, "children": listOf(cards, child), "child_count": total, "depth": depth, "limit": f.Limit, "offset": f.Offset,
		"next_offset": after, "truncated": after != nil,
	})
}

func related(how cardstore.Relation, count string) func(*request) (answer, error) {
	return func(r *request) (answer, error) {
		c, cards, err := r.store.Related(r.Context(), r.by(), r.args[0], how, mostLinks)
		if err != nil {
			return answer{}, err
		}
		return ok(map[string]any{"card": c.Name, string(how): listOf(cards, summary), count: len(cards)})
	}
}

func getOutline(r *request) (answer, error) {
	c, err := r.store.Get(r.Context(), r.by(), r.args[0])
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]any{
		"card": c.Name, "type": c.Type, "content_length": utf8.RuneCountInString(c.Content), "headings": cardtext.Outline(c.Content),
	})
}

func searchContent(r *request) (answer, error) {
	around, err := r.number("context_chars", 100, 0, 1000)
	if err != nil {
		return answer{}, err
	}
	c, err := r.store.Get(r.Context(), r.by(), r.args[0])
	if err != nil {
		return answer{}, err
	}
	query := r.URL.Query().Get("query")
	if query == "" {
		return answer{}, invalid("query", "Missing query parameter")
	}
	matches, total := cardtext.Find(c.Content, query, around, mostList)
	return ok(map[string]any{
		"card": c.Name, "query": query, "match_count": total, "content_length": utf8.RuneCountInString(c.Content), "matches": matches,
	})
}

// usualDescriptions are those of types whose cards say nothing, by their codenames.
var usualDescriptions = map[string]string{
	"basic": "Rich HTML content with wiki links", "phrase": "A short text on one line", "plain_text": "Text without markup",
	"pointer": "A list of links to cards", "list": "A list of names of cards", "user": "An account",
	"email_template": "A message with its fields *from, *subject and *html message below it", "html": "HTML that is kept as it is",
	"markdown": "Text in Markdown", "number": "A number", "date": "A date", "uri": "An address", "toggle": "Yes or no", "json": "A JSON value",
	"file": "An uploaded file", "image": "An uploaded image", "search_type": "A saved query", "cardtype": "A type of cards",
	"nest_list": "A list of nests", "link_list": "A list of links", "role": "A group of accounts",
	"set": "A set of cards that a rule is about", "setting": "What a rule decides",
}

// commonTypes are those that a writer of a wiki needs.
var commonTypes = []cardname.Name{"RichText", "Phrase", "PlainText", "Pointer", "User", "Email template"}

func typeOf(c cardstore.Card) map[string]any {
	var codename any
	if c.Codename != "" {
		codename = c.Codename
	}
	return map[string]any{"name": c.Name, "id": c.ID, "codename": codename, "common": slices.Contains(commonTypes, c.Name)}
}

func getTypes(r *request) (answer, error) {
	types, err := r.store.Types(r.Context(), r.by())
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]any{"types": listOf(types, typeOf)})
}

func getType(r *request) (answer, error) {
	c, err := r.store.ResolveType(r.Context(), r.by(), r.args[0])
	if err != nil {
		return answer{}, notFound("Type '%s' not found", r.args[0])
	}
	out := typeOf(c)
	out["description"] = cmp.Or(strings.TrimSpace(cardtext.PlainText(c.Content)), usualDescriptions[c.Codename])
	return ok(out)
}
