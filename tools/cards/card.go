package cards

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// A card is a card as the API answers it; a summary lacks its content.
type card struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	Content   string `json:"content"`
	CreatedAt string `json:"created_at,omitempty"`
	UpdatedAt string `json:"updated_at,omitempty"`
	Highlight string `json:"highlight,omitempty"`
	Existed   bool   `json:"already_existed,omitempty"`
	tag       string // its entity tag
}

// revision changes whenever the card does. Writers say it as expected_revision.
func (c card) revision() string { return strings.Trim(c.tag, `"`) }

func (c card) length() int { return utf8.RuneCountInString(c.Content) }

func (c card) id() string { return fmt.Sprintf("~%d", c.ID) }

// CardInfo is a card in a list.
type CardInfo struct {
	Name      string `json:"name" jsonschema:"name"`
	Type      string `json:"type" jsonschema:"type"`
	ID        string `json:"id" jsonschema:"its number after ~; good wherever a name is"`
	UpdatedAt string `json:"updated_at,omitempty" jsonschema:"last change"`
	Summary   string `json:"summary,omitempty" jsonschema:"text around the match"`
}

func (c card) info() CardInfo {
	return CardInfo{Name: c.Name, Type: c.Type, ID: c.id(), UpdatedAt: c.UpdatedAt, Summary: safetext.Truncate(c.Highlight, 300)}
}

func infosOf(cards []card) []CardInfo {
	out := make([]CardInfo, 0, len(cards))
	for _, c := range cards {
		out = append(out, c.info())
	}
	return out
}

// read returns a card by its name or ~ID.
func (r requester) read(ctx context.Context, name string, query url.Values) (c card, err error) {
	if err := checkReadable(name); err != nil {
		return card{}, err
	}
	q := getOf("cards", name)
	q.Query = query
	header, err := r.send(ctx, q, &c)
	if err != nil {
		return card{}, err
	}
	c.tag = header.Get("ETag")
	return c, nil
}

// checkReadable keeps what cannot be a name out of the address of a request.
func checkReadable(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return tools.Errorf(tools.Invalid, "name: must not be empty")
	case !utf8.ValidString(name) || strings.ContainsRune(name, 0) || utf8.RuneCountInString(name) > cardname.MaxLength:
		return absentError(name)
	}
	return nil
}

// A childPage is a page of children, as the API answers it.
type childPage struct {
	Parent   string `json:"parent"`
	Children []card `json:"children"`
	Count    int    `json:"child_count"`
	Next     *int   `json:"next_offset"`
}

const (
	mostCards = 2000 // that are read to answer one call
	pageSize  = 100  // of the API, at most
	deepest   = 20   // levels below a card
)

// goingWith are the cards that are deleted or renamed with one: those below it, and if
// its name is simple also those that it is a right side of, with what is below them.
func (r requester) goingWith(ctx context.Context, name string) ([]card, error) {
	all, err := r.below(ctx, name, deepest)
	own := cardname.Parse(name)
	if err != nil || own.IsCompound() {
		return all, err
	}
	for offset := 0; offset < mostCards; offset += pageSize {
		q := getOf("cards")
		q.Query = url.Values{"q": {name}, "include_virtual": {"true"}, "limit": {fmt.Sprint(pageSize)}, "offset": {fmt.Sprint(offset)}}
		var page struct {
			Cards []card `json:"cards"`
			Next  *int   `json:"next_offset"`
		}
		if _, err := r.send(ctx, q, &page); err != nil {
			return nil, err
		}
		for _, c := range page.Cards {
			n := cardname.Parse(c.Name)
			if !n.IsCompound() || n.Right().Key() != own.Key() || slices.ContainsFunc(all, func(known card) bool { return known.Name == c.Name }) {
				continue
			}
			under, err := r.below(ctx, c.Name, deepest)
			if err != nil {
				return nil, err
			}
			all = append(append(all, c), under...)
		}
		if page.Next == nil {
			break
		}
	}
	return all, nil
}

// children asks for a page of what is below a card.
func (r requester) children(ctx context.Context, name string, depth, limit, offset int) (page childPage, err error) {
	if err := checkReadable(name); err != nil {
		return page, err
	}
	q := getOf("cards", name, "children")
	// The order is said, because Decko and ours begin at different ends.
	q.Query = url.Values{
		"depth": {fmt.Sprint(depth)}, "limit": {fmt.Sprint(limit)}, "offset": {fmt.Sprint(offset)}, "sort": {"name"}, "dir": {"asc"},
		"include_content": {"true"}, // whose length is told
	}
	_, err = r.send(ctx, q, &page)
	return page, err
}

// below lists every card below one, level by level and by name.
func (r requester) below(ctx context.Context, name string, depth int) (all []card, err error) {
	for offset := 0; ; {
		page, err := r.children(ctx, name, depth, pageSize, offset)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Children...)
		switch {
		case page.Next == nil || *page.Next <= offset:
			return all, nil
		case *page.Next >= mostCards:
			return nil, tools.Errorf(tools.Limited, "more than %d cards are below '%.100s'", mostCards, name).
				WithHint("Ask for a smaller depth, or for one of its children.")
		}
		offset = *page.Next
	}
}
