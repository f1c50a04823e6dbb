package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// NewPolicy is what the configuration lets agents do with sources, besides what
// these grant.
func NewPolicy(c config.Config, sources []Source) *policy.Policy {
	var grants []policy.Grant
	for _, s := range sources {
		_, ask, byDefault := s.GrantedEffects()
		switch {
		case len(ask) == 0:
		case byDefault:
			grants = append(grants, policy.Grant{Source: s.Name, Ask: ask, Default: true})
		default:
			grants = append(grants, policy.Grant{Source: s.Name, Ask: ask, Line: s.Line})
		}
	}
	for _, g := range c.Clients {
		grants = append(grants, policy.Grant{
			Client: g.Name, Token: g.Token, Source: g.Source, Effects: ParseEffects(g.Effects), Ask: ParseEffects(g.Ask),
			Role: g.Role, Elicit: g.Elicit, Line: g.Line,
		})
	}
	var rules []policy.Rule
	for _, r := range c.Rules {
		rules = append(rules, policy.Rule{
			Do: policy.Verdict(r.Do), Client: r.Client, Proven: r.Proven, Source: r.Source, Effects: ParseEffects(r.Effects),
			Tool: r.Tool, Path: r.Path, ToolDigest: r.Schema, Line: r.Line,
		})
	}
	return policy.New(grants, rules)
}

// A Standing is a client under a configuration. A client without a name stands for agents
// that no grant names.
type Standing struct {
	Config config.Config
	Client policy.Client
}

// NamedClient is the client of a name, with the proof that it has on this machine.
func (a *App) NamedClient(name string) policy.Client {
	return policy.Client{Name: name, Proven: IsKeyClient(name) || tools.IsOwnClient(name) || a.Paths.ClientTokens().Has(name)}
}

// IsKeyClient reports whether a client is known by a key of a source, which proves its
// name. It makes requests over HTTP only.
func IsKeyClient(name string) bool { return strings.HasPrefix(name, "key:") }

// NewlyUnasked says what a client changes in a source, empty for every one, without asking
// a person, where it would not have done so before: "write, delete without asking you:
// notes, work".
func (a *App) NewlyUnasked(before, after Standing, source string) (sentences []string) {
	where := map[string][]string{} // by what is done
	sources := a.Sources(before.Config)
	for _, s := range a.Sources(after.Config) {
		was := slices.IndexFunc(sources, func(b Source) bool { return b.Name == s.Name })
		if source != "" && s.Name != source || was < 0 {
			continue
		}
		var effects []string
		for _, e := range after.unaskedEffects(s) {
			if e != tools.Reads && e != tools.Runs && !slices.Contains(before.unaskedEffects(sources[was]), e) {
				effects = append(effects, string(e))
			}
		}
		if len(effects) > 0 {
			what := strings.Join(effects, ", ")
			where[what] = append(where[what], s.Name)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(where)) {
		sentences = append(sentences, fmt.Sprintf("%s without asking you: %s", what, strings.Join(where[what], ", ")))
	}
	return sentences
}

// UnaskedOnceProven says what [App.NewlyUnasked] does of a client that has proved its name
// and had only claimed it.
func (a *App) UnaskedOnceProven(c config.Config, name string) []string {
	return a.NewlyUnasked(Standing{c, policy.Client{Name: name}}, Standing{c, policy.Client{Name: name, Proven: true}}, "")
}

// unaskedEffects is what a client may do in a source without anybody being asked, as far
// as that does not depend on the tool or the page.
func (st Standing) unaskedEffects(s Source) []tools.Effect {
	granted, _, _ := s.GrantedEffects()
	p := NewPolicy(st.Config, []Source{s})
	return slices.DeleteFunc(tools.Effects(), func(e tools.Effect) bool {
		return p.Decide(policy.Request{
			Client: st.Client, Source: s.Name, SourceEffects: granted, MaxEffects: tools.Effects(), Effect: e,
			Route: IsKeyClient(st.Client.Name),
		}).Verdict != policy.Allow
	})
}
