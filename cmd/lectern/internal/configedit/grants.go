package configedit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// grantTitle says what a change of a grant does.
func grantTitle(g status.Grant) string {
	client, where := cmp.Or(g.Client, "agents"), "every source"
	if g.Source != "" {
		where = "source " + g.Source
	}
	effects := cmp.Or(strings.Join(g.Effects, ", "), "do nothing")
	if effects == string(tools.Reads) { // what it may no longer do is not named otherwise
		effects = "only read"
	}
	title := fmt.Sprintf("Let %s %s in %s", client, effects, where)
	switch {
	case g.Role != "" && len(g.Effects) == 0:
		return fmt.Sprintf("Make %s %s in %s", client, g.Role, where)
	case g.Role != "":
		return title + " as " + g.Role
	case g.Reset:
		return fmt.Sprintf("Reset what %s may do in %s to the default", client, where)
	}
	return title
}

func (e Editor) proposeSetGrant(c config.Config, a status.Action) (Proposal, error) {
	g := a.Grant
	if g == nil {
		return Proposal{}, errors.New("set grant: missing effects")
	}
	if err := CheckGrant(*g); err != nil {
		return Proposal{}, err
	}
	if err := e.checkGrantedSource(c, *g); err != nil {
		return Proposal{}, fmt.Errorf("set grant: %w", err)
	}
	if err := e.checkRole(c, *g); err != nil {
		return Proposal{}, fmt.Errorf("set grant: %w", err)
	}
	edit, err := e.newGrantEdit(c, *g)
	if err != nil {
		return Proposal{}, fmt.Errorf("set grant: %w", err)
	}
	p := newConfigProposal(grantTitle(*g), edit)
	who := e.NamedClient(g.Client)
	after, err := config.Parse(edit.Path, edit.After, e.ConfigSchema())
	if err != nil {
		after = c // an edit that cannot be read is refused when it is made
	}
	unasked := e.NewlyUnasked(app.Standing{Config: c, Client: who}, app.Standing{Config: after, Client: who}, g.Source)
	for _, what := range unasked {
		p.warn("%s will %s", cmp.Or(g.Client, "agents"), what)
	}
	for _, s := range e.Sources(c) {
		if g.Client == "" && len(g.Ask) > 0 && (g.Source == "" || g.Source == s.Name) && e.answersRequests(s.Kind) {
			p.warn("you are not asked about requests over HTTP to source %s; `lectern grant CLIENT %s ... --ask %s` asks about those of one client",
				s.Name, s.Name, strings.Join(g.Ask, ","))
		}
	}
	if slices.Contains(g.Effects, string(tools.Admin)) {
		p.warn("admin lets agents change permissions")
	}
	roleCaveat := ""
	if g.Role != "" {
		roleCaveat = " and its role does not count"
	}
	if g.Client != "" && !g.Reset && !who.Proven {
		p.warn("any client can claim the name %s, so this grant can only take rights away%s; `lectern client token NAME` makes the client "+
			"prove its name", g.Client, roleCaveat)
		for _, what := range e.UnaskedOnceProven(after, g.Client) {
			p.warn("once %s proves its name by its token, it will %s", g.Client, what)
		}
	}
	return p, nil
}

// answersRequests reports whether sources of a kind have HTTP routes of their own.
func (e Editor) answersRequests(kind string) bool {
	return slices.ContainsFunc(e.Systems(), func(k tools.Kind) bool { return k.Manifest().Name == kind && k.Manifest().Routes != nil })
}

// checkGrantedSource refuses a grant in a source that does not exist. The table of
// a client for a former source can be changed and removed.
func (e Editor) checkGrantedSource(c config.Config, g status.Grant) error {
	if g.Source == "" {
		return nil
	}
	if g.Client == "" {
		_, err := e.configuredSource(c, g.Source)
		return err
	}
	named := func(s app.Source) bool { return s.Name == g.Source }
	if slices.ContainsFunc(e.Sources(c), named) || currentGrant(c, g).Name != "" {
		return nil
	}
	return e.UnknownSourceError(c, g.Source)
}

func (e Editor) newGrantEdit(c config.Config, g status.Grant) (config.Edit, error) {
	was := currentGrant(c, g)
	granted, ask, role := append([]string{}, g.Effects...), g.Ask, cmp.Or(g.Role, was.Role)
	switch {
	case g.Reset:
		granted, ask, role = nil, nil, ""
	case g.Role != "" && len(g.Effects) == 0:
		granted, ask = was.Effects, was.Ask
	}
	switch {
	case g.Client != "" && g.Reset:
		return c.ForgetClient(g.Client, g.Source)
	case g.Client != "":
		return c.GrantClient(config.Client{
			Name: g.Client, Source: g.Source, Token: e.Paths.ClientTokens().Has(g.Client), Effects: granted, Ask: ask, Role: role,
		})
	case g.Source != "":
		return c.GrantSource(g.Source, granted, ask, role)
	}
	return c.GrantSources(granted, ask)
}

// currentGrant is what the configuration says of g's client in g's source.
func currentGrant(c config.Config, g status.Grant) (was config.Client) {
	if g.Client == "" {
		s, _ := c.Source(g.Source)
		return config.Client{Effects: s.Effects, Ask: s.Ask, Role: s.Role}
	}
	for _, old := range c.Clients {
		if strings.EqualFold(old.Name, g.Client) && old.Source == g.Source {
			return old
		}
	}
	return was
}

// checkRole says what is wrong with the role of a grant.
func (e Editor) checkRole(c config.Config, g status.Grant) error {
	if g.Role == "" {
		return nil
	}
	if g.Source == "" {
		return errors.New("a role belongs to one source; name it instead of all")
	}
	for _, s := range e.Sources(c) {
		if s.Name != g.Source {
			continue
		}
		roles := e.ConfigSchema().Roles[s.Kind]
		switch {
		case len(roles) == 0:
			return fmt.Errorf("source %s has no roles: %s has none", s.Name, s.Kind)
		case !slices.Contains(roles, g.Role):
			return fmt.Errorf("source %s has no role %q%s (roles: %s)",
				s.Name, g.Role, didYouMean(g.Role, roles), strings.Join(roles, ", "))
		}
	}
	return nil
}

// didYouMean suggests the known word nearest to word; empty: none is near.
func didYouMean(word string, known []string) string {
	if near := nearest.Word(word, known); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// CheckGrant says what is wrong with a grant.
func CheckGrant(g status.Grant) error {
	for _, list := range [][]string{g.Effects, g.Ask} {
		for _, word := range list {
			if !slices.Contains(app.EffectNames(), word) {
				effects := app.EffectNames()
				return fmt.Errorf("set grant: invalid effect %q%s (want %s)", word, didYouMean(word, effects), strings.Join(effects, ", "))
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
