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

// A memoryJournal is a testJournal over values in memory, for many sequences.
type memoryJournal struct {
	*testJournal
	source string
	held   map[string]tools.State
}

func (m *memoryJournal) rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func (m *memoryJournal) set(target string, st tools.State) {
	if st.Exists {
		m.held[target] = st
	} else {
		delete(m.held, target)
	}
}

func (m *memoryJournal) State(_ context.Context, target string) (tools.State, error) {
	return m.held[target], nil
}

func (m *memoryJournal) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
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
	c.ReportWritten(changes...)
	return nil
}

func (m *memoryJournal) lend(context.Context, string) (tools.Restorer, func(), error) {
	return m, func() {}, nil
}

func (m *memoryJournal) undo(p status.Filter) error {
	return m.Undo(m.Context(), p, journal.CallOrigin{}, m.lend)
}

func (m *memoryJournal) call(session string, to map[string]tools.State) {
	m.Helper()
	r := m.NewRecorder(journal.CallOrigin{Client: "agent", Session: session, Source: m.source, Tool: "write"})
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
		r.AfterWrite(c.Target, c.After)
	}
	r.End(nil)
}
