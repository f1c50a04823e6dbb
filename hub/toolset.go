package hub

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// A toolset is what clients with the same grants see in one scope. It depends
// only on the configuration, never on whether a source is open, so that an
// agent's list does not flicker and its bytes stay the same.
type toolset struct {
	sources   []*source // in the order of the configuration
	access    accessFunc
	tools     map[string]*tool
	prompts   map[string]*prompt
	resources []resource
	withheld  []*tool // for own changes, which no source grants
	published *mcp.Toolset
}

// A tool is a published tool: a System's, or the hub's own for its sources.
type tool struct {
	name       string // as published
	info       tools.ToolInfo
	digest     string // of its declaration
	kind       tools.Kind
	choice     sourceArgument
	ownChanges *tools.Tool[tools.OwnChanges] // nil: a System's
}

type prompt struct {
	name   string
	info   tools.PromptInfo
	choice sourceArgument
}

type resource struct {
	name   string
	info   tools.ResourceInfo // of its source
	source *source
}

// A sourceArgument is the argument that names the source of a call.
type sourceArgument struct {
	sources  []*source // every source of the System in scope
	argument string    // "source", or "lectern_source" where the System has one of that name
	offered  bool      // published: there are several to choose from
	names    []string  // of the sources that grant it
}

// newToolset makes the toolset; with ownChanges it has the tools for an agent's
// own Changes.
func newToolset(sources []*source, access accessFunc, ownChanges bool) *toolset {
	v := &toolset{sources: sources, access: access, tools: map[string]*tool{}, prompts: map[string]*prompt{}}
	systems := groupBySystem(sources)
	for _, of := range systems {
		v.addTools(of, len(systems) > 1)
		v.addPrompts(of, len(systems) > 1)
	}
	if ownChanges {
		v.addOwnChangesTools(len(systems) > 1)
	}
	for _, s := range sources {
		v.addResources(s, len(sources) > 1)
	}
	v.published = v.toMCPToolset()
	return v
}

// toMCPToolset is v as agents are shown it.
func (v *toolset) toMCPToolset() *mcp.Toolset {
	set := &mcp.Toolset{Tools: map[string]mcp.Tool{}, Prompts: map[string]tools.PromptInfo{}}
	for name, t := range v.tools {
		set.Tools[name] = mcp.Tool{ToolInfo: t.declaration(), ErrorFormat: t.kind.Manifest().ErrorFormat}
	}
	for name, p := range v.prompts {
		info := p.info
		info.Name = name
		if p.choice.offered {
			info.Arguments = append(slices.Clone(info.Arguments),
				tools.PromptArgument{Name: p.choice.argument, Doc: "which source; there are several of this kind"})
		}
		set.Prompts[name] = info
	}
	for _, r := range v.resources {
		info := r.info
		info.Name = r.name
		set.Resources = append(set.Resources, info)
	}
	return set
}

// declaration is the tool as published.
func (t *tool) declaration() tools.ToolInfo {
	info := t.info
	info.Name, info.In = t.name, t.choice.addToSchema(t.info.In)
	return info
}

// grantsEffectInSource reports whether an effect is granted in a source.
func (v *toolset) grantsEffectInSource(s *source, e tools.Effect) bool {
	return slices.Contains(v.access(s).effects, e)
}

// addTools adds those tools of a System that clients may call in at least one
// source.
func (v *toolset) addTools(of []*source, several bool) {
	m := of[0].kind.Manifest()
	for _, info := range m.Tools {
		granting := slices.DeleteFunc(slices.Clone(of), func(s *source) bool {
			a := v.access(s)
			return !s.listsTool(info, a) || !a.allowsTool(info)
		})
		if len(granting) == 0 {
			continue
		}
		_, taken := info.In.Properties["source"]
		t := &tool{
			name: publishedName(m.Name, info.Name, several), info: info, digest: policy.ToolDigest(info),
			kind: of[0].kind, choice: newSourceArgument(of, granting, taken),
		}
		t.info.LeavesMachine = slices.ContainsFunc(granting, func(s *source) bool { return s.isOptionSet(m.RemoteKey) })
		if _, clash := v.tools[t.name]; clash {
			t.name = m.Name + "_" + info.Name
		}
		v.tools[t.name] = t
	}
}

func (v *toolset) addPrompts(of []*source, several bool) {
	m := of[0].kind.Manifest()
	for _, info := range m.Prompts {
		taken := slices.ContainsFunc(info.Arguments, func(a tools.PromptArgument) bool { return a.Name == "source" })
		p := &prompt{name: publishedName(m.Name, info.Name, several), info: info, choice: newSourceArgument(of, of, taken)}
		v.prompts[p.name] = p
	}
}

