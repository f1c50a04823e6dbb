package journal_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A memoryDesk is a desk over values, for many sequences.
type memoryDesk struct {
	*desk
	source string
	held   map[string]tools.State
}

func (m *memoryDesk) rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func (m *memoryDesk) set(target string, st tools.State) {
	if st.Exists {
		m.held[target] = st
	} else {
		delete(m.held, target)
	}
}

func (m *memoryDesk) State(_ context.Context, target string) (tools.State, error) {
	return m.held[target], nil
}

func (m *memoryDesk) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	for _, ch := range changes {
		if !same(m.held[ch.Target], ch.Before) {
			return tools.Errorf(tools.Conflict, "%s was changed", ch.Target)
		}
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	for _, ch := range changes {
		m.set(ch.Target, ch.After)
	}
	return nil
}

func (m *memoryDesk) from(context.Context, string) (tools.Restorer, func(), error) {
	return m, func() {}, nil
}

func (m *memoryDesk) undo(p status.Filter) error {
	return m.Undo(m.Context(), p, journal.Origin{}, m.from)
}

func (m *memoryDesk) call(session string, to map[string]tools.State) {
	m.Helper()
	r := m.Record(journal.Origin{Client: "agent", Session: session, Source: m.source, Tool: "write"})
	var changes []tools.Change
	for _, target := range slices.Sorted(maps.Keys(to)) {
		if !same(m.held[target], to[target]) {
			changes = append(changes, tools.Change{Target: target, Before: m.held[target], After: to[target]})
		}
	}
	if err := r.BeforeWrite(m.Context(), changes...); err != nil {
		m.Fatal(err)
	}
	for _, c := range changes {
		m.set(c.Target, c.After)
	}
	r.End(m.Context(), m, nil)
}
