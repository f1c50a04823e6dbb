package memo

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// The roles of memo. Every client is a writer, unless the user makes it an owner.
const (
	writer = "writer"
	owner  = "owner"
)

func roles() []tools.Role {
	return []tools.Role{
		{Name: writer, Doc: "reads, writes and deletes single notes"},
		{Name: owner, Doc: "may also empty the notebook"},
	}
}

// EmptyIn is the input of empty_notebook.
type EmptyIn struct {
	DryRun bool `json:"dry_run,omitempty" jsonschema:"true: only show what would happen"`
}

// EmptyOut is the answer of empty_notebook.
type EmptyOut struct {
	Deleted []Title `json:"deleted" jsonschema:"notes that were deleted"`
	By      string  `json:"by" jsonschema:"role of the caller"`
}

func emptyNotebook() tools.Tool[*Memo] {
	return tools.DefineWithContext(tools.Spec[EmptyIn, EmptyOut]{
		Name: "empty_notebook", Title: "Empty the notebook", Effect: tools.Deletes, Roles: []string{owner},
		Doc: "Delete all notes.\n\nOnly an owner of the notebook may call it.",
		Examples: []tools.Example[EmptyIn, EmptyOut]{
			{Purpose: "start again", Want: EmptyOut{Deleted: []Title{"Milk", "Shopping", "Supper"}, By: owner}},
		},
	}, (*Memo).Empty)
}

// Empty deletes what agents may see, all or nothing. The hub has checked the
// caller's role; the tool uses it only for its answer.
func (m *Memo) Empty(ctx context.Context, c tools.CallContext, in EmptyIn) (EmptyOut, error) {
	if err := m.writing.Acquire(ctx, 1); err != nil {
		return EmptyOut{}, err
	}
	defer m.writing.Release(1)
	out := EmptyOut{Deleted: m.visibleTitles(), By: c.Identity.Role}
	if in.DryRun || len(out.Deleted) == 0 {
		return out, nil
	}
	var changes []tools.Change
	write := newWrite()
	for _, t := range out.Deleted {
		changes = append(changes, tools.Change{Target: string(t), Before: m.state(t), After: tools.State{Revision: write}})
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return EmptyOut{}, err
	}
	for _, t := range out.Deleted {
		m.set(t, nil, write)
		m.announce(t)
	}
	c.ReportWritten(changes...)
	return out, nil
}
