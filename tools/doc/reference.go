package doc

import (
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// table writes the properties of a schema as a table; nothing if there are none.
func (p *page) table(heading string, s *jsonschema.Schema) bool {
	rows := schemaRows(s)
	if len(rows) == 0 {
		return false
	}
	p.add("| %s | type | |\n| --- | --- | --- |\n", heading)
	for _, r := range rows {
		p.add("| `%s`%s | %s | %s |\n", r.Name, optional(r.Optional), cell(r.Type), cell(r.Doc))
	}
	return true
}

func optional(is bool) string {
	if is {
		return " (optional)"
	}
	return ""
}

func (p *page) referenceConfig(m *tools.Manifest) {
	if len(schemaRows(m.Config)) == 0 {
		return
	}
	p.add("\n## Configuration\n\nKeys of a `[[source]]` table with `kind = \"%s\"`, besides those that every source has.\n\n", m.Name)
	p.table("key", m.Config)
}

func (p *page) referenceTools(m *tools.Manifest) {
	p.add("\n## Tools\n\n| tool | effect | |\n| --- | --- | --- |\n")
	for _, t := range documentedTools(m) {
		p.add("| [`%s`](#%s) | %s | %s |\n", t.Name, t.Name, t.Effect, cell(summary(t.Doc)))
	}
	for _, t := range documentedTools(m) {
		p.referenceTool(m, t)
	}
}

func (p *page) referenceTool(m *tools.Manifest, t tools.ToolInfo) {
	p.add("\n### %s\n\n%s\n\n", t.Name, t.Doc)
	if t.OptIn {
		p.add("Agents see it only in sources that name it in `tools`.\n\n")
	}
	if !p.table("argument", t.In) {
		p.add("No arguments.\n")
	}
	p.add("\n")
	if p.table("answer", t.Answer) {
		p.add("\n")
	}
	p.add("Errors: %s.\n", errorCodes(m, t))
	for _, x := range t.Examples {
		p.add("\nTo %s:\n\n```json\n%s\n```\n", x.Purpose, x.In)
		if answer := shortAnswer(x); answer != "" {
			p.add("\n```json\n%s\n```\n", answer)
		}
	}
}

func (p *page) referenceResources(m *tools.Manifest) {
	if len(m.Resources) == 0 {
		return
	}
	p.add("\n## Resources\n\n| URI | MIME type | |\n| --- | --- | --- |\n")
	for _, r := range m.Resources {
		p.add("| `%s` | %s | %s |\n", r.URI, r.MIME, cell(r.Doc))
	}
}

func (p *page) referencePrompts(m *tools.Manifest) {
	if len(m.Prompts) == 0 {
		return
	}
	p.add("\n## Prompts\n")
	for _, prompt := range m.Prompts {
		p.add("\n### %s\n\n%s\n", prompt.Name, prompt.Doc)
		if len(prompt.Arguments) == 0 {
			continue
		}
		p.add("\n| argument | |\n| --- | --- |\n")
		for _, a := range prompt.Arguments {
			p.add("| `%s`%s | %s |\n", a.Name, optional(!a.Required), cell(a.Doc))
		}
	}
}

func (p *page) referenceRoutes(m *tools.Manifest) {
	if m.Routes == nil {
		return
	}
	p.add("\n## HTTP\n\nBelow `/sources/NAME`, and below `%s` too where NAME is the only source of its kind. ", m.Routes.Mount)
	if m.Routes.NamesSource {
		p.add("Where there are several, `%s/NAME` belongs to the source NAME. ", m.Routes.Mount)
	}
	p.add("A path that ends in a slash stands for everything below it.\n\n")
	p.add("| path | methods | with | body | |\n| --- | --- | --- | --- | --- |\n")
	for _, r := range m.Routes.List {
		p.add("| `%s` | %s | %s | %s | %s |\n", r.Path, routeMethods(r), routeCallers(r), routeBody(r), cell(r.Purpose))
	}
}

func (p *page) referenceErrors(m *tools.Manifest) error {
	object, err := errorObject(m)
	p.add("\n## Errors\n\nA failed call answers `%s`.\n\n", object)
	p.add("| code | in answers | meaning | what to do |\n| --- | --- | --- | --- |\n")
	for _, code := range slices.Sorted(maps.Keys(m.ErrorCodes)) {
		p.add("| `%s` | `%s` | %s | %s |\n", code, m.ErrorCodes[code], meaning(code), recovery(code))
	}
	for _, more := range m.ErrorFormat.SpecCodes() {
		p.add("| `%s` | `%s` | %s | %s |\n", more.Code, more.Word, more.Meaning, more.ToDo)
	}
	return err
}
