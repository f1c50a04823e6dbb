package cardapi

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// maxTerms is how many names of cards one call looks for.
const maxTerms = 1000

type suggestion struct {
	Term string        `json:"term"`
	Card cardname.Name `json:"card"`
	At   int           `json:"position"`
	end  int
}

// autoLink finds the names of cards in the text of a card and suggests links, or
// writes them. It knows only the cards that its caller may read.
func autoLink(r *request) (answer, error) {
	var in struct {
		Card          string   `json:"card_name"`
		Mode          string   `json:"mode"`
		DryRun        *bool    `json:"dry_run"`
		Scope         string   `json:"scope"`
		MinLength     *int     `json:"min_term_length"`
		Types         []string `json:"include_types"`
		CaseSensitive bool     `json:"case_sensitive"`
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	shortest := 3
	if in.MinLength != nil {
		shortest = *in.MinLength
	}
	switch {
	case r.who.Role == cardstore.User:
		return answer{}, forbidden("GM or Admin role required", cardstore.GM)
	case in.Card == "":
		return answer{}, invalid("card_name", "card_name is required")
	case in.Mode != "" && in.Mode != "suggest" && in.Mode != "apply":
		return answer{}, invalid("mode", "mode must be 'suggest' or 'apply'")
	case shortest < 2 || shortest > 50:
		return answer{}, invalid("min_term_length", "min_term_length must be from 2 to 50")
	}
	c, err := r.store.Get(r.Context(), r.by(), in.Card)
	if errors.Is(err, cardstore.ErrNotFound) {
		return answer{}, &apiError{status: http.StatusNotFound, code: "not_found", message: "Card not found: " + in.Card}
	}
	if err != nil {
		return answer{}, err
	}
	scope := in.Scope
	if scope == "" {
		scope = string(c.Name.Parts()[0])
	}
	terms, err := r.terms(scope, in.Types, shortest, c.Name)
	if err != nil {
		return answer{}, err
	}
	found := suggestLinks(c.Content, terms, in.CaseSensitive)
	preview := withLinks(c.Content, found)
	mode, dry := "suggest", in.DryRun == nil || *in.DryRun
	if in.Mode == "apply" {
		mode = "apply"
		if !dry && len(found) > 0 {
			update := cardstore.CardUpdate{IfRevision: &c.Revision, Content: func(string) (string, error) { return preview, nil }}
			if _, err := r.store.Update(r.Context(), r.by(), in.Card, update); err != nil {
				return answer{}, err
			}
		}
	}
	return ok(map[string]any{
		"card_name": c.Name, "scope": scope, "mode": mode, "dry_run": dry, "suggestions": found, "preview": preview,
		"stats": map[string]any{"terms_in_index": len(terms), "suggestions": len(found)},
	})
}

// terms are the names of cards to look for, longest first: the last parts of those
// below the scope.
func (r *request) terms(scope string, types []string, shortest int, but cardname.Name) (terms []cardname.Name, err error) {
	cards, err := r.everyCard(r.by(), cardstore.Search{Prefix: scope, Types: types, WithVirtual: true}, maxTerms)
	if err != nil {
		return nil, err
	}
	for _, c := range cards {
		parts := c.Name.Parts()
		if last := parts[len(parts)-1]; len(last) >= shortest && c.Name.Key() != but.Key() && !strings.HasPrefix(string(last), "*") {
			terms = append(terms, c.Name)
		}
	}
	slices.SortStableFunc(terms, func(a, b cardname.Name) int { return len(b) - len(a) })
	return terms, nil
}

// suggestLinks finds each term once, as whole words outside of links, nests and tags.
func suggestLinks(content string, terms []cardname.Name, caseSensitive bool) []suggestion {
	found := []suggestion{}
	taken := [][2]int{}
	for _, t := range cardtext.Tokens(content) {
		taken = append(taken, [2]int{t.Start, t.End})
	}
	for _, t := range tags.FindAllStringIndex(content, -1) {
		taken = append(taken, [2]int{t[0], t[1]})
	}
	for _, term := range terms {
		parts := term.Parts()
		word := string(parts[len(parts)-1])
		flags := "(?i)"
		if caseSensitive {
			flags = ""
		}
		pattern, err := regexp.Compile(flags + `\b` + regexp.QuoteMeta(word) + `\b`)
		if err != nil {
			continue
		}
		for _, at := range pattern.FindAllStringIndex(content, -1) {
			if slices.ContainsFunc(taken, func(t [2]int) bool { return at[0] < t[1] && t[0] < at[1] }) {
				continue
			}
			found = append(found, suggestion{content[at[0]:at[1]], term, at[0], at[1]})
			taken = append(taken, [2]int{at[0], at[1]})
			break
		}
	}
	slices.SortFunc(found, func(a, b suggestion) int { return a.At - b.At })
	return found
}

var tags = regexp.MustCompile(`<[^>]*>`)

func withLinks(content string, found []suggestion) string {
	var b strings.Builder
	at := 0
	for _, s := range found {
		b.WriteString(content[at:s.At])
		if string(s.Card) == s.Term {
			b.WriteString("[[" + s.Term + "]]")
		} else {
			b.WriteString("[[" + string(s.Card) + "|" + s.Term + "]]")
		}
		at = s.end
	}
	return b.String() + content[at:]
}
