package toolstest

import (
	"context"
	"encoding/json"

	"github.com/lectern-mcp/lectern/tools"
)

// Faults of drafts, and of tools that call others.
const (
	draftWritesThrough fault = "draft that is the source itself"
	callsUnderLock     fault = "call within a call while a lock is held"
)

// faultyWithDraft has a draft that is none.
type faultyWithDraft struct{ faultyWithFilter }

// Draft implements [tools.Drafter].
func (s faultyWithDraft) Draft(context.Context) (tools.Source, error) { return s, nil }

// batch puts by a call of another tool, with a lock that put needs.
func batch() tools.Tool[faultyTools] {
	return tools.DefineWithContext(tools.Spec[getIn, getOut]{
		Name: "batch", Title: "Batch", Doc: "Put by another tool.", Effect: tools.Runs, Calls: true,
		Examples: []tools.Example[getIn, getOut]{{Purpose: "put c", In: getIn{"c"}, Want: getOut{"3"}}},
	}, func(s faultyTools, ctx context.Context, c tools.CallContext, _ getIn) (getOut, error) {
		if filtering, ok := s.(faultyWithFilter); ok {
			filtering.writing.Lock()
			defer filtering.writing.Unlock()
		}
		_, err := c.Call(ctx, "", "put", json.RawMessage(`{"key":"c","value":"3"}`))
		return getOut{"3"}, err
	})
}
