package hub

import (
	"cmp"
	"slices"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// access is what some client may do in one source.
type access struct {
	effects []tools.Effect
	role    string // one of its System's; empty: the System has none
	// anyRole stands for all roles, to list what some client may see.
	anyRole bool
	// optIn shows tools that no configuration names, to a person.
	optIn bool
}

// An accessFunc is what clients with the same toolset may do in a source.
type accessFunc func(*source) access

// defaultAccess is that of a client that no grant names.
func (s *source) defaultAccess() access { return access{effects: s.effects, role: s.defaultRole()} }

// personAccess is that of the person at this machine.
func (s *source) personAccess() access {
	a := s.defaultAccess()
	a.optIn = true
	return a
}

// accessOf is what a client may do in the source.
func (s *source) accessOf(p *policy.Policy, who policy.Client) access {
	a := access{effects: p.Effects(who, s.conf.Name, s.effects, s.maxEffects()), role: s.defaultRole()}
	if s.kind == nil {
		return a
	}
	if role := p.Role(who, s.conf.Name); s.kindDeclaresRole(role) {
		a.role = role
	}
	return a
}

// kindDeclaresRole reports whether the System declares a role of this name.
func (s *source) kindDeclaresRole(name string) bool {
	return slices.ContainsFunc(s.kind.Manifest().Roles, func(r tools.Role) bool { return r.Name == name })
}

// widestAccess is what some client may do in the source.
func (s *source) widestAccess(p *policy.Policy) access {
	return access{effects: p.WidestEffects(s.conf.Name, s.effects, s.maxEffects()), anyRole: true}
}

// defaultRole is the role of every client that was assigned none; empty: the System
// has no roles.
func (s *source) defaultRole() string {
	if s.kind == nil || len(s.kind.Manifest().Roles) == 0 {
		return ""
	}
	return cmp.Or(s.conf.Role, s.kind.Manifest().Roles[0].Name)
}

// allowsTool reports whether a client with this access may call a tool.
func (a access) allowsTool(t tools.ToolInfo) bool {
	return slices.Contains(a.effects, t.Effect) && (a.anyRole || t.AllowsRole(a.role))
}

// listsTool reports whether a tool is shown in the source to those who are granted it.
func (s *source) listsTool(t tools.ToolInfo, a access) bool {
	return !t.Unlisted && (!t.OptIn || a.optIn || s.conf.AllTools || slices.Contains(s.conf.Tools, t.Name))
}

// maxEffects is what no grant to a client goes beyond.
func (s *source) maxEffects() []tools.Effect {
	if s.conf.ReadOnly {
		return []tools.Effect{tools.Reads}
	}
	return tools.Effects()
}
