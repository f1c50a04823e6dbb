package cards

import (
	"context"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// Privacy rules hold on top of roles: a card that they hide exists for no role and no
// key. A path is a name with / for +, a tag is one that the card NAME+tags lists, and
// the only property is the type.

// hidesCard is what the store asks about every card; nil: nothing is hidden.
func hidesCard(p tools.Privacy) func(cardstore.Description) bool {
	if !p.Any() {
		return nil
	}
	return func(d cardstore.Description) bool { return p.Hides(page(d)) }
}

func page(d cardstore.Description) tools.Page {
	p := tools.Page{Path: rulePath(d.Name), Properties: map[string][]string{"type": {string(d.Type)}}}
	for _, tag := range d.Tags {
		p.Tags = append(p.Tags, string(tag))
	}
	return p
}

// rulePath is a name as rules by path see it: with / for +. A slash of the name itself is none
// between its parts.
func rulePath(n cardname.Name) string {
	parts := n.Parts()
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = strings.ReplaceAll(string(part), "/", "%2F")
	}
	return strings.Join(texts, "/")
}

// player is who sees the least.
func (l *local) player() cardstore.Caller {
	return cardstore.Caller{Account: cardstore.ServiceAccount(cardstore.User), Role: cardstore.User, Hides: l.hides}
}

// owner is the person who runs the hub; what is hidden from agents is not shown
// beside what agents see.
func (l *local) owner() cardstore.Caller {
	return cardstore.Caller{Account: cardstore.ServiceAccount(cardstore.Admin), Role: cardstore.Admin, Hides: l.hides}
}

// CountHiddenPages implements [tools.HiddenPageCounter].
func (w *Wiki) CountHiddenPages(ctx context.Context) (status.HiddenPages, error) {
	if w.local == nil {
		return status.HiddenPages{}, nil
	}
	count := tools.NewPrivacyCount(w.local.privacy)
	err := w.local.store.EachDescription(ctx, w.local.player(), func(d cardstore.Description, hidden bool) { count.Add(page(d), hidden) })
	return count.Pages(), err
}

// HidesChange implements [tools.ChangeFilter]: agents see changes of what players may
// read, before and after. People see all.
func (w *Wiki) HidesChange(ctx context.Context, c tools.Change) (bool, error) {
	if _, ok := keyOf(c.Target); ok {
		return true, nil
	}
	if w.local == nil {
		return w.hidesState(ctx, c)
	}
	player := w.local.player()
	for _, s := range []tools.State{c.Before, c.After} {
		card, err := readState[cardstore.State](s)
		if err != nil || card != nil && player.Hides != nil && player.Hides(cardstore.Description{Name: card.Name, Type: card.Type}) {
			return true, nil //nolint:nilerr // hidden when in doubt
		}
	}
	hidden, err := w.local.store.HidesName(ctx, player, cardname.Parse(c.Target))
	return hidden || err != nil, nil
}
