package markdown

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// Step is one call of a batch.
type Step struct {
	Tool      string         `json:"tool" jsonschema:"tool of this source, without prefix"`
	Arguments map[string]any `json:"arguments" jsonschema:"its arguments"`
}

// Steps are 1 to 50 of them.
type Steps []Step

// JSONSchema implements [tools.SchemaProvider].
func (Steps) JSONSchema() *jsonschema.Schema {
	step, err := jsonschema.For[Step](nil)
	if err != nil {
		panic(err) // the type is fixed
	}
	return &jsonschema.Schema{Type: "array", Items: step, MinItems: new(1), MaxItems: new(50)}
}

// BatchIn are the arguments of batch.
type BatchIn struct {
	Steps  Steps `json:"steps" jsonschema:"calls, in order"`
	DryRun bool  `json:"dry_run,omitempty" jsonschema:"dry-run each call alone"`
}

// BatchOut is the answer of batch.
type BatchOut struct {
	Results []map[string]any `json:"results" jsonschema:"answer of each call"`
}

// batch makes calls of the tools that it is given.
func batch(callable []tools.Tool[*Notebook]) tools.Tool[*Notebook] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[BatchIn, BatchOut]{
		Name: "batch", Title: "Several calls as one", Effect: tools.Runs, OptIn: true, Calls: true,
		Selects:   []string{"steps.tool"},
		Normalize: stepAliases,
		Doc: "Makes several calls of this source's tools: all of them or none.\n" +
			"The user is asked once about everything that they change, and it is undone at once. A call sees what those before it wrote.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[BatchIn, BatchOut]{{
			Purpose: "finish a project and write that down", AnyAnswer: true,
			In: BatchIn{Steps: Steps{
				{
					Tool: "edit_page", Arguments: map[string]any{
						"path": "Projects/Alpha.md", "property": "status", "action": "replace", "content": "done",
					},
				},
				{Tool: "edit_page", Arguments: map[string]any{"path": "Welcome.md", "action": "append", "content": "Alpha is done."}},
			}},
			Want: BatchOut{Results: []map[string]any{
				{"path": "Projects/Alpha.md", "etag": "5f2c0a1b9d3e7f48"}, {"path": "Welcome.md", "etag": "91b7d02c64a8ee13"},
			}},
		}},
	}, func(_ *Notebook, ctx context.Context, c tools.CallContext, in BatchIn) (BatchOut, error) {
		return in.make(ctx, c)
	}), func(n *Notebook, ctx context.Context, in BatchIn) ([]string, error) {
		return in.targets(ctx, n, callable)
	})
}

// make makes the calls. An error of one takes back those before it.
func (in BatchIn) make(ctx context.Context, c tools.CallContext) (BatchOut, error) {
	out := BatchOut{Results: make([]map[string]any, 0, len(in.Steps))}
	for i, step := range in.Steps {
		if step.Arguments == nil {
			step.Arguments = map[string]any{}
		}
		if in.DryRun {
			step.Arguments["dry_run"] = true
		}
		arguments, err := json.Marshal(step.Arguments)
		if err != nil {
			return BatchOut{}, tools.Errorf(tools.Invalid, "steps[%d].arguments: %v", i, err)
		}
		result, err := c.Call(ctx, "", step.Tool, arguments)
		if err != nil {
			return BatchOut{}, inStep(i, step.Tool, err)
		}
		var answer map[string]any
		if err := json.Unmarshal(result.JSON, &answer); err != nil {
			return BatchOut{}, fmt.Errorf("read answer of %s: %w", step.Tool, err)
		}
		out.Results = append(out.Results, answer)
		c.Progress(float64(i+1), float64(len(in.Steps)), step.Tool)
	}
	return out, nil
}

// inStep is the error of a call with which call it was.
func inStep(i int, tool string, err error) error {
	e := tools.AsError(err)
	if e == nil || e.Code == tools.Internal {
		return err
	}
	said := *e
	said.Message = "steps[" + strconv.Itoa(i) + "] " + tool + ": " + e.Message
	return &said
}
