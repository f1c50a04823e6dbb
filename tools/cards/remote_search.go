package cards

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// A filter says which cards of a list count. Zero fields do not.
type filter struct {
	prefix, notName, kind, tag string
	nameHas, contentHas        string
	words                      string // that match and wholeWords are about
	in, match                  string
	caseSensitive              bool
	since, before              time.Time
}

// search is GET /cards. What Decko ignores (prefix, not_name, tag, match_mode,
// case_sensitive) or counts wrongly (dates) is picked here from lists that it does
// give; a wiki of ours answers by itself.
func (m *remote) search(ctx context.Context, c tools.CallContext, r apiRequest) (apiAnswer, error) {
	v := r.Query
	answer, err := direct{m}.Do(ctx, c, r)
	picky := false
	for _, name := range []string{"prefix", "not_name", "tag", "match_mode", "case_sensitive", "updated_since", "updated_before"} {
		picky = picky || v.Get(name) != ""
	}
	if err == nil && !m.isDecko.Load() || err != nil && !picky {
		return answer, err
	}
	if !picky {
		return m.highlight(ctx, c, v, answer)
	}
	f := filter{
		prefix: v.Get("prefix"), notName: v.Get("not_name"), kind: v.Get("type"), tag: v.Get("tag"), words: v.Get("q"), in: v.Get("search_in"),
		match: v.Get("match_mode"), caseSensitive: v.Get("case_sensitive") == "true",
	}
	if f.since, err = parseMoment("updated_since", v.Get("updated_since")); err != nil {
		return apiAnswer{}, err
	}
	if f.before, err = parseMoment("updated_before", v.Get("updated_before")); err != nil {
		return apiAnswer{}, err
	}
	base := url.Values{}
	for _, name := range []string{"q", "search_in", "type"} {
		if v.Get(name) != "" {
			base.Set(name, v.Get(name))
		}
	}
	if v.Get("include_virtual") == "true" || f.prefix != "" {
		base.Set("include_virtual", "true")
	}
	answer, err = m.pick(ctx, c, f, base, v.Get("limit"), v.Get("offset"), "cards")
	if err != nil {
		return apiAnswer{}, err
	}
	return m.highlight(ctx, c, v, answer)
}

// mostHighlights is how many cards are read to show where words are in them.
const mostHighlights = 20

// highlight adds the text around the words to the first cards of a list: Decko has no
// such text.
func (m *remote) highlight(ctx context.Context, c tools.CallContext, v url.Values, answer apiAnswer) (apiAnswer, error) {
	words := v.Get("q")
	if v.Get("highlight") != "true" || words == "" {
		return answer, nil
	}
	out, cards, ok := readCardList(answer.Body)
	if !ok {
		return answer, nil // who asked reads it again, and says so
	}
	for i := range cards[:min(len(cards), mostHighlights)] {
		whole, err := requester{direct{m}, c}.read(ctx, cards[i].Name, nil)
		if err != nil {
			return apiAnswer{}, err
		}
		cards[i].Highlight = cardtext.Around(cardtext.VisibleText(whole.Content), strings.Fields(words), 60)
	}
	out["cards"] = cards
	return jsonAnswer(out), nil
}

// readCardList reads a list of cards and all that stands beside it. It is not ok if the
// body is something else.
func readCardList(body []byte) (all map[string]any, cards []card, ok bool) {
	var list struct {
		Cards []card `json:"cards"`
	}
	ok = json.Unmarshal(body, &all) == nil && all != nil && json.Unmarshal(body, &list) == nil
	return all, list.Cards, ok
}

// runQuery is POST /run_query, likewise: Decko drops filters that it does not know
// without a word, and fails on dates.
func (m *remote) runQuery(ctx context.Context, c tools.CallContext, body []byte) (apiAnswer, error) {
	var in struct {
		Query         map[string]json.RawMessage `json:"query"`
		Template      string                     `json:"template"`
		Limit, Offset int
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return apiAnswer{}, tools.Errorf(tools.Invalid, "query: not JSON")
	}
	answer, err := direct{m}.Do(ctx, c, apiRequest{Method: http.MethodPost, Path: "/run_query", Body: json.RawMessage(body)})
	picky := in.Template != ""
	for name := range in.Query {
		picky = picky || !slices.Contains([]string{"type", "content"}, name)
	}
	if !picky || !m.isDecko.Load() && err == nil {
		return answer, err
	}
	var f filter
	if err := f.readQuery(in.Query); err != nil {
		return apiAnswer{}, err
	}
	base := url.Values{"include_virtual": {"true"}}
	switch in.Template {
	case "pointers":
		f.kind = "Pointer"
	case "files":
		f.kind = "File"
	case "types":
		f.kind = "Cardtype"
	case "recent_changes":
		if f.since.IsZero() {
			f.since = m.now().AddDate(0, 0, -30)
		}
	}
	if f.kind != "" {
		base.Set("type", f.kind)
	}
	if f.contentHas != "" {
		base.Set("q", f.contentHas)
		base.Set("search_in", "content")
	} else if f.nameHas != "" {
		base.Set("q", f.nameHas)
	}
	return m.pick(ctx, c, f, base, strconv.Itoa(in.Limit), strconv.Itoa(in.Offset), "results")
}

