package policy_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

var (
	all  = tools.Effects()
	base = []tools.Effect{tools.Reads, tools.Writes, tools.Deletes, tools.Runs}
	me   = policy.Client{Name: "claude-code"}
)

func ask(effect tools.Effect, change func(*policy.Request)) policy.Request {
	q := policy.Request{Client: me, Source: "notes", SourceEffects: base, MaxEffects: all, Tool: "write_page", Effect: effect}
	if change != nil {
		change(&q)
	}
	return q
}

// What a source grants and nothing is said about is allowed, and what is unknown
// is denied.
func TestDefaults(t *testing.T) {
	p := policy.New(nil, nil)
	for _, e := range base {
		if d := p.Decide(ask(e, nil)); d.Verdict != policy.Allow {
			t.Errorf("%s: %+v", e, d)
		}
	}
	for _, e := range []tools.Effect{tools.Admin, "", "raed"} {
		if d := p.Decide(ask(e, nil)); d.Verdict != policy.Deny {
			t.Errorf("%s: %+v", e, d)
		}
	}
	if d := policy.New(nil, []policy.Rule{{Do: "alow"}}).Decide(ask(tools.Reads, nil)); d.Verdict != policy.Deny {
		t.Errorf("a rule that says nothing we know: %+v", d)
	}
}

