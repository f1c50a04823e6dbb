// Package policy decides what a person lets agents do: allow, ask first, or
// deny, by client, source, effect, tool and path.
//
// It is pure: a [Policy] is a value made from the configuration, and
// [Policy.Decide] is a function of a [Request]. It does not ask or wait: that is
// hub/approval. hub/policy_approval.go acts on a decision and `lectern policy explain`
// prints it. hub, hub/approval and cmd/lectern import it.
//
// Start reading at [Policy.Decide].
package policy

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A Verdict is the outcome of a rule or a decision.
type Verdict string

// The verdicts. Any other denies.
const (
	Allow Verdict = "allow"
	// Always allows what would be asked, because a person has answered "always".
	// It stands only in rules; a Decision says Allow.
	Always Verdict = "always"
	Ask    Verdict = "ask"
	Deny   Verdict = "deny"
)

// Verdicts lists what a rule may say.
func Verdicts() []Verdict { return []Verdict{Allow, Always, Ask, Deny} }

// A Client is a program that calls. Its name is a claim unless it is Proven.
type Client struct {
	Name   string
	Proven bool
}

// A Grant is what one client may do in one source. An empty Client or Source
// stands for every one.
type Grant struct {
	Client string
	Token  bool // only for a client that has proved its name
	Source string
	// Effects are granted; nil: what the source grants. For a client that has
	// not proved its name they can only narrow what the source grants.
	Effects []tools.Effect
	Ask     []tools.Effect // a person is asked first
	// Default: Ask is that of a source whose configuration does not say it. It is
	// for agents over MCP, and a rule or a grant to a proven client overrides it.
	Default bool
	// Role of the client in a System with roles, if it has proved its name; empty:
	// what the source gives every client.
	Role string
	// Elicit false: the client may not ask its own user for approvals, although it
	// has proved its name.
	Elicit *bool
	Line   int // of the configuration; 0: none
}

// A Rule is one [[rule]] of the configuration. Empty fields match everything.
type Rule struct {
	Do Verdict
	// Client is a glob; letter case makes no difference. A rule that lets a client
	// do something is for those that have proved their names: a claim gains nothing.
	Client     string
	Proven     bool   // only for clients that have proved their name
	Source     string // a glob
	Effects    []tools.Effect
	Tool       string // a glob of the name in the System's specification
	Path       string // a pattern as in tools.PrivacyRule
	ToolDigest string // only while the tool's declaration has this digest
	Line       int    // of the configuration; 0: none
}

// A Policy is the grants and rules together. The zero value allows what sources
// grant. It is immutable.
type Policy struct {
	grants []Grant
	rules  []Rule
	digest string
}

// New makes a Policy of rules in the order of the configuration.
func New(grants []Grant, rules []Rule) *Policy {
	p := &Policy{grants: slices.Clone(grants), rules: slices.Clone(rules)}
	type line struct {
		Grants []Grant
		Rules  []Rule
	}
	l := line{slices.Clone(grants), slices.Clone(rules)}
	for i := range l.Grants {
		l.Grants[i].Line = 0 // lines move without a change of meaning
	}
	for i := range l.Rules {
		l.Rules[i].Line = 0
	}
	b, err := json.Marshal(l)
	if err != nil { // strings and booleans marshal
		panic(err)
	}
	sum := sha256.Sum256(b)
	p.digest = hex.EncodeToString(sum[:])
	return p
}

// Digest is equal for policies with the same grants and rules in the same order.
func (p *Policy) Digest() string { return p.digest }

// DependsOnClient reports whether clients differ in what they are granted.
func (p *Policy) DependsOnClient() bool {
	return slices.ContainsFunc(p.grants, func(g Grant) bool { return g.Client != "" })
}

// MayElicit reports whether c may ask its own user for approvals in source: one
// that has not proved its name could answer for a user whom it never asked.
func (p *Policy) MayElicit(c Client, source string) bool {
	if g := p.findGrant(c, source); g != nil && g.Elicit != nil && !*g.Elicit {
		return false
	}
	return c.Proven
}

// AllowsAllGranted reports whether every granted call is allowed without asking.
func (p *Policy) AllowsAllGranted() bool {
	return len(p.rules) == 0 && !slices.ContainsFunc(p.grants, func(g Grant) bool { return len(g.Ask) > 0 })
}

