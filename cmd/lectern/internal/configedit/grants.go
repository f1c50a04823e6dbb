package configedit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func (e Editor) setGrant(c config.Config, a status.Action) (Proposal, error) {
	g := a.Grant
	if g == nil {
		return Proposal{}, errors.New("set grant: missing effects")
	}
	if err := CheckGrant(*g); err != nil {
		return Proposal{}, err
	}
	client, where := "agents", "every source"
	if g.Client != "" {
		client = g.Client
	}
	if g.Source != "" {
		where = "source " + g.Source
	}
	edit, err := e.editGrant(c, *g)
	if err != nil {
		return Proposal{}, fmt.Errorf("set grant: %w", err)
	}
	effects := "do nothing"
	if len(g.Effects) > 0 {
		effects = strings.Join(g.Effects, ", ")
	}
	title := fmt.Sprintf("Let %s %s in %s", client, effects, where)
	if g.Reset {
		title = fmt.Sprintf("Reset what %s may do in %s to the default", client, where)
	}
	p := newConfigProposal(title, edit)
	if slices.Contains(g.Effects, string(tools.Admin)) {
		p.warn("admin lets agents change permissions")
	}
	if g.Client != "" && !g.Reset && !e.Paths.ClientTokens().Has(g.Client) {
		p.warn("any client can claim the name %s, so this grant can only take rights away; `lectern client token NAME` makes the client prove its name", g.Client)
	}
	return p, nil
}

func (e Editor) editGrant(c config.Config, g status.Grant) (config.Edit, error) {
	granted, ask := append([]string{}, g.Effects...), g.Ask
	if g.Reset {
		granted, ask = nil, nil
	}
	switch {
	case g.Client != "" && g.Reset:
		return c.ForgetClient(g.Client, g.Source)
	case g.Client != "":
		return c.GrantClient(config.Client{Name: g.Client, Source: g.Source, Token: e.Paths.ClientTokens().Has(g.Client), Effects: granted, Ask: ask})
	case g.Source != "":
		return c.GrantSource(g.Source, granted, ask)
	}
	return c.GrantSources(granted, ask)
}

// CheckGrant says what is wrong with a grant.
func CheckGrant(g status.Grant) error {
	for _, list := range [][]string{g.Effects, g.Ask} {
		for _, word := range list {
			if !slices.Contains(app.EffectNames(), word) {
				return fmt.Errorf("set grant: invalid effect %q (want %s)", word, strings.Join(app.EffectNames(), ", "))
			}
		}
	}
	for _, word := range g.Ask {
		if !slices.Contains(g.Effects, word) {
			return fmt.Errorf("set grant: --ask %s without granting %s; grant it too", word, word)
		}
	}
	if g.Reset && len(g.Effects)+len(g.Ask) > 0 {
		return errors.New("set grant: --reset and effects exclude each other")
	}
	return nil
}
