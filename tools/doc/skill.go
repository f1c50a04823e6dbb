package doc

import (
	"github.com/lectern-mcp/lectern/tools"
)

// skillSection writes what SKILL.md says of one System.
func (p *page) skillSection(m *tools.Manifest) {
	p.add("\n### %s (`%s`)\n\n%s\n", m.Title, m.Name, m.Doc)
	for _, t := range listedTools(m) {
		p.add("\n#### `%s` · %s\n\n%s", t.Name, t.Effect, summary(t.Doc))
		if more := details(t.Doc); more != "" {
			p.add("\n\n%s", more)
		}
		p.add("\n\n- input: `%s`\n- output: `%s`\n- errors: %s\n", argumentList(t.In), argumentList(t.Answer), errorCodes(m, t))
		x := t.Examples[0]
		p.add("- example, to %s: `%s`", x.Purpose, x.In)
		if answer := shortAnswer(x); answer != "" {
			p.add(" answers `%s`", answer)
		}
		p.add("\n")
	}
	if names := optInTools(m); names != "" {
		p.add("\nThe user can switch more tools on for a source: %s. Their descriptions come with the list of tools.\n", names)
	}
}

// skillErrors writes how a System tells of errors.
func (p *page) skillErrors(m *tools.Manifest) error {
	object, err := errorObject(m)
	p.add("\n`%s` answers `%s`, with these codes:", m.Name, object)
	for i, c := range tools.Codes() {
		if i > 0 {
			p.add(",")
		}
		p.add(" %s = `%s`", c, m.ErrorCodes[c])
	}
	p.add(".")
	for _, more := range m.ErrorFormat.SpecCodes() {
		p.add(" `%s` is %s too: %s %s", more.Word, more.Code, more.Meaning, more.ToDo)
	}
	p.add("\n")
	return err
}
