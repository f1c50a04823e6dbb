package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// A Request is a call to be judged, as one: with all it touches.
type Request struct {
	Client Client
	Source string
	Base   []tools.Effect // what the source grants to everybody
	Most   []tools.Effect // what it grants to anybody
	Tool   string         // its name in the System's specification
	Effect tools.Effect
	Schema string // digest of the tool's declaration
	// Targets are what the call would change; nil: not known.
	Targets []string
	// Named are the texts of the arguments, any of which may be a path.
	Named []string
	// Anything says that the call may touch what neither names.
	Anything bool
}

// A Decision is a Verdict and where it comes from.
type Decision struct {
	Verdict Verdict // Allow, Ask or Deny
	Why     string  // in words, with the rule
	Line    int     // of the configuration; 0: a default decided
	Granted bool    // false: no rule was looked at
}

// Decide judges a call. Grants come first: what is not granted is denied. Of
// the rules that fit, the gravest wins: deny before always before ask before
// allow; among equals the first. A path of deny and ask fits when one thing
// that the call touches fits it; of allow and always, when all do and they are
// known. What is unknown is denied.
func (p *Policy) Decide(q Request) Decision {
	if !slices.Contains(tools.Effects(), q.Effect) {
		return Decision{Verdict: Deny, Why: fmt.Sprintf("%q is no effect", q.Effect)}
	}
	g := p.grantTo(q.Client, q.Source)
	if !slices.Contains(p.Effects(q.Client, q.Source, q.Base, q.Most), q.Effect) {
		if g != nil && g.Effects != nil {
			return Decision{Verdict: Deny, Line: g.Line, Why: fmt.Sprintf("client %s is not granted to %s in source %s", q.Client.Name, q.Effect, q.Source)}
		}
		return Decision{Verdict: Deny, Why: fmt.Sprintf("source %s does not grant agents to %s", q.Source, q.Effect)}
	}
	found := Decision{Verdict: Allow, Why: fmt.Sprintf("source %s grants %s and no rule says otherwise", q.Source, q.Effect), Granted: true}
	gravity := -1
	for _, r := range p.rules {
		if n := gravityOf(r.Do); n > gravity && r.fits(q) {
			gravity = n
			found = Decision{Verdict: r.verdict(), Line: r.Line, Why: "rule: " + r.String(), Granted: true}
		}
	}
	if gravity < gravityOf(Ask) {
		if g := p.asks(q, g); g != nil {
			return Decision{Verdict: Ask, Line: g.Line, Why: g.whyAsk(q), Granted: true}
		}
	}
	return found
}

// gravityOf orders verdicts; one that is none is the gravest.
func gravityOf(v Verdict) int {
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

// asks is the grant that wants a person to be asked, or nil.
func (p *Policy) asks(q Request, of *Grant) *Grant {
	if of != nil && slices.Contains(of.Ask, q.Effect) {
		return of
	}
	for i, g := range p.grants {
		if g.Client == "" && (g.Source == "" || g.Source == q.Source) && slices.Contains(g.Ask, q.Effect) {
			return &p.grants[i]
		}
	}
	return nil
}

func (g *Grant) whyAsk(q Request) string {
	if g.Client != "" {
		return fmt.Sprintf("client %s asks before it may %s", g.Client, q.Effect)
	}
	return fmt.Sprintf("source %s asks before agents may %s", q.Source, q.Effect)
}

// ByPath reports whether what q touches can make a difference.
func (p *Policy) ByPath(q Request) bool {
	return slices.ContainsFunc(p.rules, func(r Rule) bool { return r.Path != "" && r.fitsWho(q) })
}

func (r Rule) fits(q Request) bool {
	if !r.fitsWho(q) {
		return false
	}
	if r.Path == "" {
		return true
	}
	mark := tools.Privacy{Exclude: []tools.PrivacyRule{{Path: clean(r.Path)}}}
	touches := func(name string) bool {
		name = clean(name)
		return mark.Hides(tools.Page{Path: strings.TrimSuffix(name, path.Ext(name)), File: name})
	}
	if gravityOf(r.Do) == gravityOf(Ask) || gravityOf(r.Do) == gravityOf(Deny) {
		return q.Anything || slices.ContainsFunc(q.Targets, touches) || slices.ContainsFunc(q.Named, touches)
	}
	return len(q.Targets) > 0 && !slices.ContainsFunc(q.Targets, func(t string) bool { return !touches(t) })
}

// clean is a path with one spelling: a/./b and /a/x/../b are a/b.
func clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
}
