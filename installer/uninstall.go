package installer

import (
	"context"
	"fmt"
	"os"
	"slices"
)

// OwnFiles are the files of our own that nothing needs any more.
type OwnFiles struct {
	Files   []string // nothing else uses them
	Folders []string // removed where they are empty then, in this order
}

// Uninstall proposes to remove everything that this instance of Lectern has
// installed anywhere: what has a receipt, and entries that name its LECTERN_HOME.
// What belongs to another instance, or cannot be removed, becomes a risk of the
// plan that says why it stays, and stops nothing else.
func (m Machine) Uninstall(
	ctx context.Context, server Server, skill string, service Service, plugin Plugin, own OwnFiles,
) (*Proposal, error) {
	p := m.proposal("Remove everything that Lectern has installed on this machine")
	receipts, err := m.receipts().readAll()
	if err != nil {
		return nil, err
	}
	var done []string
	for _, c := range Clients() {
		f := m.Find(c, server)
		switch f.Condition {
		case Configured, Outdated:
			done = append(done, f.realPath)
			p.joinOrWarn(m.Remove(c, server, ConnectOptions{}))
		case Elsewhere:
			done = append(done, f.realPath)
			p.risk("%s stays as it is: %s", f.File, f.Note)
		case Absent, Installed, Foreign, Broken:
		}
	}
	for _, r := range receipts {
		if r.Kind == entryReceipt && !(slices.Contains(done, r.Path) && r.Name == server.Name) {
			p.joinOrWarn(m.removeRecorded(r, server))
		}
	}
	if err := p.removeRecordedSkills(skill, receipts); err != nil {
		p.risk("%v", err)
	}
	p.removeOwnService(ctx, service, receipts)
	m.removePlugins(p, plugin, receipts)
	p.removeOwnFiles(own)
	if !p.Changes() {
		p.Message = "nothing of Lectern is left"
	}
	return p, nil
}

// removeRecorded proposes to remove an entry that has a receipt: one in a
// project, or one with another name.
func (m Machine) removeRecorded(r receipt, server Server) (*Proposal, error) {
	c, err := Find(r.ID)
	if err != nil {
		return nil, err
	}
	f, err := clientFile{realPath: r.Path, path: r.Path, location: c.location(r.Name)}.load(c)
	if err != nil {
		return nil, err
	}
	server.Name = r.Name
	return m.removeFrom(f, c, server, ConnectOptions{ByFile: true})
}

func (p *Proposal) removeOwnFiles(own OwnFiles) {
	for _, file := range own.Files {
		if _, err := os.Lstat(file); err != nil {
			continue
		}
		p.add("remove "+file, func() error {
			if err := ignoreNotExist(os.Remove(file)); err != nil {
				return fmt.Errorf("remove file: %w", err)
			}
			return nil
		})
	}
	for _, dir := range own.Folders {
		if isFolder(dir) {
			p.add("remove "+dir+" if it is empty", func() error {
				_ = os.Remove(dir) // what is in it is not ours
				return nil
			})
		}
	}
}
