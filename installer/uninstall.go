package installer

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/lectern-mcp/lectern/status"
)

// Leftovers are the files of our own that nothing needs any more.
type Leftovers struct {
	Files   []string // nobody else uses them
	Folders []string // removed where they are empty then, in this order
}

// Uninstall proposes to remove everything that Lectern has put anywhere: what
// is on record, and what is found by looking where clients look. What cannot be
// removed is a risk of the plan and stops nothing else.
func (m Machine) Uninstall(ctx context.Context, server Server, skill string, service Service, plugin Plugin, own Leftovers) (*Proposal, error) {
	p := m.proposal("Remove all that Lectern has put on this machine")
	marks, err := m.receipts()
	if err != nil {
		return nil, err
	}
	var done []string
	for _, c := range Clients() {
		f := m.Find(c, server)
		if f.Condition != Connected && f.Condition != Outdated {
			continue
		}
		done = append(done, f.path)
		p.joinOrWarn(m.Remove(c, server, Where{}))
	}
	for _, x := range marks {
		if x.Kind == entryReceipt && !(slices.Contains(done, x.Path) && x.Name == server.Name) {
			p.joinOrWarn(m.removeRecorded(x, server))
		}
	}
	p.joinOrWarn(m.RemoveSkill(Clients(), skill))
	p.joinOrWarn(m.RemoveService(ctx, service))
	m.removePlugins(p, plugin, marks)
	p.removeOwnFiles(own)
	if !p.Changes() {
		p.Said = "nothing of Lectern is left"
	}
	return p, nil
}

func (p *Proposal) joinOrWarn(o *Proposal, err error) {
	if err != nil {
		p.risk("%v", err)
		return
	}
	p.join(o)
}

// removeRecorded removes an entry by the record: one in a project, or of another
// name.
func (m Machine) removeRecorded(x receipt, server Server) (*Proposal, error) {
	c, err := Find(x.ID)
	if err != nil {
		return nil, err
	}
	s := clientFile{realPath: x.Path, path: x.Path, location: c.location(x.Name)}
	if s, err = s.load(c); err != nil {
		return nil, err
	}
	server.Name = x.Name
	return m.removeAt(c, server, s, Where{ByFile: true})
}

// removeOwnFiles proposes to remove files of our own.
func (p *Proposal) removeOwnFiles(own Leftovers) {
	for _, file := range own.Files {
		if _, err := os.Lstat(file); err != nil {
			continue
		}
		p.step(status.Step{What: "remove " + file}, func(context.Context) error {
			if err := ignoreNotExist(os.Remove(file)); err != nil {
				return fmt.Errorf("remove file: %w", err)
			}
			return nil
		})
	}
	for _, dir := range own.Folders {
		if isFolder(dir) {
			p.step(status.Step{What: "remove " + dir + " if it is empty"}, func(context.Context) error {
				_ = os.Remove(dir) // what is in it is not ours
				return nil
			})
		}
	}
}