// Effects is what c may do in source, in the order of tools.Effects: base is what
// the source grants to every client, and no grant exceeds most.
func (p *Policy) Effects(c Client, source string, base, most []tools.Effect) []tools.Effect {
	g := p.findGrant(c, source)
	if g == nil || g.Effects == nil {
		return base
	}
	return slices.DeleteFunc(tools.Effects(), func(e tools.Effect) bool {
		return !slices.Contains(g.Effects, e) || !slices.Contains(most, e) || !c.Proven && !slices.Contains(base, e)
	})
}

// HasGrant reports whether a grant names c in source.
func (p *Policy) HasGrant(c Client, source string) bool { return p.findGrant(c, source) != nil }

// AskedEffects is what agents that no grant names are asked about in source, besides
// what the rules say, in the order of tools.Effects.
func (p *Policy) AskedEffects(source string) []tools.Effect {
	var asked []tools.Effect
	for _, g := range p.grants {
		if g.Client == "" && (g.Source == "" || g.Source == source) {
			asked = append(asked, g.Ask...)
		}
	}
	return intersect(asked, tools.Effects())
}

// NamedClients are the clients that a grant gives or takes something in source, each once.
func (p *Policy) NamedClients(source string) []string {
	var names []string
	for _, g := range p.grants {
		named := func(n string) bool { return strings.EqualFold(n, g.Client) }
		says := g.Effects != nil || g.Ask != nil || g.Role != ""
		if g.Client != "" && says && (g.Source == "" || g.Source == source) && !slices.ContainsFunc(names, named) {
			names = append(names, g.Client)
		}
	}
	return names
}

// ClientAskedEffects is what c is asked about in source by the grant that names it.
func (p *Policy) ClientAskedEffects(c Client, source string) []tools.Effect {
	if g := p.findGrant(c, source); g != nil {
		return intersect(g.Ask, tools.Effects())
	}
	return nil
}

// Role is what c was assigned in source; empty: nothing.
func (p *Policy) Role(c Client, source string) string {
	if g := p.findGrant(c, source); g != nil && c.Proven {
		return g.Role
	}
	return ""
}

// WidestEffects is what some client may do in source, in the order of tools.Effects.
func (p *Policy) WidestEffects(source string, base, most []tools.Effect) []tools.Effect {
	widest := slices.Clone(base)
	for _, g := range p.grants {
		if g.Client != "" && (g.Source == "" || g.Source == source) {
			widest = append(widest, p.Effects(Client{g.Client, true}, source, base, most)...)
		}
	}
	return slices.DeleteFunc(tools.Effects(), func(e tools.Effect) bool { return !slices.Contains(widest, e) })
}

// findGrant is the most specific grant that names c, or nil. One that also names
// the source is more specific; among equals the first wins.
func (p *Policy) findGrant(c Client, source string) *Grant {
	var all *Grant
	for i, g := range p.grants {
		switch {
		case g.Client == "" || !strings.EqualFold(g.Client, c.Name) || g.Token && !c.Proven:
		case g.Source == source:
			return &p.grants[i]
		case g.Source == "" && all == nil:
			all = &p.grants[i]
		}
	}
	return all
}

// matchesCall reports whether the rule is about this client, source, tool and
// effect, whatever the paths.
func (r Rule) matchesCall(q Request) bool {
	return matchesGlob(r.Client, q.Client.Name) && (!r.needsProof() || q.Client.Proven) &&
		matchesGlob(r.Source, q.Source) && matchesGlob(r.Tool, q.Tool) &&
		(len(r.Effects) == 0 || slices.Contains(r.Effects, q.Effect)) && (r.ToolDigest == "" || r.ToolDigest == q.ToolDigest)
}

func (r Rule) needsProof() bool {
	return r.Proven || r.Client != "" && (r.Do == Allow || r.Do == Always)
}

func matchesGlob(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
	return ok && err == nil
}

// String is the rule as a person reads it.
func (r Rule) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", cmp.Or(string(r.Do), "nothing"))
	for _, f := range []struct{ key, value string }{
		{"client", r.Client}, {"source", r.Source}, {"tool", r.Tool}, {"path", r.Path},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, " %s=%s", f.key, f.value)
		}
	}
	for _, e := range r.Effects {
		fmt.Fprintf(&b, " effect=%s", e)
	}
	if r.Proven {
		b.WriteString(" proven")
	}
	return b.String()
}

// Rules are the rules in the order of the configuration.
func (p *Policy) Rules() []Rule { return slices.Clone(p.rules) }