func (v *toolset) addResources(s *source, several bool) {
	if s.kind == nil || !v.grantsEffectInSource(s, tools.Reads) {
		return
	}
	for _, info := range s.kind.Manifest().Resources {
		r := resource{name: info.Name, info: info.ForSource(s.conf.Name), source: s}
		if several {
			r.name = s.conf.Name + "/" + info.Name // mcp-go sorts by name, which must not tie
		}
		v.resources = append(v.resources, r)
	}
}

// groupBySystem groups sources by System, Systems sorted by name.
func groupBySystem(sources []*source) [][]*source {
	groups := map[string][]*source{}
	for _, s := range sources {
		if s.kind != nil {
			groups[s.conf.Kind] = append(groups[s.conf.Kind], s)
		}
	}
	var sorted [][]*source
	for _, system := range slices.Sorted(maps.Keys(groups)) {
		sorted = append(sorted, groups[system])
	}
	return sorted
}

// publishedName is the specification's name as it is where a session exposes
// one System, and prefixed with the System's where it exposes several. Names
// that carry their System already, in the form `org-agenda`, stay.
func publishedName(system, name string, several bool) string {
	if !several || strings.Contains(name, "-") || strings.HasPrefix(name, system+"_") {
		return name
	}
	return system + "_" + name
}

func newSourceArgument(of, granting []*source, taken bool) sourceArgument {
	c := sourceArgument{sources: of, argument: "source", offered: len(of) > 1}
	if taken {
		c.argument = "lectern_source"
	}
	for _, s := range granting {
		c.names = append(c.names, s.conf.Name)
	}
	return c
}

// extractSource finds the source that the arguments name and takes the choice out of
// them.
func (c sourceArgument) extractSource(a arguments) (*source, arguments, error) {
	given, chosen := a.parsedObject()[c.argument]
	if !chosen {
		s, err := c.findSource("")
		if err != nil && a.invalid != nil {
			err = a.invalid
		}
		return s, a, err
	}
	name, ok := given.(string)
	if !ok && given != nil {
		return nil, a, tools.Errorf(tools.Invalid, "%s: must be a string", c.argument).WithHint("Name one of %s.", strings.Join(c.names, ", "))
	}
	rest, err := a.without(c.argument)
	if err != nil {
		return nil, a, tools.Errorf(tools.Invalid, "arguments: %w", err)
	}
	s, err := c.findSource(name)
	return s, rest, err
}

func (c sourceArgument) findSource(name string) (*source, error) {
	i := slices.IndexFunc(c.sources, func(s *source) bool { return s.conf.Name == name })
	switch {
	case name == "" && len(c.sources) == 1:
		return c.sources[0], nil
	case name == "":
		return nil, tools.Errorf(tools.Invalid, "%s: several sources have this; name one of %s", c.argument, strings.Join(c.names, ", "))
	case i < 0:
		return nil, tools.Errorf(tools.Invalid, "%s: no source named %q here; name one of %s", c.argument,
			safetext.Shorten(name, mcp.MaxNameBytes),
			strings.Join(c.names, ", "))
	}
	return c.sources[i], nil
}

// completeName completes the name of a source.
func (c sourceArgument) completeName(prefix string) []string {
	return slices.DeleteFunc(slices.Clone(c.names), func(n string) bool { return !strings.HasPrefix(n, prefix) })
}

// maxPublishedNames is up to how many sources every tool names.
const maxPublishedNames = 50

// addToSchema is in with the choice added, if it is offered.
func (c sourceArgument) addToSchema(in *jsonschema.Schema) *jsonschema.Schema {
	if !c.offered {
		return in
	}
	with := in.CloneSchemas()
	if with.Properties == nil {
		with.Properties = map[string]*jsonschema.Schema{}
	}
	which := &jsonschema.Schema{Type: "string", Description: "which source; there are several of this kind"}
	if n := len(c.names); n > maxPublishedNames { // each tool has them, in every request
		which.Description = fmt.Sprintf("which source; there are %d of this kind, such as %s; an error names them all", n,
			strings.Join(c.names[:3], ", "))
	} else {
		for _, name := range c.names {
			which.Enum = append(which.Enum, name)
		}
	}
	with.Properties[c.argument] = which
	with.PropertyOrder = append(slices.Clone(with.PropertyOrder), c.argument)
	return with
}

func (v *toolset) includesSource(s *source) bool { return slices.Contains(v.sources, s) }

// resourcesMatching lists the resources that may answer uri, in the order of the
// configuration: more than one only where their URIs name no source.
func (v *toolset) resourcesMatching(uri string) []resource {
	var found []resource
	for _, r := range v.resources {
		if (len(found) == 0 || r.info.Shared && r.source != found[len(found)-1].source) && r.info.Matches(uri) {
			found = append(found, r)
		}
	}
	return found
}
