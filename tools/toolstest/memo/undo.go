package memo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// noteState is a note in its State: complete, so that it can be recreated.
type noteState struct {
	Text     string `json:"text"`
	Colour   Colour `json:"colour"`
	Revision int    `json:"revision"`
}

func (n note) state() tools.State {
	b, err := json.MarshalIndent(noteState{n.text, n.colour, n.revision}, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("memo: marshal note: %v", err)) // strings and a number
	}
	return tools.State{Exists: true, Data: b, Revision: n.write}
}

// state returns the State of a title now.
func (m *Memo) state(t Title) tools.State {
	if n, ok := m.note(t); ok {
		return n.state()
	}
	return tools.State{}
}

// State implements [tools.Restorer]. A target is a title. State must not take a
// lock that a call holds while it calls BeforeWrite.
func (m *Memo) State(_ context.Context, target string) (tools.State, error) {
	return m.state(Title(target)), nil
}

// HasRevision implements [tools.RevisionRestorer]: what is written has an id, which is told
// before.
func (m *Memo) HasRevision(_ context.Context, _, revision string) (bool, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Contains(m.writes, revision), nil
}

// Restore implements [tools.Restorer]: it checks every target, then reports, then
// writes, and says what it has written.
func (m *Memo) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	if err := m.writing.Acquire(ctx, 1); err != nil {
		return err
	}
	defer m.writing.Release(1)
	after, write := map[Title]*note{}, newWrite()
	changes = slices.Clone(changes)
	for i, change := range changes {
		now, was := m.state(Title(change.Target)), change.Before
		if now.Exists != was.Exists || !bytes.Equal(now.Data, was.Data) || was.Revision != "" && was.Revision != now.Revision {
			return tools.Errorf(tools.Conflict, "the note %.80q was edited later", change.Target)
		}
		changes[i].After.Revision = write
		if !change.After.Exists {
			after[Title(change.Target)] = nil
			continue
		}
		var k noteState
		if err := json.Unmarshal(change.After.Data, &k); err != nil {
			return tools.Errorf(tools.Invalid, "the state of the note %.80q cannot be read", change.Target)
		}
		after[Title(change.Target)] = &note{k.Text, k.Colour, k.Revision, write}
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	for t, n := range after {
		m.set(t, n, write)
		m.announce(t)
	}
	c.ReportWritten(changes...)
	return nil
}
