package toolstest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/yosida95/uritemplate/v3"

	"github.com/lectern-mcp/lectern/tools"
)

var (
	systemName   = regexp.MustCompile(`^[a-z]+$`)
	toolName     = regexp.MustCompile(`^[a-z][a-z0-9]*([_-][a-z0-9]+)*$`)
	argumentName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

// maxToolName is the maximum length of a name with its prefix: clients add a
// prefix of their own and refuse names longer than 64.
const maxToolName = 48

// CheckDeclaration checks that every MCP client can read a declaration: some
// drop the whole list of tools for one schema that they do not understand.
func CheckDeclaration(r Reporter, m *tools.Manifest) {
	r.Helper()
	if !systemName.MatchString(m.Name) {
		r.Errorf("system %q: a name must be lower case letters", m.Name)
	}
	checkDescription(r, "system "+m.Name, m.Title, m.Doc)
	if missing := m.ErrorFormat.MissingCodes(); len(missing) > 0 {
		r.Errorf("system %s: the error format has no word for %v", m.Name, missing)
	}
	roles := map[string]bool{}
	for _, role := range m.Roles {
		if !systemName.MatchString(role.Name) || roles[role.Name] || role.Doc == "" {
			r.Errorf("role %q: a name must be lower case letters and unique, and have a description", role.Name)
		}
		roles[role.Name] = true
	}
	seen := map[string]bool{}
	for _, t := range m.Tools {
		for _, role := range t.Roles {
			if !roles[role] {
				r.Errorf("tool %s is for the role %q, which is not declared", t.Name, role)
			}
		}
		if seen[t.Name] {
			r.Errorf("tool %s is declared twice", t.Name)
		}
		seen[t.Name] = true
		checkTool(r, m.Name, t)
	}
	checkResources(r, m)
	checkPrompts(r, m)
	checkConfigKeys(r, m)
	checkSample(r, m)
	checkEnvironment(r, m)
	checkRouteTable(r, m)
}

func checkDescription(r Reporter, what, title, text string) {
	r.Helper()
	if title == "" {
		r.Errorf("%s: has no title", what)
	}
	summary, _, _ := strings.Cut(text, "\n")
	if !strings.HasSuffix(summary, ".") {
		r.Errorf("%s: the first line of its text must be a summary that ends in a full stop: %q", what, summary)
	}
}

func checkTool(r Reporter, system string, t tools.ToolInfo) {
	r.Helper()
	what := "tool " + t.Name
	if !toolName.MatchString(t.Name) || len(system)+1+len(t.Name) > maxToolName {
		r.Errorf("%s: a name must be words of lower case letters and digits joined by _ or -, at most %d bytes with the prefix %s_", what,
			maxToolName, system)
	}
	checkDescription(r, what, t.Title, t.Doc)
	if !slices.Contains(tools.Effects(), t.Effect) {
		r.Errorf("%s: unknown effect %q", what, t.Effect)
	}
	if t.Additive && t.Effect != tools.Writes {
		r.Errorf("%s: only a tool that writes is additive, not one with the effect %q", what, t.Effect)
	}
	for i, c := range t.Errors {
		if !slices.Contains(tools.Codes(), c) || slices.Contains(t.Errors[:i], c) {
			r.Errorf("%s: error code %q is unknown or listed twice", what, c)
		}
	}
	if len(t.Examples) == 0 {
		r.Errorf("%s: has no example", what)
	}
	for _, x := range t.Examples {
		if x.Purpose == "" {
			r.Errorf("%s: example %s has no purpose", what, x.In)
		}
	}
	if _, taken := t.In.Properties["source"]; taken {
		r.Errorf(`%s: the argument "source" is added where several sources are published; name yours differently`, what)
	}
	if dry := t.DryRunArgument(); dry != "" && (t.In.Properties[dry].Type != "boolean" || slices.Contains(t.In.Required, dry)) {
		r.Errorf("%s: %s must be an optional boolean", what, dry)
	}
	checkSchema(r, what+": input", t.In)
	checkSchema(r, what+": output", t.Out)
}

// checkSchema checks a schema and those inside it.
func checkSchema(r Reporter, what string, s *jsonschema.Schema) {
	r.Helper()
	switch {
	case len(s.Types) > 0:
		r.Errorf("%s: its type is a list, %v, which some clients refuse", what, s.Types)
	case s.Type == "":
		r.Errorf("%s: has no type, for which some clients refuse all tools", what)
	case s.Type == "array" && s.Items == nil:
		r.Errorf("%s: does not say what its entries are, for which some clients refuse all tools", what)
	}
	if len(s.AnyOf)+len(s.OneOf)+len(s.AllOf) > 0 || s.Not != nil || s.If != nil {
		r.Errorf("%s: anyOf, oneOf, allOf, not and if are understood by few clients; declare one type", what)
	}
	if s.Ref != "" || len(s.Defs) > 0 {
		r.Errorf("%s: $ref and $defs are understood by few clients; declare a type that does not contain itself", what)
	}
	for name, p := range s.Properties {
		path := what + "." + name
		if !argumentName.MatchString(name) {
			r.Errorf("%s: a name must be letters, digits, _ and -", path)
		}
		if p.Description == "" {
			r.Errorf("%s: has no description", path)
		}
		checkSchema(r, path, p)
	}
	if s.Items != nil {
		checkSchema(r, what+"[]", s.Items)
	}
	if a := s.AdditionalProperties; a != nil && a.Not == nil {
		checkSchema(r, what+".*", a)
	}
}

func checkResources(r Reporter, m *tools.Manifest) {
	r.Helper()
	seen := map[string]bool{}
	for _, res := range m.Resources {
		what := "resource " + res.Name
		if seen[res.Name] {
			r.Errorf("%s is declared twice", what)
		}
		seen[res.Name] = true
		checkDescription(r, what, res.Title, res.Doc)
		if res.MIME == "" {
			r.Errorf("%s: has no MIME type", what)
		}
		if !res.Shared && !strings.Contains(res.URI, "{source}") {
			r.Errorf("%s: its URI %s has no {source}, so two sources would collide", what, res.URI)
		}
		if _, err := uritemplate.New(res.URI); err != nil {
			r.Errorf("%s: its URI %s is not a template: %v", what, res.URI, err)
		}
		if res.Listed && strings.Count(res.ForSource("one").URI, "{") != 1 {
			r.Errorf("%s: it is listed, so its URI %s must have one variable", what, res.URI)
		}
	}
}

func checkPrompts(r Reporter, m *tools.Manifest) {
	r.Helper()
	seen := map[string]bool{}
	for _, p := range m.Prompts {
		what := "prompt " + p.Name
		if seen[p.Name] {
			r.Errorf("%s is declared twice", what)
		}
		seen[p.Name] = true
		checkDescription(r, what, p.Title, p.Doc)
		for _, a := range p.Arguments {
			if a.Doc == "" || !argumentName.MatchString(a.Name) {
				r.Errorf("%s: argument %q needs a plain name and a description", what, a.Name)
			}
		}
	}
}
