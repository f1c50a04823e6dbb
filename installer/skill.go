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

// skillFile is the name of the text in the skill's own folder.
const skillFile = "SKILL.md"

// HasSkills reports whether it is known where the client looks for skills.
func (c Client) HasSkills() bool { return len(c.skills) > 0 }

// skillFiles are the files where the client looks for a skill.
func (c Client) skillFiles(m Machine, name string) []string {
	var list []string
	for _, template := range c.skills {
		list = append(list, filepath.Join(m.path(template), name, skillFile))
	}
	return list
}

// allSkillFiles are those of several clients, each once, with a client that looks
// there.
func (m Machine) allSkillFiles(clients []Client, name string) (files []string, readers map[string]Client) {
	readers = map[string]Client{}
	for _, c := range clients {
		for _, path := range c.skillFiles(m, name) {
			if _, seen := readers[path]; !seen {
				files, readers[path] = append(files, path), c
			}
		}
	}
	return files, readers
}

// InstallSkill proposes to put the skill where clients look for skills; a client
// without such a folder is an error. Several may share one.
func (m Machine) InstallSkill(clients []Client, skill Skill) (*Proposal, error) {
	p := m.proposal("Install the skill " + skill.Name)
	for _, c := range clients {
		if !c.HasSkills() {
			return nil, fmt.Errorf("install skill: %s has no known folder for skills", c.Title)
		}
	}
	files, readers := m.allSkillFiles(clients, skill.Name)
	for _, file := range files {
		path, before, err := m.readSkill(file)
		switch {
		case err != nil:
			return nil, err
		case before != nil && !isOurSkill(before, skill.Name):
			return nil, fmt.Errorf("install skill: %s does not belong to Lectern; move it away first", path)
		case string(before) == string(skill.Text):
			continue
		}
		p.summarizeChange(fileChange{
			path: path, before: before, after: skill.Text, perm: 0o644,
			receipt: receipt{Kind: skillReceipt, ID: readers[file].ID, Name: skill.Name, Path: path},
		})
	}
	if len(files) == 0 {
		p.Message = "no client on this machine supports skills; name one with --client"
	} else if !p.Changes() {
		p.Message = "the skill is installed already"
	}
	return p, nil
}

// summarizeChange is applyChange for a text of ours that is long and the same
// everywhere: it shows how much changes, and no diff.
func (p *Proposal) summarizeChange(c fileChange) {
	added, removed := 0, 0
	for line := range strings.Lines(c.diff()) {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	what := fmt.Sprintf("%s (%d lines)", c.describe(), added)
	if c.before != nil {
		what = fmt.Sprintf("%s (+%d −%d lines)", c.describe(), added, removed)
	}
	p.Add(status.Step{Description: what}, func(context.Context) error { return p.machine.apply(c) })
}

// readSkill reads the file at path, and returns where links lead from there;
// nil: there is no such file.
func (m Machine) readSkill(path string) (string, []byte, error) {
	path, err := resolveLink(m.Home, path)
	if err != nil {
		return path, nil, err
	}
	text, err := readFile(path)
	return path, text, err
}

// isOurSkill reports whether a text is some version of our skill, by its front
// matter.
func isOurSkill(text []byte, name string) bool {
	front := regexp.MustCompile(`\A(?:\x{FEFF})?---\r?\nname: ` + regexp.QuoteMeta(name) + `\r?\n`)
	return front.Match(text) && strings.Contains(string(text), "Generated from the declarations in tools/")
}

// removeSkillFile adds to p the removal of one file of the skill, if it is ours.
func (m Machine) removeSkillFile(p *Proposal, c Client, name, path string) error {
	path, text, err := m.readSkill(path)
	switch {
	case err != nil:
		return err
	case text == nil:
		return nil
	case !isOurSkill(text, name):
		p.risk("%s does not belong to Lectern and stays", path)
		return nil
	}
	r, recorded, err := m.receipts().find(receipt{Kind: skillReceipt, ID: c.ID, Name: name, Path: path})
	if err != nil {
		return err
	}
	if !recorded {
		r.Folders = []string{filepath.Dir(path)}
	}
	p.revertChange(fileChange{path: path, before: text, receipt: r}, "")
	return nil
}

// removeRecordedSkills adds to p the removal of the skills that have a receipt,
// and says of others that they stay: another instance may have installed them.
func (p *Proposal) removeRecordedSkills(name string, receipts []receipt) error {
	m := p.machine
	files, readers := m.allSkillFiles(Clients(), name)
	for _, file := range files {
		path, text, err := m.readSkill(file)
		switch {
		case err != nil:
			return err
		case !slices.ContainsFunc(receipts, receipt{Kind: skillReceipt, Name: name, Path: path}.matches):
			if isOurSkill(text, name) {
				p.risk("%s stays, because this Lectern did not install it; `lectern skill remove` removes it", path)
			}
		default:
			if err := m.removeSkillFile(p, readers[file], name, file); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveSkill proposes to remove the skill wherever these clients look for
// skills, and the folder that was created for it.
func (m Machine) RemoveSkill(clients []Client, name string) (*Proposal, error) {
	p := m.proposal("Remove the skill " + name)
	files, readers := m.allSkillFiles(clients, name)
	for _, file := range files {
		if err := m.removeSkillFile(p, readers[file], name, file); err != nil {
			return nil, err
		}
	}
	if !p.Changes() {
		p.Message = "the skill is not installed"
		return p, nil
	}
	for _, c := range Clients() {
		named := slices.ContainsFunc(clients, func(o Client) bool { return o.ID == c.ID })
		shares := slices.ContainsFunc(c.skillFiles(m, name), func(path string) bool { return slices.Contains(files, path) })
		if shares && !named && c.Detected(m) {
			p.risk("%s uses the same folder and loses it too", c.Title)
		}
	}
	return p, nil
}
