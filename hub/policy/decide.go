package policy

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A Request is a call to be judged as a whole, with everything that it touches.
type Request struct {
	Client        Client
	Source        string
	SourceEffects []tools.Effect // what the source grants to every client
	MaxEffects    []tools.Effect // what it grants to any client
	Tool          string         // its name in the System's specification
	Effect        tools.Effect
	ToolDigest    string // digest of the tool's declaration
	// Targets are what the call would change; nil: not known.
	Targets []string
	// Texts are those of the arguments: any of them may be a path.
	Texts []string
	// TextsIncomplete: the call may touch something that Texts do not name.
	TextsIncomplete bool
	// Person: the user makes it by hand, whom no default asks.
	Person bool
	// Route: it came in over a System's own route. Its key decides what it may do,
	// so a person is asked only where a grant or a rule names the client.
	Route bool
}

// A Decision is a Verdict and where it comes from.
type Decision struct {
	Verdict Verdict // Allow, Ask or Deny
	Reason  string  // in words, with the rule
	Line    int     // of the configuration; 0: a default decided
	Granted bool    // false: the effect is not granted, whatever the rules say
	// Setting would allow without asking what Verdict asks about, as advice for
	// the user; empty unless Verdict is Ask.
	Setting string
}

// Decide judges a call. Grants come first: what is not granted is denied. Of the
// rules that match, the strictest wins: deny before always before ask before
// allow; among equals the first. The path of a deny or ask rule matches if
// anything that the call touches matches it; that of an allow or always rule
// only if everything does and is known. An unknown verdict denies.
func (p *Policy) Decide(q Request) Decision {
	if !slices.Contains(tools.Effects(), q.Effect) {
		return Decision{Verdict: Deny, Reason: fmt.Sprintf("unknown effect %q", q.Effect)}
	}
	g := p.findGrant(q.Client, q.Source)
	if !slices.Contains(p.Effects(q.Client, q.Source, q.SourceEffects, q.MaxEffects), q.Effect) {
		if g != nil && g.Effects != nil {
			return Decision{
				Verdict: Deny, Line: g.Line, Reason: fmt.Sprintf("client %s is not granted to %s in source %s", q.Client.Name, q.Effect, q.Source),
			}
		}
		return Decision{Verdict: Deny, Reason: fmt.Sprintf("source %s does not grant agents to %s", q.Source, q.Effect)}
	}
	found := Decision{Verdict: Allow, Reason: fmt.Sprintf("source %s grants %s and no rule says otherwise", q.Source, q.Effect), Granted: true}
	highest := -1
	for _, r := range p.rules {
		if q.Route && r.Do == Ask && r.Client == "" {
			continue
		}
		if n := precedence(r.Do); n > highest && r.matches(q) {
			highest = n
			found = Decision{Verdict: r.verdict(), Line: r.Line, Reason: "rule: " + r.String(), Granted: true}
			if r.Do == Ask {
				found.Setting = fmt.Sprintf("change the [[rule]] in line %d of the configuration", r.Line)
			}
		}
	}
	if highest < precedence(Ask) {
		if asks := p.askingGrant(q, g, highest >= 0); asks != nil {
			return Decision{Verdict: Ask, Line: asks.Line, Reason: asks.reason(q), Granted: true, Setting: asks.settingAdvice(q)}
		}
	}
	return found
}

// precedence orders verdicts; an unknown one is the strictest.
func precedence(v Verdict) int {
	switch v {
	case Allow:
		return 0
	case Ask:
		return 1
	case Always:
		return 2
	default:
		return 3
	}
}

func (r Rule) verdict() Verdict {
	switch r.Do {
	case Allow, Always:
		return Allow
	case Ask:
		return Ask
	default:
		return Deny
	}
}

// askingGrant is the grant under which a person is asked, or nil. ruled: a rule
// allows the call.
func (p *Policy) askingGrant(q Request, of *Grant, ruled bool) *Grant {
	if of != nil && slices.Contains(of.Ask, q.Effect) {
		return of
	}
	overridden := ruled || q.Person || of != nil && q.Client.Proven && (of.Effects != nil || of.Ask != nil)
	for i, g := range p.grants {
		if g.Client == "" && !q.Route && (g.Source == "" ||
			g.Source == q.Source) && slices.Contains(g.Ask, q.Effect) && !(g.Default && overridden) {
			return &p.grants[i]
		}
	}
	return nil
}

func (g *Grant) reason(q Request) string {
	switch {
	case g.Client != "":
		return fmt.Sprintf("client %s asks before it may %s", g.Client, q.Effect)
	case g.Default:
		return fmt.Sprintf("source %s asks before agents may %s, which is the default", q.Source, q.Effect)
	}
	return fmt.Sprintf("source %s asks before agents may %s", q.Source, q.Effect)
}

// settingAdvice is what allows q without asking.
func (g *Grant) settingAdvice(q Request) string {
	client, source, effects := cmp.Or(g.Client, "all"), cmp.Or(g.Source, "all"), q.SourceEffects
	if g.Client != "" && g.Effects != nil {
		effects = g.Effects
	}
	words := []string{"lectern grant", client, source}
	for _, e := range effects {
		words = append(words, string(e))
	}
	var ask []string
	for _, e := range g.Ask {
		if e != q.Effect && slices.Contains(effects, e) {
			ask = append(ask, string(e))
		}
	}
	if len(ask) > 0 {
		words = append(words, "--ask", strings.Join(ask, ","))
	}
	return "run `" + strings.Join(words, " ") + "`"
}

// DependsOnPath reports whether the decision on q can depend on what q touches.
func (p *Policy) DependsOnPath(q Request) bool {
	return slices.ContainsFunc(p.rules, func(r Rule) bool { return r.Path != "" && r.matchesCall(q) })
}

func (r Rule) matches(q Request) bool {
	if !r.matchesCall(q) {
		return false
	}
	if r.Path == "" {
		return true
	}
	rule := tools.Privacy{Exclude: []tools.PrivacyRule{{Path: cleanPath(r.Path)}}}
	touches := func(name string) bool {
		name = cleanPath(name)
		return rule.Hides(tools.Page{Path: strings.TrimSuffix(name, path.Ext(name)), File: name})
	}
	if precedence(r.Do) == precedence(Ask) || precedence(r.Do) == precedence(Deny) {
		return q.TextsIncomplete || slices.ContainsFunc(q.Targets, touches) || slices.ContainsFunc(q.Texts, touches)
	}
	return len(q.Targets) > 0 && !slices.ContainsFunc(q.Targets, func(t string) bool { return !touches(t) })
}

// cleanPath spells equal paths alike: a/./b and /a/x/../b are a/b.
func cleanPath(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
}