func TestDecide(t *testing.T) {
	write := []tools.Effect{tools.Writes}
	defaults := slices.Clip([]policy.Grant{{Source: "notes", Ask: []tools.Effect{tools.Writes, tools.Deletes}, Default: true}})
	proven := func(q *policy.Request) { q.Client.Proven = true }
	targets := func(names ...string) func(*policy.Request) {
		return func(q *policy.Request) { q.Targets = names }
	}
	for _, c := range []struct {
		name   string
		grants []policy.Grant
		rules  []policy.Rule
		q      policy.Request
		want   policy.Verdict
		line   int
	}{
		{"deny beats an earlier allow", nil, []policy.Rule{{Do: policy.Allow, Line: 1}, {Do: policy.Deny, Line: 2}, {Do: policy.Deny, Line: 3}}, ask(tools.Writes, nil), policy.Deny, 2},
		{"ask beats allow", nil, []policy.Rule{{Do: policy.Allow, Line: 1}, {Do: policy.Ask, Line: 2}}, ask(tools.Writes, nil), policy.Ask, 2},
		{"an answer for good beats ask", nil, []policy.Rule{{Do: policy.Ask, Line: 1}, {Do: policy.Always, Line: 2}}, ask(tools.Writes, nil), policy.Allow, 2},
		{"deny beats an answer for good", nil, []policy.Rule{{Do: policy.Always, Line: 1}, {Do: policy.Deny, Line: 2}}, ask(tools.Writes, nil), policy.Deny, 2},
		{"first of equals", nil, []policy.Rule{{Do: policy.Ask, Line: 4}, {Do: policy.Ask, Line: 5}}, ask(tools.Writes, nil), policy.Ask, 4},
		{"another client", nil, []policy.Rule{{Do: policy.Deny, Client: "cur*"}}, ask(tools.Writes, nil), policy.Allow, 0},
		{"letter case", nil, []policy.Rule{{Do: policy.Deny, Client: "Claude*", Line: 1}}, ask(tools.Writes, nil), policy.Deny, 1},
		{"another tool", nil, []policy.Rule{{Do: policy.Deny, Tool: "delete_*"}}, ask(tools.Writes, nil), policy.Allow, 0},
		{"proof is missing", nil, []policy.Rule{{Do: policy.Ask, Line: 1}, {Do: policy.Always, Proven: true}}, ask(tools.Writes, nil), policy.Ask, 1},
		{"another declaration", nil, []policy.Rule{{Do: policy.Ask, Line: 1}, {Do: policy.Always, ToolDigest: "ab"}}, ask(tools.Writes, nil), policy.Ask, 1},
		{"one of many paths is denied", nil, []policy.Rule{{Do: policy.Deny, Path: "Private/**", Line: 1}}, ask(tools.Writes, targets("a.md", "private/b.md")), policy.Deny, 1},
		{"a path that turns back", nil, []policy.Rule{{Do: policy.Deny, Path: "Private/**", Line: 1}}, ask(tools.Reads, func(q *policy.Request) { q.Texts = []string{"journal/../Private/x"} }), policy.Deny, 1},
		{"a path of another system", nil, []policy.Rule{{Do: policy.Deny, Path: "Private/**", Line: 1}}, ask(tools.Reads, func(q *policy.Request) { q.Texts = []string{`Private\x.md`} }), policy.Deny, 1},
		{"a rule with a path of another system", nil, []policy.Rule{{Do: policy.Deny, Path: `Private\**`, Line: 1}}, ask(tools.Reads, targets("Private/x.md")), policy.Deny, 1},
		{"all must be allowed", nil, []policy.Rule{{Do: policy.Ask, Line: 1}, {Do: policy.Always, Path: "Inbox/**", Line: 2}}, ask(tools.Writes, targets("Inbox/a.md", "b.md")), policy.Ask, 1},
		{"all are allowed", nil, []policy.Rule{{Do: policy.Ask, Line: 1}, {Do: policy.Always, Path: "Inbox/**", Line: 2}}, ask(tools.Writes, targets("Inbox/a.md", "Inbox/b.md")), policy.Allow, 2},
		{"nobody knows what it touches", nil, []policy.Rule{{Do: policy.Ask, Line: 1}, {Do: policy.Always, Path: "**", Line: 2}}, ask(tools.Writes, nil), policy.Ask, 1},
		{"it may touch anything", nil, []policy.Rule{{Do: policy.Deny, Path: "x", Line: 1}}, ask(tools.Writes, func(q *policy.Request) { q.TextsIncomplete = true }), policy.Deny, 1},
		{"a source asks", []policy.Grant{{Source: "notes", Ask: write, Line: 7}}, []policy.Rule{{Do: policy.Allow}}, ask(tools.Writes, nil), policy.Ask, 7},
		{"another source asks", []policy.Grant{{Source: "work", Ask: write}}, nil, ask(tools.Writes, nil), policy.Allow, 0},
		{"a client asks", []policy.Grant{{Client: "Claude-Code", Ask: write, Line: 8}}, nil, ask(tools.Writes, nil), policy.Ask, 8},
		{"a source asks and an answer is there", []policy.Grant{{Source: "notes", Ask: write}}, []policy.Rule{{Do: policy.Always, Source: "notes", Line: 9}}, ask(tools.Writes, nil), policy.Allow, 9},
		{"the default asks agents", defaults, nil, ask(tools.Writes, nil), policy.Ask, 0},
		{"the default asks about nothing else", defaults, nil, ask(tools.Runs, nil), policy.Allow, 0},
		{"the default does not ask a person", defaults, nil, ask(tools.Writes, func(q *policy.Request) { q.Person = true }), policy.Allow, 0},
		{"a rule overrides the default", defaults, []policy.Rule{{Do: policy.Allow, Tool: "write_page", Line: 3}}, ask(tools.Writes, nil), policy.Allow, 3},
		{"a rule of another path does not", defaults, []policy.Rule{{Do: policy.Allow, Path: "Inbox/**"}}, ask(tools.Writes, targets("Private/a.md")), policy.Ask, 0},
		{"a grant to a proven client overrides it", append(defaults, policy.Grant{Client: "claude-code", Effects: write, Line: 4}), nil, ask(tools.Writes, proven), policy.Allow, 0},
		{"a grant to a claimed name does not", append(defaults, policy.Grant{Client: "claude-code", Effects: write}), nil, ask(tools.Writes, nil), policy.Ask, 0},
		{"a grant of a role does not", append(defaults, policy.Grant{Client: "claude-code", Role: "gm"}), nil, ask(tools.Writes, proven), policy.Ask, 0},
		{"not granted", []policy.Grant{{Client: "claude-code", Effects: []tools.Effect{tools.Reads}, Line: 3}}, []policy.Rule{{Do: policy.Always}}, ask(tools.Writes, nil), policy.Deny, 3},
		{"the nearer grant", []policy.Grant{{Client: "claude-code", Effects: []tools.Effect{}}, {Client: "claude-code", Source: "notes", Effects: write}}, nil, ask(tools.Writes, nil), policy.Allow, 0},
	} {
		if d := policy.New(c.grants, c.rules).Decide(c.q); d.Verdict != c.want || d.Line != c.line || d.Reason == "" {
			t.Errorf("%s: %+v, want %s by line %d", c.name, d, c.want, c.line)
		}
	}
}

