package hubproc

import (
	"slices"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

func toHubLimits(l config.Limits) hub.Limits {
	return hub.Limits{
		Deadline: l.Deadline, InFlight: l.InFlight, Approval: l.Approval,
		CallsPerMinute: l.CallsPerMinute, SessionWrites: l.SessionWrites, DeletesPerMinute: l.BreakerDeletes,
		RewrittenBytesPerMinute: l.BreakerBytes,
	}
}

// toConfigRule is a rule as the configuration file spells it.
func toConfigRule(r policy.Rule) config.Rule {
	var effects []string
	for _, e := range r.Effects {
		effects = append(effects, string(e))
	}
	return config.Rule{
		Do: string(r.Do), Client: r.Client, Proven: r.Proven, Source: r.Source, Effects: effects, Tool: r.Tool, Path: r.Path,
		Schema: r.ToolDigest,
	}
}

func toHubSources(sources []app.Source) []hub.Source {
	var list []hub.Source
	for _, s := range sources {
		effects, _, _ := s.GrantedEffects()
		list = append(list, hub.Source{
			Name: s.Name, Kind: s.Kind, ReadOnly: s.ReadOnly, Effects: effects, Role: s.Role, Options: s.Options, Location: s.Location(),
			Tools: s.Tools, AllTools: slices.Contains(s.Tools, config.AllTools), Privacy: parsePrivacy(s.Source), Sample: s.Sample != nil,
		})
	}
	return list
}

// parsePrivacy is what agents must not see of a source. Its rules were checked when
// the configuration was read; if one is invalid all the same, everything is
// hidden.
func parsePrivacy(s config.Source) tools.Privacy {
	exclude, err1 := parsePrivacyRules(s.Exclude)
	only, err2 := parsePrivacyRules(s.Only)
	if err1 != nil || err2 != nil {
		return tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "**"}}}
	}
	return tools.Privacy{Exclude: exclude, Only: only}
}

func parsePrivacyRules(texts []string) (rules []tools.PrivacyRule, err error) {
	for _, text := range texts {
		rule, err := tools.ParsePrivacyRule(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}
