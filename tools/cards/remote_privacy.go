package cards

import (
	"context"
	"net/url"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// tagsPart is the card below a card that lists its tags.
const tagsPart = "tags"

// A screened wiki is one without what the user hides. The store of a wiki of our own
// hides by itself; that has no rules here.
type screened struct {
	transport
	privacy tools.Privacy
}

// as is the wiki for one caller. What the caller writes passes the privacy rules,
// whatever the wiki would change besides the card that is named.
func (s screened) as(c tools.CallContext) requester {
	if s.privacy.Any() && !c.IsDryRun() {
		c.Writes = privateWrites{s, c}
	}
	return requester{s, c}
}

// itself is the wiki as its owner sees it, for what privacy rules need to know.
func (s screened) itself() requester {
	return requester{s, tools.CallContext{Identity: tools.Identity{Role: string(cardstore.Admin)}}}
}

// privateWrites refuses a write that would change a hidden card.
type privateWrites struct {
	wiki  screened
	outer tools.CallContext
}

// BeforeWrite implements [tools.WriteObserver].
func (p privateWrites) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	for _, change := range changes {
		hidden, err := p.wiki.hides(ctx, change.Target)
		if err != nil {
			return err
		}
		if hidden {
			return hiddenError()
		}
	}
	return p.outer.BeforeWrite(ctx, changes...)
}

// AfterWrite implements [tools.WriteObserver].
func (p privateWrites) AfterWrite(target string, after tools.State) {
	p.outer.AfterWrite(target, after)
}

// OutcomeUnknown implements [tools.WriteObserver].
func (p privateWrites) OutcomeUnknown(target string) { p.outer.OutcomeUnknown(target) }

// hiddenError refuses a write onto a hidden card, and one that would make such a card,
// in the same words.
func hiddenError() error {
	return tools.HiddenError("the call would write a card of a kind that is hidden from agents").
		WithHint("Choose another name, or ask the user.")
}

// hides reports whether the user hides a card of another's wiki from agents, by itself or because it is
// below a card that a rule excludes. Rules see its name with slashes, its tags and, as
// the property type, its type.
func (s screened) hides(ctx context.Context, name string) (bool, error) {
	if !s.privacy.Any() {
		return false, nil
	}
	rules := s.privacy
	for n := cardname.Parse(name); n != ""; n = n.Left() {
		page := tools.Page{Path: rulePath(n)}
		if rules.NeedsContent() {
			if err := s.describe(ctx, n, &page); err != nil {
				return true, err
			}
		}
		if rules.Hides(page) {
			return true, nil
		}
		rules.Only = nil // what is below an allowed card is allowed without what is above that
	}
	return false, nil
}

// describe reads what rules on tags and types ask for. A card that is not there has
// neither.
func (s screened) describe(ctx context.Context, n cardname.Name, page *tools.Page) error {
	c, err := s.itself().read(ctx, string(n), nil)
	if isCode(err, tools.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	page.Properties = map[string][]string{"type": {c.Type}}
	tags, err := s.itself().read(ctx, string(cardname.Join(n, tagsPart)), nil)
	if isCode(err, tools.NotFound) {
		return nil
	}
	for _, tag := range cardtext.Items(tags.Content) {
		page.Tags = append(page.Tags, string(tag))
	}
	return err
}

// visible leaves out the cards that the user hides.
func (s screened) visible(ctx context.Context, cards []card) ([]card, error) {
	kept := cards[:0:0]
	for _, c := range cards {
		hidden, err := s.hides(ctx, c.Name)
		if err != nil {
			return nil, err
		}
		if !hidden {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// get returns a card that the caller may read and the user does not hide.
func (s screened) get(ctx context.Context, c tools.CallContext, name string) (card, error) {
	return s.getAs(ctx, c, name, nil)
}

func (s screened) getAs(ctx context.Context, c tools.CallContext, name string, query url.Values) (card, error) {
	found, err := s.as(c).read(ctx, name, query)
	if err != nil {
		return card{}, err
	}
	hidden, err := s.hides(ctx, found.Name)
	if err != nil {
		return card{}, err
	}
	if hidden {
		return card{}, absentError(name)
	}
	return found, nil
}

// hidesState reports whether a Change is of a hidden card, or was or will be.
func (s screened) hidesState(ctx context.Context, c tools.Change) (bool, error) {
	hidden, err := s.hides(ctx, c.Target)
	if err != nil || hidden || !s.privacy.NeedsContent() {
		return hidden, err
	}
	for _, state := range []tools.State{c.Before, c.After} {
		held, err := readState[cardstore.State](state)
		if err != nil {
			return true, nil //nolint:nilerr // hidden when in doubt
		}
		page := tools.Page{Path: rulePath(cardname.Parse(c.Target))}
		if held != nil {
			page.Properties = map[string][]string{"type": {string(held.Type)}}
		}
		if held != nil && s.privacy.Hides(page) {
			return true, nil
		}
	}
	return false, nil
}