// A name that is only claimed can lose by its grants and never win.
func TestClaimNeverWidens(t *testing.T) {
	reads := []tools.Effect{tools.Reads}
	p := policy.New([]policy.Grant{{Client: "claude-code", Effects: all}, {Client: "cursor", Token: true, Effects: all}}, nil)
	for _, c := range []struct {
		client policy.Client
		want   []tools.Effect
	}{
		{policy.Client{Name: "claude-code"}, reads},
		{policy.Client{Name: "claude-code", Proven: true}, all},
		{policy.Client{Name: "cursor"}, reads},
		{policy.Client{Name: "Cursor", Proven: true}, all},
		{policy.Client{Name: "another", Proven: true}, reads},
	} {
		if d := cmp.Diff(c.want, p.Effects(c.client, "notes", reads, all)); d != "" {
			t.Errorf("%+v: %s", c.client, d)
		}
	}
	if got := p.Effects(policy.Client{Name: "cursor", Proven: true}, "notes", reads, reads); !slices.Equal(got, reads) {
		t.Errorf("a read-only source grants %v", got)
	}
	if got := p.WidestEffects("notes", reads, all); !slices.Equal(got, all) {
		t.Errorf("widest: %v", got)
	}
	asks := []policy.Grant{{Source: "notes", Ask: []tools.Effect{tools.Writes}, Default: true}, {Client: "claude-code", Elicit: new(true)}}
	for _, do := range []policy.Verdict{policy.Allow, policy.Always} {
		for _, pattern := range []string{"claude-code", "c*", "*"} {
			p := policy.New(asks, []policy.Rule{{Do: do, Client: pattern, Source: "notes", Tool: "write_page"}})
			for _, proven := range []bool{true, false} {
				c := policy.Client{Name: "claude-code", Proven: proven}
				if got := p.Decide(ask(tools.Writes, func(q *policy.Request) { q.Client = c })).Verdict; (got == policy.Allow) != proven {
					t.Errorf("%s client=%s, proven %v: %s", do, pattern, proven, got)
				}
				if p.MayElicit(c, "notes") != proven {
					t.Errorf("elicit = true lets one ask its own user that is proven %v", proven)
				}
			}
		}
	}
}

// Whatever the rules and their order: a rule that denies and fits denies, else
// an answer for good counts, else one that asks asks.
func TestPrecedence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	for range 5_000 {
		rules := make([]policy.Rule, r.IntN(6))
		for i := range rules {
			rules[i] = policy.Rule{
				Do:     policy.Verdicts()[r.IntN(4)],
				Client: pick("", "", "claude-code", "c*", "cursor"),
				Source: pick("", "", "notes", "work"),
				Tool:   pick("", "", "write_*", "read_*"),
				Path:   pick("", "", "a/**", "b/**"),
			}
		}
		q := ask(tools.Writes, func(q *policy.Request) { q.Targets = []string{pick("a/x", "b/x"), pick("a/x", "c/x")} })
		got := policy.New(nil, rules).Decide(q).Verdict
		want := policy.Allow
		for _, v := range []policy.Verdict{policy.Ask, policy.Always, policy.Deny} {
			for _, one := range rules {
				alone := policy.New(nil, []policy.Rule{{Do: policy.Ask, Tool: "write_page"}, one})
				fits := alone.Decide(q).Verdict
				switch {
				case one.Do != v:
				case v == policy.Always && fits == policy.Allow:
					want = policy.Allow
				case v == policy.Deny && fits == policy.Deny, v == policy.Ask && policy.New(nil, []policy.Rule{one}).Decide(q).Verdict == policy.Ask:
					want = v
				}
			}
		}
		if got != want {
			t.Fatalf("%+v\nof %v: %s, want %s", rules, q.Targets, got, want)
		}
	}
}