func (f *filter) readQuery(query map[string]json.RawMessage) error {
	for name, raw := range query {
		var one string
		var all []string
		if json.Unmarshal(raw, &one) != nil && json.Unmarshal(raw, &all) != nil {
			return tools.Errorf(tools.Invalid, "query.%s: text or a list of texts", name)
		}
		if one == "" && len(all) > 1 {
			one = all[1]
		}
		var err error
		switch name {
		case "prefix":
			f.prefix = one
		case "not_name":
			f.notName = one
		case "tag":
			f.tag = one
		case "type":
			f.kind = one
		case "name":
			f.nameHas = one
		case "content":
			f.contentHas = one
		case "updated_at":
			switch {
			case len(all) == 3:
				if f.since, err = parseMoment("updated_since", all[1]); err == nil {
					f.before, err = parseMoment("updated_before", all[2])
				}
			case len(all) == 2 && strings.HasPrefix(all[0], ">"):
				f.since, err = parseMoment("updated_since", all[1])
			default:
				f.before, err = parseMoment("updated_before", one)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pick lists what the base asks for, or what is below the card that a prefix names, and
// answers the page of those that fit.
func (m *remote) pick(ctx context.Context, c tools.CallContext, f filter, base url.Values, limit, offset, key string) (apiAnswer, error) {
	r := requester{direct{m}, c}
	all, err := r.candidates(ctx, f, base)
	if err != nil {
		return apiAnswer{}, err
	}
	kept := []card{}
	for _, one := range all {
		fits, err := r.fits(ctx, f, one)
		if err != nil {
			return apiAnswer{}, err
		}
		if fits {
			one.Content, one.CreatedAt = "", ""
			kept = append(kept, one)
		}
	}
	size, _ := strconv.Atoi(limit)
	from, _ := strconv.Atoi(offset)
	page := slicePage(kept, size, from)
	out := map[string]any{key: page, "total": len(kept), "limit": size, "offset": from, "next_offset": nil}
	if next := nextOffset(from, len(page), len(kept)); next > 0 {
		out["next_offset"] = next
	}
	return jsonAnswer(out), nil
}

func (r requester) candidates(ctx context.Context, f filter, base url.Values) (all []card, err error) {
	if left := cardname.Parse(strings.TrimSuffix(f.prefix, cardname.Joint)); strings.Contains(f.prefix, cardname.Joint) &&
		base.Get("q") == "" {
		if !strings.HasSuffix(f.prefix, cardname.Joint) {
			left = left.Left()
		}
		all, err = r.below(ctx, string(left), deepest)
		if isCode(err, tools.NotFound, tools.Denied) {
			return nil, nil
		}
		return all, err
	}
	if f.prefix != "" && base.Get("q") == "" {
		base.Set("q", strings.Split(f.prefix, cardname.Joint)[0])
	}
	for offset := 0; ; offset += pageSize {
		base.Set("limit", fmt.Sprint(pageSize))
		base.Set("offset", fmt.Sprint(offset))
		var page struct {
			Cards []card `json:"cards"`
			Total int    `json:"total"`
		}
		if _, err := r.send(ctx, apiRequest{Method: http.MethodGet, Path: "/cards", Query: base}, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Cards...)
		switch {
		case offset+pageSize >= page.Total || len(page.Cards) == 0:
			return all, nil
		case len(all) >= mostCards:
			return nil, tools.Errorf(tools.Limited, "more than %d cards match", mostCards).
				WithHint("Narrow the search: this wiki cannot filter by that.")
		}
	}
}

// fits reports whether a card counts. It reads the card or its tags only if it must.
func (r requester) fits(ctx context.Context, f filter, c card) (bool, error) {
	if !f.fitsListed(c) {
		return false, nil
	}
	if f.tag != "" {
		if tagged, err := r.hasTag(ctx, cardname.Name(c.Name), f.tag); err != nil || !tagged {
			return false, err
		}
	}
	if f.words == "" || f.match == "" && !f.caseSensitive {
		return true, nil
	}
	text, err := r.searched(ctx, f, c)
	if err != nil {
		return false, err
	}
	return f.matches(text), nil
}

// fitsListed reports whether a card fits as far as a list shows it.
func (f filter) fitsListed(c card) bool {
	switch {
	case f.prefix != "" && !strings.HasPrefix(cardname.Name(c.Name).Key(), prefixKey(f.prefix)),
		f.notName != "" && matchName(f.notName, c.Name),
		f.kind != "" && cardname.Name(f.kind).Key() != cardname.Name(c.Type).Key(),
		f.nameHas != "" && !strings.Contains(strings.ToLower(c.Name), strings.ToLower(f.nameHas)):
		return false
	}
	return f.fitsTime(c.UpdatedAt)
}

// fitsTime reports whether a card was changed in the time that is asked for. One
// without a time was not.
func (f filter) fitsTime(updated string) bool {
	if f.since.IsZero() && f.before.IsZero() {
		return true
	}
	at, err := time.Parse(time.RFC3339, updated)
	return err == nil && !at.Before(f.since) && (f.before.IsZero() || at.Before(f.before))
}

// hasTag reports whether a card has a tag. One whose tags nobody may read has none.
func (r requester) hasTag(ctx context.Context, n cardname.Name, tag string) (bool, error) {
	tags, err := r.read(ctx, string(cardname.Join(n, tagsPart)), nil)
	if isCode(err, tools.NotFound, tools.Denied) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	key := cardname.Name(tag).Key()
	return slices.ContainsFunc(cardtext.Items(tags.Content), func(t cardname.Name) bool { return t.Key() == key }), nil
}

// searched is the text of a card in which the words are looked for.
func (r requester) searched(ctx context.Context, f filter, c card) (string, error) {
	if f.in != "content" && f.in != "both" {
		return c.Name, nil // a list shows no content, and reading it costs a request
	}
	whole, err := r.read(ctx, c.Name, nil)
	if err != nil {
		return "", err
	}
	text := cardtext.VisibleText(whole.Content)
	if f.in == "both" {
		text = c.Name + "\n" + text
	}
	return text, nil
}

// prefixKey is the key that names with a prefix begin with. A joint at its end stays.
func prefixKey(prefix string) string {
	key := cardname.Parse(strings.TrimRight(prefix, cardname.Joint+" ")).Key()
	if strings.HasSuffix(strings.TrimSpace(prefix), cardname.Joint) {
		key += cardname.Joint
	}
	return key
}

// matchName reports whether a name fits a pattern with stars.
func matchName(pattern, name string) bool {
	expression := "(?is)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$"
	fits, err := regexp.MatchString(expression, name)
	return err == nil && fits
}

func (f filter) matches(text string) bool {
	expression := regexp.QuoteMeta(f.words)
	if f.match == "whole_word" {
		expression = `(^|[^\pL\pN_])` + expression + `($|[^\pL\pN_])`
	}
	if !f.caseSensitive {
		expression = "(?i)" + expression
	}
	fits, err := regexp.MatchString(expression, text)
	return err == nil && fits
}

func parseMoment(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, tools.Errorf(tools.Invalid, "%s: must be a date such as 2026-11-22 or a time such as 2026-11-22T15:04:05Z", name)
}

// nestedIn is the cards that nest a card. Decko always answers none: they are picked
// from those that refer to it.
func (m *remote) nestedIn(ctx context.Context, c tools.CallContext, r apiRequest) (apiAnswer, error) {
	answer, err := direct{m}.Do(ctx, c, r)
	if err != nil || !m.isDecko.Load() {
		return answer, err
	}
	name, err := url.PathUnescape(strings.Split(strings.Trim(r.Path, "/"), "/")[1])
	if err != nil {
		return apiAnswer{}, absentError(r.Path)
	}
	q := requester{direct{m}, c}
	target, err := q.read(ctx, name, nil)
	if err != nil {
		return apiAnswer{}, err
	}
	var out struct {
		Referers []card `json:"referers"`
	}
	if _, err := q.send(ctx, apiRequest{Method: http.MethodGet, Path: cardclient.Path("cards", target.Name, "referers")}, &out); err != nil {
		return apiAnswer{}, err
	}
	nesting := []card{}
	for _, one := range out.Referers {
		whole, err := q.read(ctx, one.Name, nil)
		if err != nil {
			return apiAnswer{}, err
		}
		nests := func(ref cardtext.Reference) bool {
			return ref.Kind == cardtext.Nest && ref.Name.Absolute(cardname.Name(one.Name), "").Key() == cardname.Name(target.Name).Key()
		}
		if slices.ContainsFunc(cardtext.References(whole.Content), nests) {
			nesting = append(nesting, one)
		}
	}
	return jsonAnswer(map[string]any{"card": target.Name, "nested_in": nesting, "nested_in_count": len(nesting)}), nil
}
