package installer

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/status"
)

// Remove proposes to take the entry out of a client's configuration. One that
// is not ours is an error; one that is not there is no change. What Install
// made around it goes too: a file that was not there before, empty containers,
// our copies of the file.
func (m Machine) Remove(c Client, server Server, in Where) (*Proposal, error) {
	if !c.Editable(m) && in.Project == "" {
		return nil, fmt.Errorf("disconnect %s: it has no file that we can edit; remove the entry in %s", c.Title, c.pasteHint)
	}
	s, err := m.readClientFile(c, server.Name, in)
	if err != nil {
		return nil, err
	}
	return m.removeAt(c, server, s, in)
}

// removeAt is Remove for a file that has been read.
func (m Machine) removeAt(c Client, server Server, s clientFile, in Where) (*Proposal, error) {
	p := m.proposal("Disconnect " + c.Title)
	old, err := m.findReceipt(entryReceipt, s.realPath, server.Name)
	if err != nil {
		return nil, err
	}
	if s.entry == nil {
		p.Said = fmt.Sprintf("%s has no entry %s in %s", c.Title, server.Name, s.path)
		if old != nil {
			p.forgetEntry(*old)
		}
		return p, nil
	}
	if t := parseTarget(s.entry); !t.isLectern(server) {
		return nil, fmt.Errorf("disconnect %s: the entry %s in %s is not ours: it leads to %s; nothing was removed", c.Title, server.Name, s.path, t)
	}
	x := receipt{Kind: entryReceipt, ID: c.ID, Name: server.Name, Path: s.realPath}
	if old != nil {
		x = *old
	}
	if m.usesOwnCommand(c, c.remove, in) {
		argv := server.commandLine(c.remove, nil, "")
		p.step(status.Step{What: "run " + shellLine(argv, m.OS)}, func(ctx context.Context) error {
			if err := m.runCommand(ctx, argv); err != nil {
				return err
			}
			return m.cleanUp(x)
		})
		return p, nil
	}
	after, err := s.location.Remove(s.text, x.Made)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	ch := change{path: s.realPath, before: s.text, after: after, receipt: x}
	if x.Created && s.location.Empty(after) {
		ch.after = nil
	}
	p.step(status.Step{What: ch.describe(), Diff: ch.diff()}, func(context.Context) error { return m.revert(ch) })
	p.listBackups(x)
	return p, nil
}

// listBackups says which of our copies go along.
func (p *Proposal) listBackups(x receipt) {
	for _, b := range x.Backups {
		p.Plan.Steps = append(p.Plan.Steps, status.Step{What: "remove " + b})
		p.steps = append(p.steps, func(context.Context) error { return nil }) // its change removes it
	}
}

// forgetEntry proposes to clear up after an entry that a person has removed.
func (p *Proposal) forgetEntry(x receipt) {
	p.step(status.Step{What: "forget the entry in " + x.Path + ", which is gone"}, func(context.Context) error {
		return p.machine.cleanUp(x)
	})
	p.listBackups(x)
}
