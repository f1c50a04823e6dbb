package installer

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// A Skill is the text that teaches agents to use Lectern.
type Skill struct {
	Name string // of its folder, and in its text
	Text []byte // of SKILL.md
}

// skillFile is where each agent wants the text, in the skill's own folder.
const skillFile = "SKILL.md"

// InstallSkill proposes to put the skill where clients look for skills; those
// that have no such folder are an error. Several may share one.
func (m Machine) InstallSkill(clients []Client, skill Skill) (*Proposal, error) {
	p := m.proposal("Install the skill " + skill.Name)
	var seen []string
	for _, c := range clients {
		if len(c.skills) == 0 {
			return nil, fmt.Errorf("install skill: no folder is known where %s looks for skills", c.Title)
		}
		for _, template := range c.skills {
			path := filepath.Join(m.path(template), skill.Name, skillFile)
			if slices.Contains(seen, path) {
				continue
			}
			seen = append(seen, path)
			if err := m.installSkill(p, c, skill, path); err != nil {
				return nil, err
			}
		}
	}
	if len(seen) == 0 {
		p.Said = "no client is on this machine that has skills; name one with --client"
	} else if !p.Changes() {
		p.Said = "the skill is there already, as it should be"
	}
	return p, nil
}

func (m Machine) installSkill(p *Proposal, c Client, skill Skill, path string) error {
	path, err := resolveLink(m.Home, path)
	if err != nil {
		return err
	}
	before, err := readFile(path)
	if err != nil {
		return err
	}
	if before != nil && !isOurSkill(before, skill.Name) {
		return fmt.Errorf("install skill: %s is not ours; move it away first", path)
	}
	if string(before) == string(skill.Text) {
		return nil
	}
	ch := change{
		path: path, before: before, after: skill.Text, perm: 0o644,
		receipt: receipt{Kind: skillReceipt, ID: c.ID, Name: skill.Name, Path: path},
	}
	p.step(status.Step{What: ch.describe(), Diff: ch.diff()}, func(context.Context) error { return m.apply(ch) })
	return nil
}

// isOurSkill reports whether a text is some version of our skill, by its front
// matter.
func isOurSkill(text []byte, name string) bool {
	front := regexp.MustCompile(`\A(?:\x{FEFF})?---\r?\nname: ` + regexp.QuoteMeta(name) + `\r?\n`)
	return front.Match(text) && strings.Contains(string(text), "Generated from the declarations in tools/")
}

// RemoveSkill proposes to remove the skill wherever a client looks for skills,
// and the folder that was made for it.
func (m Machine) RemoveSkill(clients []Client, name string) (*Proposal, error) {
	p := m.proposal("Remove the skill " + name)
	var seen []string
	for _, c := range clients {
		for _, template := range c.skills {
			path := filepath.Join(m.path(template), name, skillFile)
			if slices.Contains(seen, path) {
				continue
			}
			seen = append(seen, path)
			if err := m.removeSkill(p, c, path, name); err != nil {
				return nil, err
			}
		}
	}
	if !p.Changes() {
		p.Said = "the skill is nowhere"
		return p, nil
	}
	for _, c := range Clients() {
		named := slices.ContainsFunc(clients, func(o Client) bool { return o.ID == c.ID })
		shares := slices.ContainsFunc(c.skills, func(t string) bool {
			return slices.Contains(seen, filepath.Join(m.path(t), name, skillFile))
		})
		if shares && !named && c.Detected(m) {
			p.risk("%s looks in the same folder and loses it too", c.Title)
		}
	}
	return p, nil
}

func (m Machine) removeSkill(p *Proposal, c Client, path, name string) error {
	path, err := resolveLink(m.Home, path)
	if err != nil {
		return err
	}
	text, err := readFile(path)
	if err != nil {
		return err
	}
	if text == nil {
		return nil
	}
	if !isOurSkill(text, name) {
		p.risk("%s is not ours and stays", path)
		return nil
	}
	x, err := m.findReceipt(skillReceipt, path, name)
	if err != nil {
		return err
	}
	if x == nil {
		x = &receipt{Kind: skillReceipt, ID: c.ID, Name: name, Path: path, Folders: []string{filepath.Dir(path)}}
	}
	ch := change{path: path, before: text, receipt: *x}
	p.step(status.Step{What: ch.describe()}, func(context.Context) error { return m.revert(ch) })
	return nil
}

// HasSkills reports whether a folder is known where the client looks for
// skills.
func (c Client) HasSkills() bool { return len(c.skills) > 0 }
