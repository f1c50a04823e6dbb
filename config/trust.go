package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// A Client is one [[client]] table: what one MCP client may do in one source
// or, without Source, in every source.
type Client struct {
	Name   string // what it calls itself, or the name of its token
	Source string // empty means every source
	// Token means that the table applies only to a client that shows its token.
	Token   bool
	Effects []string // nil means what the source grants
	Ask     []string // of these, what a person must approve first
	Role    string   // in a System with roles, once it has shown its token; empty means the source's
	Elicit  *bool    // false: the client does not show approval requests, although it shows its token
	Line    int
}

// A Rule is one [[rule]] table. Empty fields match everything.
type Rule struct {
	Do      string // "allow", "always", "ask" or "deny"
	Client  string // a glob pattern, like Source, Tool and Path
	Proven  bool   // matches only clients that show their token
	Source  string
	Effects []string
	Tool    string
	Path    string
	Schema  string // digest of the tool's declaration when a person answered "always"
	Line    int
}

// maxTextBytes bounds names and patterns.
const maxTextBytes = 400

// eachTable calls read for each table of an array of tables.
func (d *decoder) eachTable(top configTable, key string, known []string, read func(t configTable, line int)) {
	v, ok := top.values[key]
	if !ok {
		return
	}
	list, ok := v.([]any)
	if !ok {
		top.wrong(key, "must be written as [[%s]], with two brackets, because there may be several", key)
		return
	}
	for i, v := range list {
		values, ok := v.(map[string]any)
		if !ok {
			top.wrong(key, "must be a list of tables")
			continue
		}
		path := fmt.Sprintf("%s[%d]", key, i)
		line, _ := tomltext.Position(d.text, d.outline.Keys[path])
		read(d.table(path, values, known...), line)
	}
}

func (d *decoder) clients(top configTable, sources []Source) (clients []Client) {
	d.eachTable(top, "client", []string{"name", "source", "token", "effects", "ask", "role", "elicit"}, func(t configTable, line int) {
		c := Client{Line: line}
		c.Name, _ = t.text("name")
		c.Source, _ = t.text("source")
		if t.values["name"] == nil {
			t.fault(t.path, t.outline.Keys[t.path], "name is missing; it is what the client calls itself, such as \"claude-code\"")
		}
		if err := CheckName(c.Source); c.Source != "" && err != nil {
			t.wrong("source", "%v", err)
		}
		t.noticeNoSource(c.Source, sources)
		t.bool("token", &c.Token)
		if t.values["elicit"] != nil {
			c.Elicit = new(bool)
			t.bool("elicit", c.Elicit)
			if *c.Elicit {
				t.notice(tomltext.Under(t.path, "elicit"), "true has no effect: a client shows approval requests once it shows its token, which "+
					"`lectern client install` gives it; remove this line")
			}
		}
		c.Effects, c.Ask = t.effects("effects", false), t.effects("ask", false)
		if t.values["role"] != nil {
			c.Role = t.role(d.schema.rolesIn(sources, c.Source))
		}
		i := slices.IndexFunc(clients, func(o Client) bool { return strings.EqualFold(o.Name, c.Name) && o.Source == c.Source })
		if i >= 0 && c.Name != "" {
			t.wrong("name", "%s already has a table for the same source in line %d; remove one of the two", c.Name, clients[i].Line)
		}
		clients = append(clients, c)
	})
	return clients
}

// noticeNoSource notes that a table is for a source that the file does not have:
// what it forbids, nothing forbids. It is no fault, because the table of a source
// that was removed may wait for it. Without sources in the file a sample is
// served, which it may be about.
func (t configTable) noticeNoSource(name string, sources []Source) {
	if name == "" || len(sources) == 0 || slices.ContainsFunc(sources, func(s Source) bool { return s.Name == name }) {
		return
	}
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name
	}
	t.notice(tomltext.Under(t.path, "source"),
		unknownWord("source", name, names)+", so the table has no effect; correct the name or remove the table")
}

// rolesIn are the roles that a client may have in a source, or in any if source
// is empty.
func (s Schema) rolesIn(sources []Source, source string) (none string, roles []string) {
	for _, each := range sources {
		if source == "" || each.Name == source {
			roles = append(roles, s.Roles[each.Kind]...)
		}
	}
	if source == "" {
		return "no source has roles", roles
	}
	return fmt.Sprintf("source %s has no roles", source), roles
}

func (d *decoder) rules(top configTable) (rules []Rule) {
	d.eachTable(top, "rule", []string{"do", "client", "proven", "source", "effects", "tool", "path", "schema"}, func(t configTable, line int) {
		r := Rule{Line: line}
		r.Do, _ = t.text("do")
		switch {
		case t.values["do"] == nil:
			t.fault(t.path, t.outline.Keys[t.path], "do is missing (allowed: %s)", strings.Join(d.schema.Verdicts, ", "))
		case r.Do != "" && !slices.Contains(d.schema.Verdicts, r.Do):
			t.wrong("do", "%s", unknownWord("verdict", r.Do, d.schema.Verdicts))
		}
		r.Client, r.Source, r.Tool, r.Path = t.glob("client"), t.glob("source"), t.glob("tool"), t.glob("path")
		r.Schema, _ = t.string("schema")
		t.bool("proven", &r.Proven)
		if r.Client != "" && !r.Proven && (r.Do == "allow" || r.Do == "always") {
			t.notice(tomltext.Under(t.path, "client"),
				fmt.Sprintf("a name that is only claimed gains nothing: this rule is for %s once it shows its token, "+
					"which `lectern client install` gives it; add proven = true to say so", r.Client))
		}
		r.Effects = t.effects("effects", false)
		if t.values["effects"] != nil && len(r.Effects) == 0 {
			t.wrong("effects", "is empty; remove the key to match all effects")
		}
		if r.Do == "always" && (r.Source == "" || r.Tool == "" && r.Path == "") {
			t.wrong("do", "always needs source, and tool or path, because matching calls are no longer asked about")
		}
		rules = append(rules, r)
	})
	return rules
}

// text reads a string that is not empty.
func (t configTable) text(key string) (string, bool) {
	s, ok := t.string(key)
	switch {
	case !ok:
		return "", false
	case s == "" || len(s) > maxTextBytes || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }):
		t.wrong(key, "must be one line of 1 to %d bytes", maxTextBytes)
		return "", false
	}
	return s, true
}

func (t configTable) glob(key string) string {
	s, ok := t.text(key)
	if !ok {
		return ""
	}
	for part := range strings.SplitSeq(s, "/") {
		if _, err := path.Match(part, ""); err != nil {
			t.wrong(key, "%q is not a valid pattern: * matches any characters, ? one, [a-z] one in a range", s)
			return ""
		}
	}
	return s
}
