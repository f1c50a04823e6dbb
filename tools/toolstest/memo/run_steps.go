package memo

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"golang.org/x/sync/semaphore"

	"github.com/lectern-mcp/lectern/tools"
)

// Step is one call of another tool.
type Step struct {
	Source    string         `json:"source,omitempty" jsonschema:"name of a source; this one when omitted"`
	Tool      string         `json:"tool" jsonschema:"name of one of its tools"`
	Arguments map[string]any `json:"arguments,omitempty" jsonschema:"arguments of that tool"`
}

// Steps are 1 to 1,000 of them.
type Steps []Step

// JSONSchema implements [tools.SchemaProvider].
func (Steps) JSONSchema() *jsonschema.Schema {
	step, err := jsonschema.For[Step](nil)
	if err != nil {
		panic(err) // the type is fixed
	}
	return &jsonschema.Schema{Type: "array", Items: step, MinItems: new(1), MaxItems: new(1000)}
}

// StepsIn is the input of run_steps.
type StepsIn struct {
	Steps  Steps  `json:"steps" jsonschema:"calls, in order; the first that fails ends them, and nothing is changed"`
	Record string `json:"record,omitempty" jsonschema:"title of a note to write about the run"`
}

// StepsOut is the answer of run_steps.
type StepsOut struct {
	Results []string `json:"results" jsonschema:"result of each step, as JSON"`
}

// runSteps is a tool that makes other calls: it declares Calls, holds no lock
// while it calls, and takes the time of what it writes from the CallContext.
func runSteps() tools.Tool[*Memo] {
	return tools.DefineWithContext(tools.Spec[StepsIn, StepsOut]{
		Name: "run_steps", Title: "Run several calls", Effect: tools.Runs, Calls: true,
		Doc:    "Make several calls as one: all of them or none.\n\nThe user is asked once about everything that they change.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[StepsIn, StepsOut]{{
			Purpose: "write a note and delete another",
			In: StepsIn{Steps: Steps{
				{Tool: "write_note", Arguments: map[string]any{"title": "Tea", "text": "Green."}},
				{Tool: "delete_note", Arguments: map[string]any{"title": "Milk"}},
			}},
			Want: StepsOut{Results: []string{`{"title":"Tea","revision":1,"created":true}`, `{"deleted":true,"title":"Milk"}`}},
		}},
	}, (*Memo).RunSteps)
}

// RunSteps implements run_steps.
func (m *Memo) RunSteps(ctx context.Context, c tools.CallContext, in StepsIn) (StepsOut, error) {
	var out StepsOut
	for i, step := range in.Steps {
		args, err := json.Marshal(step.Arguments)
		if err != nil {
			return StepsOut{}, fmt.Errorf("marshal arguments: %w", err)
		}
		result, err := c.Call(ctx, step.Source, step.Tool, args)
		if err != nil {
			return StepsOut{}, err
		}
		out.Results = append(out.Results, string(result.JSON))
		c.Progress(float64(i+1), float64(len(in.Steps)), "")
	}
	if in.Record != "" {
		text := fmt.Sprintf("%d steps at %s.", len(in.Steps), c.Began.UTC().Format(time.DateTime))
		if _, err := m.Write(ctx, c, WriteIn{Title: Title(in.Record), Text: text, Colour: yellow}); err != nil {
			return StepsOut{}, err
		}
	}
	return out, nil
}

// Draft implements [tools.Drafter]: a copy of the notebook, which nobody else
// sees. A store would begin a transaction and roll it back on Close.
func (m *Memo) Draft(ctx context.Context) (tools.Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	draft := *m
	draft.notebook = &notebook{writing: semaphore.NewWeighted(1), notes: maps.Clone(m.notes), changed: make(chan struct{})}
	draft.changed = func(string) {}
	return &draft, nil
}
