package cardapi

import (
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// spoilerScan finds cards that contain terms and writes where into a card: of scope
// player those that players can read, of scope ai those of artificial players. What
// it finds is for game masters alone.
func spoilerScan(r *request) (answer, error) {
	in, err := r.readScan()
	if err != nil {
		return answer{}, err
	}
	source, err := r.store.Get(r.Context(), r.by(), in.Terms)
	if errors.Is(err, cardstore.ErrNotFound) {
		return answer{}, notFound("Card '%s' not found", in.Terms)
	}
	if err != nil {
		return answer{}, err
	}
	terms := termsOf(source.Content)
	if len(terms) == 0 {
		return answer{}, invalid("terms_card", "No spoiler terms found in '%s'", source.Name)
	}
	report := r.progress
	r.progress = func(done, total int) {
		r.api.noteProgress(in.Job, jobProgress{done, total})
		report(done, total)
	}
	found, err := r.findTerms(terms, in.Scope, in.Limit, []cardname.Name{source.Name, cardname.Parse(in.Results)})
	if err != nil {
		return answer{}, err
	}
	if err := r.writeScan(in.Results, in.Scope, found); err != nil {
		return answer{}, err
	}
	return ok(map[string]any{
		"status": "completed", "matches": len(found), "results_card": in.Results, "scope": in.Scope, "terms_checked": len(terms),
	})
}

// A scanBody is what a scan is to do.
type scanBody struct {
	Terms   string `json:"terms_card"`
	Results string `json:"results_card"`
	Scope   string `json:"scope"` // player or ai
	Limit   int    `json:"limit"` // places
	Async   bool   `json:"async"` // see QueueScan
	Job     int64  `json:"job_id,omitempty"`
	dryRunBody
}

func (r *request) readScan() (in scanBody, err error) {
	if err := r.into(&in); err != nil {
		return in, err
	}
	switch {
	case r.who.Role == cardstore.User:
		return in, forbidden("Only GM or admin roles can run spoiler scans", cardstore.GM)
	case in.Terms == "":
		return in, invalid("terms_card", "Missing terms_card parameter")
	case in.Results == "":
		return in, invalid("results_card", "Missing results_card parameter")
	case in.Scope != "" && in.Scope != "player" && in.Scope != "ai":
		return in, invalid("scope", "scope must be player or ai")
	case in.Limit < 0:
		return in, invalid("limit", "limit must be a number of at least 1")
	}
	if in.Scope == "" {
		in.Scope = "player"
	}
	if in.Limit == 0 {
		in.Limit = 500
	}
	in.Limit = min(in.Limit, 1000)
	return in, nil
}

func termsOf(content string) (terms []string) {
	for line := range strings.Lines(cardtext.PlainText(strings.ReplaceAll(content, "</", "\n</"))) {
		if term := strings.TrimSpace(line); term != "" && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	return terms
}

type spoiler struct {
	card    cardname.Name
	term    string
	context string
}

// findTerms looks with the eyes of those who must not find the terms: of a player,
// or of a game master at the parts for artificial players.
func (r *request) findTerms(terms []string, scope string, limit int, leaveOut []cardname.Name) (all []spoiler, err error) {
	eyes := cardstore.Caller{Account: cardstore.ServiceAccount(cardstore.User), Role: cardstore.User, Hides: r.api.Hides}
	if scope == "ai" {
		eyes = r.by()
	}
	counts := func(n cardname.Name) bool {
		isAI := slices.ContainsFunc(n.Parts(), func(p cardname.Name) bool { return p.Key() == "ai" })
		return (scope != "ai" || isAI) && !slices.ContainsFunc(leaveOut, func(l cardname.Name) bool { return l.Key() == n.Key() })
	}
	for i, term := range terms {
		r.progress(i, len(terms))
		cards, err := r.everyCard(eyes, cardstore.Search{Words: term, In: "content", Match: "phrase", WithVirtual: true}, limit-len(all))
		if err != nil {
			return nil, err
		}
		for _, c := range cards {
			if counts(c.Name) {
				all = append(all, spoiler{c.Name, term, cardtext.Around(cardtext.VisibleText(c.Content), []string{term}, 60)})
			}
		}
	}
	return all[:min(len(all), limit)], nil
}

// everyCard lists what a search finds, page by page, up to limit.
func (r *request) everyCard(by cardstore.Caller, f cardstore.Search, limit int) (all []cardstore.Card, err error) {
	f.Limit = mostList
	for len(all) < limit {
		f.Offset = len(all)
		cards, total, err := r.store.Search(r.Context(), by, f)
		if err != nil {
			return nil, err
		}
		all = append(all, cards...)
		if len(all) >= total || len(cards) == 0 {
			break
		}
	}
	return all, nil
}

// writeScan writes the results, and before them the rule that keeps them from
// players.
func (r *request) writeScan(name, scope string, found []spoiler) error {
	var b strings.Builder
	fmt.Fprintf(&b, "<h2>Spoiler scan, %s</h2>\n<p>%d places</p>\n<ul>\n", scope, len(found))
	for _, s := range found {
		fmt.Fprintf(&b, "<li>[[%s]]: <strong>%s</strong> in “%s”</li>\n", s.card, html.EscapeString(s.term), html.EscapeString(s.context))
	}
	b.WriteString("</ul>")
	return r.store.Together(r.Context(), func(s *cardstore.Store) error {
		if err := s.KeepForMasters(r.Context(), name); err != nil {
			return err
		}
		_, err := r.upsert(s, name, "RichText", b.String())
		return err
	})
}
