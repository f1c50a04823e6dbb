package installer

import (
	"context"
	"fmt"
)

// Remove proposes to remove the entry from a client's configuration. An entry
// that is not ours is an error; a missing one is no change. What Install created
// around it is removed too: the file, empty containers, our backups.
func (m Machine) Remove(c Client, server Server, in ConnectOptions) (*Proposal, error) {
	if !c.Editable(m) && in.Project == "" {
		return nil, fmt.Errorf("disconnect %s: Lectern cannot edit its configuration; remove the entry in %s", c.Title, c.pasteHint)
	}
	f, err := m.readClientFile(c, server.Name, in)
	if err != nil {
		return nil, err
	}
	return m.removeFrom(f, c, server, in)
}

// removeFrom is Remove for a file that has been read.
func (m Machine) removeFrom(f clientFile, c Client, server Server, in ConnectOptions) (*Proposal, error) {
	p := m.proposal("Disconnect " + c.Title)
	r, recorded, err := m.receipts().find(receipt{Kind: entryReceipt, ID: c.ID, Name: server.Name, Path: f.realPath})
	if err != nil {
		return nil, err
	}
	if f.entry == nil {
		p.Message = fmt.Sprintf("%s has no entry %s in %s", c.Title, server.Name, f.path)
		if recorded {
			p.add("delete the receipt of the entry in "+r.Path+", which no longer exists", func() error { return m.cleanUp(r) })
			p.listBackups(r)
		}
		return p, nil
	}
	switch t := m.parseEntryTarget(f.entry); {
	case !t.isLectern(server):
		return nil, fmt.Errorf("disconnect %s: the entry %s in %s does not belong to Lectern: it leads to %s; nothing was removed",
			c.Title, server.Name, f.path, t)
	case !t.belongsTo(server, recorded):
		return nil, fmt.Errorf("disconnect %s: the entry %s in %s stays, because it belongs to %s, not to this one",
			c.Title, server.Name, f.path, t.owner())
	}
	if m.usesOwnCommand(c, c.remove, in) {
		argv := server.commandLine(c.remove, nil, "")
		p.addCommand(argv, func(ctx context.Context) error {
			if err := m.runCommand(ctx, argv); err != nil {
				return err
			}
			return m.cleanUp(r)
		})
		return p, nil
	}
	after, err := f.location.Remove(f.text, r.Made)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	if after == nil {
		after = []byte{} // a file that was there before stays, empty as it was
	}
	ch := fileChange{path: f.realPath, before: f.text, after: after, receipt: r}
	if r.Created && f.location.Empty(after) {
		ch.after = nil
	}
	p.revertChange(ch, ch.diff())
	p.listBackups(r)
	return p, nil
}

// listBackups shows which backups a step before it removes.
func (p *Proposal) listBackups(r receipt) {
	for _, b := range r.Backups {
		p.add("remove "+b, func() error { return nil })
	}
}
