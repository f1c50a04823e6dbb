// Package policy decides what a person lets agents do: allow, ask first, or
// deny, by client, source, effect, tool and path.
//
// It is pure: a [Policy] is a value made of what the configuration says, and
// [Policy.Decide] a function of a [Request]. It asks nobody, waits for nothing
// and knows no MCP; hub/call.go acts on what it says, and `lectern policy
// explain` prints it. hub and cmd/lectern import it.
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

// A Verdict is what becomes of a call.
type Verdict string

// The verdicts, gravest last. What is none of them denies.
const (
	Allow Verdict = "allow"
	// Always allows what would be asked: a person has answered for good. It is
	// written in rules alone; a Decision says Allow.
	Always Verdict = "always"
	Ask    Verdict = "ask"
	Deny   Verdict = "deny"
)

// Verdicts lists what a rule may say.
func Verdicts() []Verdict { return []Verdict{Allow, Always, Ask, Deny} }

// A Client is who calls. Its name is a claim unless it has proved it.
type Client struct {
	Name   string
	Proven bool
}

// A Grant says what a client, or with no Client every one, may do in a source,
// or with no Source in every one.
type Grant struct {
	Client string
	Token  bool // it holds for a client that has proved its name, and no other
	Source string
	// Effects are granted; nil: what the source grants. For a client that has
	// not proved its name they narrow what the source grants and never widen it.
	Effects []tools.Effect
	Ask     []tools.Effect // a person is asked first
	// Elicit says whether the client may be asked for approvals too; nil: if it
	// has proved its name.
	Elicit *bool
	Line   int // of the configuration; 0: none
}

// A Rule is one [[rule]]. Its empty fields fit everything.
type Rule struct {
	Do      Verdict
	Client  string // a glob; letter case makes no difference
	Proven  bool   // it fits clients that have proved their name alone
	Source  string // a glob
	Effects []tools.Effect
	Tool    string // a glob of the name in the System's specification
	Path    string // a pattern as of tools.Mark
	Schema  string // it fits while the tool's declaration has this digest
	Line    int    // of the configuration; 0: none
}

// A Policy is all that is said. The zero value allows what sources grant. It
// is never changed.
type Policy struct {
	grants []Grant
	rules  []Rule
	digest string
}

// New makes a Policy. Rules are in their order.
func New(grants []Grant, rules []Rule) *Policy {
	p := &Policy{grants: slices.Clone(grants), rules: slices.Clone(rules)}
	type line struct {
		Grants []Grant
		Rules  []Rule
	}
	l := line{slices.Clone(grants), slices.Clone(rules)}
	for i := range l.Grants {
		l.Grants[i].Line = 0 // a comment above it changes nothing
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

// Digest is the same for policies that say the same in the same order.
func (p *Policy) Digest() string { return p.digest }

// ByClient reports whether anything is granted to one client and not to
// another.
func (p *Policy) ByClient() bool {
	return slices.ContainsFunc(p.grants, func(g Grant) bool { return g.Client != "" })
}

// Elicits reports whether c's own user interface may ask for approvals in
// source: a client could lie about what its user says.
func (p *Policy) Elicits(c Client, source string) bool {
	if g := p.grantTo(c, source); g != nil && g.Elicit != nil {
		return *g.Elicit
	}
	return c.Proven
}

// Plain reports that no rule and no wish to be asked is said: what is granted is
// allowed.
func (p *Policy) Plain() bool {
	return len(p.rules) == 0 && !slices.ContainsFunc(p.grants, func(g Grant) bool { return len(g.Ask) > 0 })
}

// Effects is what c may do in source, which grants base to everybody, in the
// order of tools.Effects. most is what no grant goes beyond.
func (p *Policy) Effects(c Client, source string, base, most []tools.Effect) []tools.Effect {
	g := p.grantTo(c, source)
	if g == nil || g.Effects == nil {
		return base
	}
	return slices.DeleteFunc(tools.Effects(), func(e tools.Effect) bool {
		return !slices.Contains(g.Effects, e) || !slices.Contains(most, e) || !c.Proven && !slices.Contains(base, e)
	})
}

// Widest is what some client may do in source, in the order of tools.Effects.
func (p *Policy) Widest(source string, base, most []tools.Effect) []tools.Effect {
	widest := slices.Clone(base)
	for _, g := range p.grants {
		if g.Client != "" && (g.Source == "" || g.Source == source) {
			widest = append(widest, p.Effects(Client{g.Client, true}, source, base, most)...)
		}
	}
	return slices.DeleteFunc(tools.Effects(), func(e tools.Effect) bool { return !slices.Contains(widest, e) })
}

// grantTo is the nearest grant that names c, or nil. One that names the source
// too is nearer; of equals, the first.
func (p *Policy) grantTo(c Client, source string) *Grant {
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

// fitsWho says whether the rule is about this client, source, tool and effect,
// whatever the paths.
func (r Rule) fitsWho(q Request) bool {
	return glob(r.Client, q.Client.Name) && (!r.Proven || q.Client.Proven) && glob(r.Source, q.Source) && glob(r.Tool, q.Tool) &&
		(len(r.Effects) == 0 || slices.Contains(r.Effects, q.Effect)) && (r.Schema == "" || r.Schema == q.Schema)
}

func glob(pattern, name string) bool {
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

// Rules are the rules in their order.
func (p *Policy) Rules() []Rule { return slices.Clone(p.rules) }