func TestDigest(t *testing.T) {
	a := policy.New(nil, []policy.Rule{{Do: policy.Ask, Line: 1}})
	b := policy.New(nil, []policy.Rule{{Do: policy.Ask, Line: 9}})
	c := policy.New(nil, []policy.Rule{{Do: policy.Deny, Line: 1}})
	if a.Digest() != b.Digest() || a.Digest() == c.Digest() {
		t.Error("a digest is of what is said, wherever it stands")
	}
}

func TestNamed(t *testing.T) {
	got, whole := policy.ArgumentTexts(map[string]any{"page": "a", "more": []any{map[string]any{"to": "b"}, 1.0, nil}})
	if d := cmp.Diff([]string{"more", "to", "b", "page", "a"}, got); d != "" || !whole {
		t.Error(d, whole)
	}
	if _, whole := policy.ArgumentTexts(nil); whole {
		t.Error("arguments that are not an object are listed completely")
	}
}

// What the configuration does not say is decided in one place.
func TestSourceDefault(t *testing.T) {
	for _, c := range []struct {
		name         string
		readOnly     bool
		effects, ask []tools.Effect
		want         string
	}{
		{"nothing is said", false, nil, nil, "may read and run and need your approval to write or delete"},
		{"read-only", true, nil, []tools.Effect{tools.Writes}, "may read"},
		{"effects", false, []tools.Effect{tools.Deletes, tools.Reads}, nil, "may read and delete"},
		{"asks", false, nil, []tools.Effect{tools.Runs}, "may read, write and delete and need your approval to run"},
		{"asks nothing", false, nil, []tools.Effect{}, "may read, write, delete and run"},
		{"asks what is not granted", false, []tools.Effect{tools.Reads}, []tools.Effect{tools.Admin}, "may read"},
		{"nothing", false, []tools.Effect{}, nil, "may do nothing"},
		{"admin", false, []tools.Effect{tools.Admin}, []tools.Effect{tools.Admin}, "need your approval to admin"},
	} {
		if got := policy.DescribeEffects(policy.ResolveSourceEffects(c.readOnly, c.effects, c.ask)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// What is asked says which setting would allow it.
func TestSetting(t *testing.T) {
	some := []tools.Effect{tools.Writes, tools.Deletes}
	for _, c := range []struct {
		grant policy.Grant
		rules []policy.Rule
		want  string
	}{
		{policy.Grant{Source: "notes", Ask: some, Default: true}, nil, "run `lectern grant all notes read write delete run --ask delete`"},
		{policy.Grant{Ask: some[:1]}, nil, "run `lectern grant all all read write delete run`"},
		{policy.Grant{Client: me.Name, Effects: some, Ask: some}, nil, "run `lectern grant claude-code all write delete --ask delete`"},
		{policy.Grant{}, []policy.Rule{{Do: policy.Ask, Line: 7}}, "change the [[rule]] in line 7 of the configuration"},
		{policy.Grant{}, nil, ""},
	} {
		if d := policy.New([]policy.Grant{c.grant}, c.rules).Decide(ask(tools.Writes, nil)); d.Setting != c.want {
			t.Errorf("%+v %v: %q, want %q", c.grant, c.rules, d.Setting, c.want)
		}
	}
}
